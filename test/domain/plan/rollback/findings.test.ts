/** The conditions of a way back one by one, in whole words: what is not known is asked about, never taken for a yes. */
import { expect, test } from 'vitest';
import { type Finding, stops } from '../../../../domain/core/findings.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import type { SeenForBack } from '../../../../domain/plan/rollback/evidence.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import { addOn, healthyFacts, NOW, policy } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

const OPEN: SeenForBack = { back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: NOW }], NOW) };
const { karpenter, istio } = healthyFacts();
if (karpenter === undefined || istio === undefined) throw new Error('the healthy cluster has Karpenter and Istio');

const OFFERED = "EKS offers 1.32 under the cluster's upgrade policy";
const QUIET = 'The cluster is ACTIVE and EKS busy with nothing else';

test.each<{ what: string; code: string; facts?: Partial<ClusterFacts>; seen?: Partial<SeenForBack>; is: Partial<Finding>[] }>([
  {
    what: 'EKS takes this control plane back already: that is no other update',
    code: 'RBK002',
    facts: { updateInProgress: { id: 'u-1', type: 'VersionRollback', version: '1.32' } },
    is: [],
  },
  {
    what: 'EKS takes it back to another minor',
    code: 'RBK002',
    facts: { updateInProgress: { id: 'u-1', type: 'VersionRollback', version: '1.31' } },
    is: [
      {
        title: QUIET,
        severity: 'required',
        status: 'fail',
        message: 'EKS is busy with VersionRollback (u-1).',
        remediation: 'Wait until it has ended, then ask again.',
      },
    ],
  },
  {
    what: 'what EKS offers was not read',
    code: 'RBK003',
    facts: { supportedVersions: [] },
    is: [{ title: OFFERED, severity: 'required', status: 'unknown', message: 'What EKS offers could not be read.' }],
  },
  {
    what: 'until when EKS supports the minor is not said',
    code: 'RBK003',
    facts: { supportedVersions: [{ version: '1.32', status: 'STANDARD_SUPPORT' }] },
    is: [{ title: OFFERED, severity: 'required', status: 'unknown', message: 'What EKS offers could not be read.' }],
  },
  {
    what: 'the minor is gone',
    code: 'RBK003',
    facts: { supportedVersions: healthyFacts().supportedVersions.filter(({ version }) => version !== '1.32') },
    is: [
      {
        title: OFFERED,
        severity: 'required',
        status: 'fail',
        message: 'EKS does not offer 1.32 any more.',
        remediation: 'The cluster cannot be rolled back to it.',
      },
    ],
  },
  ...[
    { version: '1.32', endOfStandardSupport: '2025-03-23', endOfExtendedSupport: '2026-03-23' },
    { version: '1.32', endOfStandardSupport: '2025-03-23', endOfExtendedSupport: '2026-03-23', status: 'UNSUPPORTED' as const },
  ].map((over) => ({
    what: `the minor is listed, and its extended support is over (${'status' in over ? 'status' : 'date'})`,
    code: 'RBK003',
    facts: { supportedVersions: [over], controlPlane: { ...healthyFacts().controlPlane, supportType: 'EXTENDED' as const } },
    is: [
      {
        title: OFFERED,
        severity: 'required' as const,
        status: 'fail' as const,
        message: 'EKS does not offer 1.32 any more: its extended support ended on 2026-03-23.',
        remediation: 'The cluster cannot be rolled back to it.',
      },
    ],
  })),
  {
    what: 'EKS says nothing of an add-on',
    code: 'RBK007',
    facts: { addOns: [addOn('coredns', 'v1.12.2-eksbuild.4', { offered: {} })] },
    is: [
      {
        title: 'Add-on coredns supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'EKS does not say whether coredns v1.12.2-eksbuild.4 supports 1.32.',
        resources: ['coredns'],
      },
    ],
  },
  {
    what: 'a Karpenter and an Istio of which nothing is known',
    code: 'RBK008',
    facts: {
      karpenter: { ...karpenter, version: 'latest' },
      istio: { ...istio, revisions: [{ revision: 'next', version: '1.99.0', namespace: 'istio-system', ready: true }] },
    },
    is: [
      {
        title: 'Karpenter latest supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'Whether Karpenter latest supports 1.32 is not known to this release of Belay.',
      },
      {
        title: 'Istio 1.99.0 (revision next) supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'Whether Istio 1.99.0 (revision next) supports 1.32 is not known to this release of Belay.',
      },
    ],
  },
  {
    what: 'EKS has insights about an upgrade alone',
    code: 'RBK009',
    seen: { insights: [{ name: 'Deprecated APIs', category: 'UPGRADE_READINESS', status: 'PASSING' }] },
    is: [
      {
        title: "EKS's rollback readiness",
        severity: 'required',
        status: 'unknown',
        message: 'EKS lists no insight about a rollback.',
      },
    ],
  },
  ...[
    {
      code: 'RBK002',
      what: 'the updates in progress',
      title: QUIET,
      also: [{ title: QUIET, severity: 'required' as const, status: 'pass' as const, message: 'It is ACTIVE.' }],
    },
    { code: 'RBK006', what: 'the EC2NodeClasses', title: 'Karpenter launches no node newer than 1.32', also: [] },
    { code: 'RBK006', what: 'the Karpenter NodePools', title: 'Karpenter launches no node newer than 1.32', also: [] },
    { code: 'RBK006', what: 'the Karpenter Deployment', title: 'Karpenter launches no node newer than 1.32', also: [] },
    { code: 'RBK007', what: 'the add-ons', title: 'Every add-on supports 1.32', also: [] },
    { code: 'RBK007', what: 'add-on coredns', title: 'Every add-on supports 1.32', also: [] },
    { code: 'RBK008', what: 'the istiod Deployments', title: 'Istio supports 1.32', also: [] },
  ].map(({ code, what, title, also }) => ({
    what: `${what} could not be read`,
    code,
    facts: { unknowns: [unread(what, 'needs list')], karpenter: undefined, istio: undefined, addOns: [] },
    is: [
      ...also,
      {
        title,
        severity: 'required' as const,
        status: 'unknown' as const,
        message: `Could not read ${what}: needs list.`,
        resources: [what],
        remediation: 'Give Belay the permission, or look yourself before you continue.',
      },
    ],
  })),
  {
    what: 'nodes of a group are newer than EKS says the group is',
    code: 'RBK005',
    facts: {
      nodeGroups: healthyFacts().nodeGroups.map((group) => ({ ...group, version: '1.32' })),
      kubelets: [{ minor: '1.33', count: 1, owner: 'node-group' }],
    },
    is: [
      {
        title: 'No node is newer than 1.32',
        severity: 'required',
        status: 'fail',
        message: '1 node-group node runs a kubelet newer than 1.32, which no control plane at 1.32 may have.',
        remediation:
          'Node group system: an update has replaced only some nodes, and EKS rolls back whole groups. Let it end, or repeat it with aws eks update-nodegroup-version --cluster-name prod --nodegroup-name system --kubernetes-version 1.33; then request the rollback again.',
      },
    ],
  },
  {
    what: 'EKS says ERROR',
    code: 'RBK009',
    seen: { insights: [{ name: 'Incompatible API usage', category: 'ROLLBACK_READINESS', status: 'ERROR' }] },
    is: [
      {
        title: 'Incompatible API usage',
        severity: 'required',
        status: 'fail',
        message: 'EKS says ERROR.',
        remediation:
          'Look at the insight in the EKS console, then ask again. If you accept the risk instead: aws eks update-cluster-version --name prod --region eu-central-1 --kubernetes-version 1.32 --force. Belay adopts that rollback.',
      },
    ],
  },
])('$code: $what', ({ code, facts, seen, is }) => {
  const findings = backFindings({
    facts: healthyFacts(facts),
    seen: { ...OPEN, ...seen },
    backTo: parseKubernetesVersion('1.32'),
    policy: policy(),
    later: [],
  });
  expect(findings.filter((each) => each.code === code)).toEqual(
    is.map((each) => ({ code, resources: [], resourceCount: each.resources?.length ?? 0, ...each })),
  );
});

test('what EKS does already is adopted whatever speaks against it: refusing would leave it unwatched', () => {
  const facts = healthyFacts({
    updateInProgress: { id: 'u-1', type: 'VersionRollback', version: '1.32' },
    unknowns: [unread('the EC2NodeClasses', 'needs list')],
  });
  const over: SeenForBack = { back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: '2026-01-01T00:00:00Z' }], NOW) };
  const judged = backFindings({ facts, seen: over, backTo: parseKubernetesVersion('1.32'), policy: policy(), later: [] });
  expect(judged.filter(stops)).toEqual([]);
  expect(judged.map(({ code, status }) => `${code} ${status}`)).toEqual(
    expect.arrayContaining(['RBK001 fail', 'RBK005 fail', 'RBK006 unknown']),
  );
  const idle = backFindings({
    facts: { ...facts, updateInProgress: undefined },
    seen: over,
    backTo: parseKubernetesVersion('1.32'),
    policy: policy(),
    later: [],
  });
  expect(idle.filter(stops).map(({ code }) => code)).toEqual(expect.arrayContaining(['RBK001', 'RBK005', 'RBK006']));
  expect(planRollback(facts, over, policy())).toMatchObject({ kind: 'plan' });
  expect(planRollback({ ...facts, updateInProgress: undefined }, over, policy())).toMatchObject({ kind: 'refused' });
});
