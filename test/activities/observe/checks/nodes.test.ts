/** Nodes that are not Ready: named with what to do where they are more than one in ten, recommended to look at where they are fewer. */
import { expect, test } from 'vitest';
import type { ClusterNode } from '../../../../activities/clients/kubernetes/objects.ts';
import { checkNodeVersions, findSickNodes } from '../../../../activities/observe/checks/nodes.ts';
import type { KubeletFact, NodeGroupFact } from '../../../../domain/facts/facts.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';

const NOW = 'Tue, 01 Sep 2026 12:00:00 GMT';
const node = (name: string, ready: 'True' | 'False', bornAt = '2026-09-01T08:00:00Z'): ClusterNode => {
  const { metadata, ...rest } = nodeObject(name, '1.32');
  return {
    ...rest,
    metadata: { ...metadata, name, creationTimestamp: bornAt },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  } as ClusterNode;
};
const ready = (count: number): ClusterNode[] => Array.from({ length: count }, (_, index) => node(`ready-${index}`, 'True'));
const findings = (nodes: ClusterNode[]): object[] =>
  findSickNodes({ serverDate: () => NOW }, nodes).map(({ code, status, message, resources, remediation }) => ({
    code,
    status,
    message,
    resources,
    remediation,
  }));

const REMEDY = 'Repair or delete these nodes (kubectl describe node).';

test.each([
  { what: 'all are Ready', nodes: ready(2), found: [{ code: 'K8S103', status: 'pass', message: '2 nodes are Ready.' }] },
  {
    what: 'one of ten is not',
    nodes: [...ready(9), node('sick', 'False')],
    found: [
      { code: 'K8S103', status: 'pass', message: '1 of 10 nodes are not Ready: sick.' },
      { code: 'K8S105', status: 'fail', message: '1 of 10 nodes are not Ready: sick.', resources: ['sick'], remediation: REMEDY },
    ],
  },
  {
    what: 'two of ten are not',
    nodes: [...ready(8), node('a', 'False'), node('b', 'False')],
    found: [{ code: 'K8S103', status: 'fail', message: '2 of 10 nodes are not Ready: a, b.', resources: ['a', 'b'], remediation: REMEDY }],
  },
  {
    what: 'one was made a minute ago',
    nodes: [...ready(1), node('new', 'False', '2026-09-01T11:59:00Z')],
    found: [{ code: 'K8S103', status: 'pass', message: '2 nodes are Ready.' }],
  },
  {
    what: 'one is being deleted',
    nodes: [...ready(1), { ...node('going', 'False'), metadata: { ...node('going', 'False').metadata, deletionTimestamp: NOW } }],
    found: [{ code: 'K8S103', status: 'pass', message: '2 nodes are Ready.' }],
  },
])('$what', ({ nodes, found }) => {
  expect(findings(nodes)).toEqual(found.map((each) => ({ resources: [], remediation: undefined, ...each })));
});

test('nodes of Belay’s own that lag behind are required to move; where others roll none, nothing is said of them', () => {
  const lagging = { minor: '1.32', count: 2, owner: 'karpenter' } as const;
  expect(checkNodeVersions([lagging, { ...lagging, minor: '1.33', owner: 'fargate' }], '1.33')).toMatchObject([
    { code: 'K8S104', status: 'fail', message: 'These nodes are not at 1.33: 2 karpenter at 1.32.', resources: ['2 karpenter at 1.32'] },
  ]);
});

test('hybrid nodes that are behind are said, and fail nothing', () => {
  expect(checkNodeVersions([{ minor: '1.32', count: 2, owner: 'hybrid' }], '1.33')).toMatchObject([
    { code: 'K8S104', status: 'pass' },
    {
      code: 'K8S106',
      severity: 'recommended',
      status: 'fail',
      resources: ['2 hybrid at 1.32'],
      remediation: expect.stringContaining('nodeadm'),
    },
  ]);
});

test('groups with images of their own are moved by whoever makes the images: how is said', () => {
  const group = (name: string, amiType: string): NodeGroupFact => ({
    name,
    amiType,
    version: '1.32',
    status: 'ACTIVE',
    healthIssues: [],
    desiredCount: 2,
  });
  const groups = [group('system', 'AL2023_x86_64_STANDARD'), group('golden', 'CUSTOM')];
  const lagging = { minor: '1.32', count: 2, owner: 'node-group' as const };
  const remedy = (kubelets: KubeletFact[]): string | undefined => checkNodeVersions(kubelets, '1.33', groups)[0]?.remediation;
  const own =
    'Node group golden runs an image of your own, which Belay does not update: put one for 1.33 into the launch template, update the group to that version of it, then retry.';
  const blocked = 'Find what blocks them (disruption budgets, do-not-disrupt), then retry.';
  expect(remedy([lagging])).toBe(own);
  expect(remedy([lagging, { ...lagging, owner: 'karpenter' }])).toBe(
    `${own} Of the others: find what blocks them (disruption budgets, do-not-disrupt).`,
  );
  expect(remedy([{ ...lagging, owner: 'karpenter' }])).toBe(blocked);
  expect(checkNodeVersions([lagging], '1.33', groups.slice(0, 1))[0]?.remediation).toBe(blocked);
});
