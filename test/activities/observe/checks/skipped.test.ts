/** What people skipped is accepted at the end, and nothing beside it. */
import { expect, test } from 'vitest';
import { atOlder, atTarget } from '../../../../activities/observe/checks/index.ts';
import { leftBehind } from '../../../../activities/observe/checks/skipped.ts';
import { karpenterNamed, revisionNamed, type Skipped, stops } from '../../../../domain/core/findings.ts';
import { addOn, healthyFacts, meshNamespace, nodeGroup } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';

const TO = '1.32';
const GROUP: Skipped = { what: 'Node groups to 1.32', by: 'Sam', reason: 'after the sale', nodeGroups: ['workers'] };
const LEFT: Skipped = { what: 'add-on coredns', by: 'Sam', reason: 'it is slow', addOns: ['coredns'] };
const NODE: Skipped = { what: 'general-0', by: 'Kim', reason: '', nodes: ['general-0'] };

function nodeIn(name: string, minor: string, labels: Record<string, string>) {
  const node = nodeObject(name, minor);
  return { ...node, metadata: { ...node.metadata, labels } };
}

/** Two nodes of a NodePool and one of a group, all behind. */
async function verdicts(skipped: Skipped[]): Promise<string[]> {
  const port = new FakeKubernetes();
  const pool = { 'karpenter.sh/nodepool': 'general' };
  for (const node of [
    nodeIn('general-0', '1.31', pool),
    nodeIn('general-1', '1.31', pool),
    nodeIn('workers-0', '1.31', { 'eks.amazonaws.com/nodegroup': 'workers' }),
  ])
    port.put('v1', 'nodes', node);
  const facts = healthyFacts({
    nodeGroups: [nodeGroup('workers', '1.31.7-20260801', { version: '1.31' })],
    kubelets: [
      { owner: 'karpenter', minor: '1.31', count: 2 },
      { owner: 'node-group', minor: '1.31', count: 1 },
    ],
    addOns: [addOn('coredns', 'v1.11.3-eksbuild.1', { offered: { [TO]: [{ version: 'v1.12.3-eksbuild.1', isDefault: true }] } })],
  });
  return atTarget(facts, TO, await leftBehind(port, { to: TO, skipped }))
    .filter(({ code, status }) => ['EKS102', 'EKS103', 'K8S104'].includes(code) && status !== 'pass')
    .map((found) => `${stops(found) ? 'FAILED' : `ACCEPTED of ${found.accepted?.by}`} ${found.message}`);
}

const ADD_ON = 'FAILED coredns v1.11.3-eksbuild.1 is not valid on 1.32.';

test.each<[string, Skipped[], string[]]>([
  [
    'nothing',
    [],
    ['FAILED Not at 1.32: workers (1.31).', 'FAILED These nodes are not at 1.32: 2 karpenter at 1.31, 1 node-group at 1.31.', ADD_ON],
  ],
  [
    'a node group: its nodes, too; those of Karpenter still fail',
    [GROUP],
    [
      'ACCEPTED of Sam Not at 1.32: workers (1.31).',
      'ACCEPTED of Sam These nodes are not at 1.32: 1 node-group at 1.31.',
      'FAILED These nodes are not at 1.32: 2 karpenter at 1.31.',
      ADD_ON,
    ],
  ],
  [
    'one node of two',
    [GROUP, NODE],
    [
      'ACCEPTED of Sam Not at 1.32: workers (1.31).',
      'ACCEPTED of Kim These nodes are not at 1.32: 1 karpenter at 1.31.',
      'ACCEPTED of Sam These nodes are not at 1.32: 1 node-group at 1.31.',
      'FAILED These nodes are not at 1.32: 1 karpenter at 1.31.',
      ADD_ON,
    ],
  ],
  [
    'a node that is gone, and everything else of the plan',
    [
      { ...NODE, nodes: ['gone'] },
      { ...GROUP, nodePools: ['general'], addOns: ['coredns'] },
    ],
    [
      'ACCEPTED of Sam Not at 1.32: workers (1.31).',
      'ACCEPTED of Sam These nodes are not at 1.32: 2 karpenter at 1.31, 1 node-group at 1.31.',
      'ACCEPTED of Sam coredns v1.11.3-eksbuild.1 is not valid on 1.32.',
    ],
  ],
])('skipped: %s', async (_what, skipped, are) => {
  expect(await verdicts(skipped)).toEqual(are);
});

test.each<[string, Skipped[], 'AccessDenied' | undefined, string[]]>([
  ['that people left to EKS is accepted while EKS updates it', [GROUP], undefined, ['ACCEPTED EKS still updates node group workers.']],
  ['that nobody left fails', [], undefined, ['FAILED Node group workers is UPDATING.']],
  ['that EKS finds ill fails all the same', [GROUP], 'AccessDenied', ['FAILED Node group workers has AccessDenied (no rights).']],
])('a node group %s', (_which, skipped, issue, are) => {
  const healthIssues = issue === undefined ? [] : [{ code: issue, message: 'no rights', resourceIds: [] }];
  const facts = healthyFacts({
    nodeGroups: [nodeGroup('workers', '1.31.7-20260801', { version: '1.31', status: 'UPDATING', healthIssues })],
  });
  const found = atTarget(facts, TO, { skipped, nodes: [] }).filter(({ code, status }) => code === 'EKS009' && status !== 'pass');
  expect(found.map((each) => `${stops(each) ? 'FAILED' : 'ACCEPTED'} ${each.message}`)).toEqual(are);
});

test.each<[string, Skipped[], string[], string]>([
  ['that people left to EKS is accepted while EKS updates it', [LEFT], [], 'ACCEPTED EKS still updates add-on coredns.'],
  ['that nobody left fails', [], [], 'FAILED Add-on coredns is UPDATING.'],
  ['that EKS finds ill fails all the same', [LEFT], ['AccessDenied'], 'FAILED Add-on coredns has AccessDenied (no rights).'],
])('an add-on %s', (_which, skipped, issues, is) => {
  const healthIssues = issues.map((code) => ({ code, message: 'no rights', resourceIds: [] }));
  const facts = healthyFacts({ addOns: [addOn('coredns', 'v1.11.3-eksbuild.1', { status: 'UPDATING', healthIssues })] });
  const found = atTarget(facts, TO, { skipped, nodes: [] }).filter(({ code, status }) => code === 'EKS012' && status !== 'pass');
  expect(found.map((each) => `${stops(each) ? 'FAILED' : 'ACCEPTED'} ${each.message}`)).toEqual([is]);
});

/** Karpenter 1.1.1, and Istio 1.24 and 1.23, do not support 1.33. */
const healthy = healthyFacts();
const OLD = healthyFacts({
  karpenter: healthy.karpenter && { ...healthy.karpenter, version: '1.1.1' },
  istio: {
    revisions: [
      { revision: '1-24', version: '1.24.3', namespace: 'istio-system', ready: true },
      { revision: '1-23', version: '1.23.6', namespace: 'istio-system', ready: true },
    ],
    tags: [],
    namespaces: ['1-24', '1-23'].map((revision) => meshNamespace(`of-${revision}`, { selector: revision, revision })),
    hasCniOrZtunnel: false,
  },
});
const KARPENTER: Skipped = { what: 'Karpenter 1.1.1 → 1.8', by: 'Sam', reason: 'no merge', components: [karpenterNamed('1.1.1')] };
const ISTIO: Skipped = { what: 'Istio 1.24 → 1.28', by: 'Kim', reason: 'frozen', components: [revisionNamed('1-24')] };
const NO_KARPENTER = 'Karpenter 1.1.1 does not support Kubernetes 1.33.';
const [NO_24, NO_23] = ['Istio 1.24.3 (revision 1-24)', 'Istio 1.23.6 (revision 1-23)'].map(
  (of) => `${of} does not support Kubernetes 1.33.`,
);

test.each<[string, Skipped[], string[]]>([
  ['nothing', [], [`FAILED ${NO_KARPENTER}`, `FAILED ${NO_24}`, `FAILED ${NO_23}`]],
  [
    "Karpenter's controller, and one revision of Istio; the other one still fails",
    [KARPENTER, ISTIO],
    [`ACCEPTED of Sam ${NO_KARPENTER}`, `ACCEPTED of Kim ${NO_24}`, `FAILED ${NO_23}`],
  ],
  [
    'Karpenter at another version, and a revision whose name ends alike',
    [
      { ...KARPENTER, components: [karpenterNamed('1.1.0')] },
      { ...ISTIO, components: [revisionNamed('24')] },
    ],
    [`FAILED ${NO_KARPENTER}`, `FAILED ${NO_24}`, `FAILED ${NO_23}`],
  ],
])('versions of what was skipped: %s', (_what, skipped, are) => {
  for (const judge of [atTarget, atOlder]) {
    const found = judge(OLD, '1.33', { skipped, nodes: [] }).filter(({ code, status }) => /^(KAR|IST)001$/.test(code) && status !== 'pass');
    expect(found.map((each) => `${stops(each) ? 'FAILED' : `ACCEPTED of ${each.accepted?.by}`} ${each.message}`)).toEqual(are);
  }
});

test('a version that nobody can judge stays unknown, skipped or not', () => {
  const facts = { ...OLD, karpenter: OLD.karpenter && { ...OLD.karpenter, version: '1.99.0' } };
  const skipped = [{ ...KARPENTER, components: [karpenterNamed('1.99.0')] }];
  expect(atTarget(facts, '1.33', { skipped, nodes: [] }).filter(({ code }) => code === 'KAR001')).toMatchObject([{ status: 'unknown' }]);
  expect(atTarget(facts, '1.33', { skipped, nodes: [] }).some((each) => each.code === 'KAR001' && stops(each))).toBe(true);
});

test('nodes that others roll: those of Auto Mode no longer fail, and what is said of self-managed ones names who skipped the step', async () => {
  const port = new FakeKubernetes();
  port.put('v1', 'nodes', nodeIn('auto-0', '1.31', { 'eks.amazonaws.com/compute-type': 'auto' }));
  port.put('v1', 'nodes', nodeIn('own-0', '1.31', {}));
  const facts = healthyFacts({
    kubelets: [
      { owner: 'auto-mode', minor: '1.31', count: 1 },
      { owner: 'self-managed', minor: '1.31', count: 1 },
    ],
  });
  const skip: Skipped = { what: 'Other nodes to 1.32', by: 'Sam', reason: '', owners: ['auto-mode', 'self-managed'] };
  const found = async (skipped: Skipped[]) =>
    atTarget(facts, TO, await leftBehind(port, { to: TO, skipped }))
      .filter(({ code, status }) => ['K8S104', 'K8S106'].includes(code) && status !== 'pass')
      .map(({ code, message, accepted }) => [code, message, accepted?.by]);
  expect(await found([skip])).toEqual([
    ['K8S104', 'These nodes are not at 1.32: 1 auto-mode at 1.31.', 'Sam'],
    ['K8S106', 'These nodes are not at 1.32: 1 self-managed at 1.31.', 'Sam'],
  ]);
  expect(await found([{ ...skip, owners: ['fargate'] }])).toEqual([
    ['K8S104', 'These nodes are not at 1.32: 1 auto-mode at 1.31.', undefined],
    ['K8S106', 'These nodes are rolled by others and are not at 1.32: 1 self-managed at 1.31.', undefined],
  ]);
});
