/** Nodes that a control plane has left behind. */
import { expect, test } from 'vitest';
import { nodesNotAt, type SkewSeen } from '../../../domain/facts/version-skew.ts';

const seen = (change: Partial<SkewSeen>): SkewSeen => ({ controlPlane: '1.34', updating: false, nodes: {}, ...change });

test.each<[string, SkewSeen, ReturnType<typeof nodesNotAt>]>([
  ['no nodes', seen({}), { count: 0, byMinor: [] }],
  ['all there', seen({ nodes: { '1.34': 9 } }), { count: 0, byMinor: [] }],
  ['a minor that none is at any more', seen({ nodes: { '1.34': 9, '1.33': 0 } }), { count: 0, byMinor: [] }],
  [
    'older, newer and unknown',
    seen({ nodes: { '1.33': 2, '1.34': 9, '1.35': 1, unknown: 1 } }),
    {
      count: 4,
      byMinor: [
        ['1.33', 2],
        ['1.35', 1],
        ['unknown', 1],
      ],
    },
  ],
  [
    "a node group's, which no freeze holds",
    seen({ nodes: { '1.33': 2, '1.34': 9 }, karpenterNodes: { '1.34': 7 } }),
    { count: 0, byMinor: [] },
  ],
  ["Karpenter's alone", seen({ nodes: { '1.33': 5 }, karpenterNodes: { '1.33': 3 } }), { count: 3, byMinor: [['1.33', 3]] }],
])('%s', (_, skew, expected) => {
  expect(nodesNotAt('1.34', skew)).toEqual(expected);
});
