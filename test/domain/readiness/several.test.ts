/** Messages read right with several resources, as they do with one (catalogue.test.ts). */
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { budget, cluster, CONTEXT, definition, evidence, karpenter, nodeClass, pod, pool, role, workload } from './healthy.ts';

const messages = (code: string, seen: Evidence, context = CONTEXT): string[] =>
  CATALOGUE.filter((check) => check.code === code)
    .flatMap((check) => runCheck(check, seen, context))
    .map(({ message }) => message);

const two = <T>(make: (over: { name: string }) => T): T[] => [make({ name: 'a' }), make({ name: 'b' })];
const pinned = { pinned: true, aliases: [], alias: undefined };
const webhook = (name: string) => ({
  kind: 'ValidatingWebhookConfiguration' as const,
  configuration: name,
  name: `${name}.example.com`,
  failurePolicy: 'Fail' as const,
  service: { namespace: 'security', name: 'gone' },
  catches: ['pods'],
});

const onTheWayTo = (minor: number) => ({ ...CONTEXT, target: { major: 1, minor } });
const RULE = { apiGroups: [''], resources: ['pods/exec'] };

test.each<{ code: string; seen: Evidence; message: string; context?: typeof CONTEXT }>([
  {
    code: 'AWS001',
    seen: evidence({ subnets: [{ id: 's', zone: 'eu-west-1a', freeIps: 9, uses: ['cluster'] }] }),
    message: 'Only 1 zone has 5 free addresses; EKS needs 2 that have.',
  },
  {
    code: 'AWS001',
    seen: evidence({
      subnets: [
        ...['a', 'b'].map((zone) => ({ id: zone, zone: `eu-west-1${zone}`, freeIps: 200, uses: ['cluster' as const] })),
        ...['x', 'y'].map((id) => ({ id, zone: '', freeIps: 0, gone: true as const, uses: ['cluster' as const] })),
      ],
    }),
    message: 'Gone: x, y.',
  },
  {
    code: 'AWS002',
    seen: evidence({ subnets: [{ id: 's', zone: 'eu-west-1a', freeIps: 1, uses: ['nodes'] }] }),
    message: 'Only 1 address is free for nodes: replacements start beside what they replace.',
  },
  ...[
    ['2025-11-15', 'Standard support of 1.32 ends on 2025-11-15, in 14 days: then EKS upgrades the control plane by itself.'] as const,
    [
      '2025-10-01',
      'Standard support of 1.32 ended on 2025-10-01, and the upgrade policy is STANDARD: EKS upgrades the control plane by itself.',
    ] as const,
  ].map(([endOfStandardSupport, message]) => ({
    code: 'EKS016',
    seen: evidence({ cluster: cluster({ supportType: 'STANDARD' }), versions: [{ version: '1.32', endOfStandardSupport }] }),
    message,
  })),
  {
    code: 'EKS004',
    seen: evidence({
      insights: {
        refreshedAt: CONTEXT.now,
        insights: ['Kubelet version skew', 'Cluster health issues'].map((name) => ({
          name,
          category: 'UPGRADE_READINESS' as const,
          status: 'PASSING' as const,
          resources: [],
          deprecations: [],
        })),
      },
    }),
    message: '2 insights pass.',
  },
  {
    code: 'K8S003',
    seen: evidence({ budgets: two(({ name }) => budget({ name, disruptionsAllowed: 0 })) }),
    message: 'No eviction is allowed now by shop/a, shop/b: their pods are not all healthy.',
  },
  {
    code: 'K8S011',
    seen: evidence({ webhooks: [webhook('a'), webhook('b')] }),
    message: '2 webhooks with failurePolicy Fail and nobody behind them: what they are asked about cannot be created.',
  },
  {
    code: 'K8S013',
    seen: evidence({ pods: two(pod), budgets: two(budget) }),
    message: '2 pods with more than one disruption budget: eviction refuses them, so their nodes will not drain.',
  },
  {
    code: 'K8S018',
    seen: evidence({ budgets: two(({ name }) => budget({ name, maxUnavailable: 0 })) }),
    message: '2 disruption budgets can never allow an eviction: nodes under their pods will not drain.',
  },
  {
    code: 'K8S019',
    seen: evidence({ budgets: two(({ name }) => budget({ name, expectedPods: 0, selector: { matchLabels: { app: 'gone' } } })) }),
    message: '2 disruption budgets without pods: what they were written for is not protected.',
  },
  {
    code: 'K8S025',
    seen: evidence({ pods: two(({ name }) => pod({ name, controller: undefined })) }),
    message: '2 pods without a controller: nothing brings them back.',
  },
  {
    code: 'K8S026',
    seen: evidence({ pods: two(({ name }) => pod({ name, doNotDisrupt: 'true' })) }),
    message: '2 pods that may not be disrupted: Karpenter leaves their nodes as they are.',
  },
  {
    code: 'K8S027',
    seen: evidence({ workloads: two(({ name }) => workload({ kind: 'Job', name, active: { since: '2025-10-31T23:00:00Z' } })) }),
    message: '2 jobs running for more than 15 minutes: a drain ends them, or waits for them.',
  },
  {
    code: 'K8S048',
    context: onTheWayTo(36),
    seen: evidence({ workloads: two(({ name }) => workload({ name, addressFaults: ['hostAliases: leading zeros'] })) }),
    message:
      '2 workloads with an address that API servers of 1.36 reject: their pods cannot be created again, such as when a node is replaced.',
  },
  {
    code: 'K8S049',
    context: onTheWayTo(36),
    seen: evidence({ roles: { bound: two(({ name }) => role({ name, rules: [{ ...RULE, verbs: ['get'] }] })), anonymous: [] } }),
    message: '2 roles with get but not create: from 1.35 they no longer allow kubectl exec, attach or port-forward.',
  },
  {
    code: 'K8S050',
    context: onTheWayTo(36),
    seen: evidence({
      roles: {
        bound: two(({ name }) => role({ name, rules: [{ apiGroups: ['*'], resources: ['resourceclaims/status'], verbs: ['*'] }] })),
        anonymous: [],
      },
    }),
    message:
      '2 roles with rights on resourceclaims/status but not on its parts, which 1.36 requires: their DRA drivers or schedulers can no longer allocate or report devices.',
  },
  {
    code: 'KAR011',
    seen: evidence({ karpenter: karpenter({ nodeClasses: two(({ name }) => nodeClass({ name, ...pinned })) }) }),
    message: '2 EC2NodeClasses with fixed AMIs: their nodes stay at the old version until somebody edits them.',
  },
  {
    code: 'KAR016',
    seen: evidence({
      karpenter: karpenter({ nodePools: two(({ name }) => pool({ name, limits: [{ resource: 'cpu', limit: '10', used: '10' }] })) }),
    }),
    message: '2 NodePools at or near their limits.',
  },
  {
    code: 'KAR018',
    seen: evidence({ definitions: two(({ name }) => definition({ name, annotations: {} })) }),
    message: '2 CRDs that no Helm release owns: a chart upgrade leaves them as they are.',
  },
  {
    code: 'OWN003',
    seen: evidence({
      workloads: [
        workload({ name: 'belay', containers: [{ name: 'w', image: 'ghcr.io/example/belay:0.1.0', readinessProbe: true }] }),
        workload({ name: 'temporal', containers: [{ name: 's', image: 'temporalio/server:1.29.0', readinessProbe: true }] }),
      ],
    }),
    message: 'belay, temporal run on this cluster.',
  },
])('$code', ({ code, seen, message, context }) => {
  expect(messages(code, seen, context)).toEqual([message]);
});
