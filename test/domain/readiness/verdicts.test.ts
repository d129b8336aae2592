/** What single checks say of unusual clusters: what Belay does not know is unknown, and what stands in nobody's way passes. */
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { type Context, runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence, Shape } from '../../../domain/readiness/model/evidence.ts';
import { addOn, cluster, CONTEXT, evidence, istio, karpenter, pool, workload } from './healthy.ts';

const insight = (over: Partial<Shape<'insights'>['insights'][number]>): Evidence =>
  evidence({
    insights: {
      refreshedAt: CONTEXT.now,
      insights: [{ name: 'Deprecated APIs', category: 'UPGRADE_READINESS', status: 'PASSING', resources: [], deprecations: [], ...over }],
    },
  });
const job = (since: string, deadlineSeconds?: number): Evidence =>
  evidence({
    workloads: [workload({ kind: 'Job', name: 'batch', active: { since, ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }) } })],
  });
const karpenterAt = (version: string): Evidence => evidence({ karpenter: karpenter({ version }) });
const budgets = (over: Parameters<typeof pool>[0]): Evidence => evidence({ karpenter: karpenter({ nodePools: [pool(over)] }) });
const standard = { cluster: cluster({ supportType: 'STANDARD' }) };
const byHelm = evidence({ karpenter: karpenter({ deliveredBy: 'helm' }) });

interface Row {
  what: string;
  code: string;
  seen: Evidence;
  context?: Partial<Context>;
  /** Status, then the message. */
  says: [status: 'pass' | 'fail' | 'unknown', message: string];
  severity?: string;
  resources?: string[];
}

test.each<Row>([
  {
    what: 'no key of one’s own',
    code: 'AWS006',
    seen: evidence({ encryptionKey: 'none' }),
    says: ['pass', 'Secrets are encrypted with no key of yours.'],
  },
  {
    what: 'an insight that EKS cannot judge',
    code: 'EKS004',
    seen: insight({ status: 'UNKNOWN', reason: 'the audit log is off' }),
    says: ['unknown', 'Deprecated APIs: the audit log is off'],
  },
  {
    what: 'a minor whose end nobody knows',
    code: 'EKS017',
    seen: evidence(standard),
    context: { from: { major: 1, minor: 99 } },
    says: ['unknown', 'The upgrade policy is STANDARD, and when standard support ends is not known.'],
  },
  {
    what: 'an end that is more than two months away',
    code: 'EKS017',
    seen: evidence(standard),
    says: ['pass', 'EKS would upgrade the cluster by itself after 2026-12-01.'],
  },
  {
    what: 'kube-proxy of no version that can be read',
    code: 'K8S002',
    seen: evidence({ addOns: [addOn({ name: 'kube-proxy', version: 'latest' })] }),
    says: ['unknown', 'kube-proxy\'s version "latest" cannot be read.'],
  },
  {
    what: 'kube-proxy of no version that can be read',
    code: 'K8S043',
    seen: evidence({ addOns: [addOn({ name: 'kube-proxy', version: 'latest' })] }),
    says: ['unknown', 'kube-proxy\'s version "latest" cannot be read.'],
  },
  { what: 'no kube-proxy', code: 'K8S043', seen: evidence({ addOns: [] }), says: ['pass', 'kube-proxy is no add-on here.'] },
  {
    what: 'a job that a node waits for',
    code: 'K8S027',
    seen: job('2025-10-31T23:44:00Z'),
    says: ['fail', '1 job running for more than 15 minutes: a drain ends it, or waits for it.'],
    resources: ['Job batch (has run for 16 min)'],
  },
  {
    what: 'a job that has just begun',
    code: 'K8S027',
    seen: job('2025-10-31T23:50:00Z'),
    says: ['pass', 'No job has run for longer than a node may take to drain.'],
  },
  {
    what: 'a job that its own deadline ends',
    code: 'K8S027',
    seen: job('2025-10-31T23:00:00Z', 3600),
    says: ['pass', 'No job has run for longer than a node may take to drain.'],
  },
  {
    what: 'Karpenter by digest',
    code: 'KAR001',
    seen: karpenterAt('sha256:0'),
    says: ['unknown', 'Karpenter\'s version "sha256:0" cannot be read.'],
  },
  {
    what: 'a release of Karpenter that should not run',
    code: 'KAR001',
    seen: karpenterAt('1.8.4'),
    says: ['fail', 'Karpenter 1.8.4 should not run: it has a regression in topology spread constraints.'],
    resources: ['Deployment karpenter (1.8.4)'],
  },
  {
    what: 'Karpenter newer than the table',
    code: 'KAR001',
    seen: karpenterAt('1.99.0'),
    says: ['unknown', 'Whether Karpenter 1.99.0 supports 1.32, 1.33 is not known to this release of Belay.'],
  },
  {
    what: 'Istio newer than the table',
    code: 'IST001',
    seen: evidence({ istio: istio({ revisions: [{ revision: '1-27', version: '1.99.0', namespace: 'istio-system', ready: true }] }) }),
    says: ['unknown', 'Whether Istio 1.99.0 supports 1.32, 1.33 is not known to this release of Belay.'],
  },
  {
    what: 'node agents by digest',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true }) }),
    says: ['unknown', 'Neither the version of istio-cni nor that of ztunnel can be read from its image.'],
  },
  {
    what: 'a node agent that is one minor behind',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true, cniVersion: '1.26.4' }) }),
    says: ['pass', 'istio-cni and ztunnel fit, or are not there.'],
  },
  {
    what: '@latest outside of production',
    code: 'KAR013',
    seen: evidence({
      karpenter: karpenter({ nodeClasses: karpenter().nodeClasses.map((each) => ({ ...each, aliases: ['al2023@latest'] })) }),
    }),
    context: { environment: 'staging' },
    says: ['pass', 'This is not production.'],
  },
  {
    what: 'a cluster of no environment',
    code: 'KAR013',
    seen: evidence(),
    context: { environment: undefined },
    says: ['pass', 'This is not production.'],
  },
  {
    what: 'no budgets: those of the CRD hold',
    code: 'KAR014',
    seen: budgets({ budgets: undefined }),
    says: ['pass', 'Every NodePool has a budget that limits drift and allows it.'],
  },
  {
    what: 'budgets for other reasons alone',
    code: 'KAR014',
    seen: budgets({ budgets: [{ nodes: '10%', reasons: ['Empty', 'Underutilized'] }] }),
    says: ['fail', '1 NodePool whose budgets never limit or never allow drift.'],
    resources: ['NodePool default (no budget counts for drift: every node may go at once)'],
  },
  {
    what: 'CRDs that no release owns, where Helm has installed nothing',
    code: 'KAR018',
    seen: evidence({ karpenter: karpenter({ labels: {} }), definitions: [] }),
    says: ['pass', 'Karpenter was not installed by Helm.'],
  },
  ...(['helm', 'terraform', 'manual'] as const).map(
    (owner): Row => ({
      what: `marks of Helm, which may be ${owner}`,
      code: 'OWN004',
      seen: byHelm,
      context: { managedBy: { karpenter: owner } },
      says: ['pass', 'Nothing else has left its marks on Karpenter or Istio.'],
    }),
  ),
  {
    what: 'marks of Helm where Flux should be',
    code: 'OWN004',
    seen: byHelm,
    says: ['fail', '1 Deployment delivered otherwise than belay.yaml says.'],
    resources: ['Deployment karpenter (marked by helm, belay.yaml says flux)'],
  },
  {
    what: 'marks of Argo CD where there is no belay.yaml',
    code: 'OWN004',
    seen: evidence({ karpenter: karpenter({ deliveredBy: 'argocd' }) }),
    context: { managedBy: { karpenter: 'manual' }, withoutFile: true },
    says: ['fail', '1 Deployment whose owner a belay.yaml has to name.'],
    severity: 'recommended',
    resources: ['Deployment karpenter (marked by argocd: managedBy.karpenter)'],
  },
  {
    what: 'a chart of Flux where there is no belay.yaml',
    code: 'OWN001',
    seen: evidence({
      gitOps: [
        { kind: 'HelmRelease', namespace: 'flux-system', name: 'mesh', chart: 'istiod', version: '1.27.1', range: false, by: 'flux' },
      ],
    }),
    context: { withoutFile: true },
    says: ['fail', '1 object of GitOps to name in a belay.yaml.'],
    severity: 'recommended',
    resources: ['HelmRelease mesh (delivers istiod: managedBy.istio: flux)'],
  },
])('$code: $what', ({ code, seen, context = {}, says, severity, resources = [] }) => {
  const found = CATALOGUE.filter((check) => check.code === code).flatMap((check) => runCheck(check, seen, { ...CONTEXT, ...context }));
  expect(found.map(({ status, message }) => [status, message])).toEqual([says]);
  if (severity !== undefined) expect(found.map((each) => each.severity)).toEqual([severity]);
  expect(found.flatMap((each) => each.resources.map(({ kind, name, note }) => `${kind} ${name} (${note})`))).toEqual(resources);
});
