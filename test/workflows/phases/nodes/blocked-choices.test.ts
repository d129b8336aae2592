/** What scaling by one means for a workload whose pods are members with volumes of their own. */
import { expect, test } from 'vitest';
import { choicesAbout } from '../../../../workflows/messages/nodes/blocked-choices.ts';

const NODE = { node: 'ip-10-0-1-7', nodePool: 'default', reason: 'pod shop/db-0 is held', sinceMs: 0 };
const doesOf = (kind: 'Deployment' | 'StatefulSet'): string | undefined =>
  choicesAbout(NODE, { kind, namespace: 'shop', name: 'db', replicas: 3 }).find(({ id }) => id === 'scale')?.does;

test('a StatefulSet’s new pod is a member, and what it leaves behind is said', () => {
  expect(doesOf('StatefulSet')).toBe(
    'Scales StatefulSet shop/db to 4 so that its budget allows a disruption, and back afterwards. Its new pod joins as a member with volumes of its own, whose claims stay afterwards unless it deletes them.',
  );
  expect(doesOf('Deployment')).toBe('Scales Deployment shop/db to 4 so that its budget allows a disruption, and back afterwards.');
});
