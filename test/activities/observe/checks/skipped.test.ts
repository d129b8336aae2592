/** What people skipped is accepted at the end, and nothing beside it. */
import { expect, test } from 'vitest';
import { atTarget } from '../../../../activities/observe/checks/index.ts';
import { leftBehind } from '../../../../activities/observe/checks/skipped.ts';
import { type Skipped, stops } from '../../../../domain/core/findings.ts';
import { addOn, healthyFacts, nodeGroup } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';

const TO = '1.32';
const GROUP: Skipped = { what: 'Node groups to 1.32', by: 'Sam', reason: 'after the sale', nodeGroups: ['workers'] };
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
