/** Checks that are run while others' sources are still read: once each, and anew where what they read was replaced. */
import { beforeEach, expect, test } from 'vitest';
import { judgeAsSeen, type JudgeAsSeen } from '../../../domain/readiness/as-seen.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { check, runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { SOURCE_IDS } from '../../../domain/readiness/model/sources.ts';
import { blindTo, CONTEXT, evidence, node, pod } from './healthy.ts';

let looks: string[];
beforeEach(() => {
  looks = [];
});
const about = { area: 'Kubernetes', severity: 'required', remediation: 'Mend it.', source: 'none' } as const;
const NODES = check({
  ...about,
  code: 'K8S901',
  title: 'Nodes',
  reads: ['nodes'],
  look: ({ nodes }) => {
    looks.push('nodes');
    return { pass: `${nodes.length} nodes` };
  },
});
const BOTH = check({
  ...about,
  code: 'K8S902',
  title: 'Nodes and pods',
  reads: ['nodes', 'pods'],
  look: ({ nodes, pods }) => {
    looks.push('both');
    return { pass: `${nodes.length} nodes, ${pods.length} pods` };
  },
});
const CHECKS = [NODES, BOTH];
const messages = (judge: JudgeAsSeen, seen: Evidence, context = CONTEXT): string[] =>
  CHECKS.flatMap((each) => judge.run(each, seen, context)).map(({ message }) => message);
const SEEN = evidence({ nodes: [node(), node()], pods: [pod()] });

test('a check is run once its sources are there, and not again for the report', () => {
  const judge = judgeAsSeen(CHECKS);
  judge.begin(CONTEXT);
  judge.seen('pods', SEEN.pods);
  expect(looks).toEqual([]);
  judge.seen('nodes', SEEN.nodes);
  expect(looks).toEqual(['nodes', 'both']);
  expect(messages(judge, SEEN)).toEqual(['2 nodes', '2 nodes, 1 pods']);
  expect(looks).toEqual(['nodes', 'both']);
});

test('what was read before the cluster was described is looked at then', () => {
  const judge = judgeAsSeen(CHECKS);
  judge.seen('nodes', SEEN.nodes);
  expect(looks).toEqual([]);
  judge.begin(CONTEXT);
  expect(looks).toEqual(['nodes']);
});

test.each([
  { title: 'a source that was replaced', seen: { ...SEEN, pods: blindTo(['pods']).pods }, context: CONTEXT, looked: ['nodes', 'both'] },
  {
    title: 'another context',
    seen: SEEN,
    context: { ...CONTEXT, now: '2030-01-01T00:00:00Z' },
    looked: ['nodes', 'both', 'nodes', 'both'],
  },
])('$title: what was found early does not count', ({ seen, context, looked }) => {
  const judge = judgeAsSeen(CHECKS);
  judge.begin(CONTEXT);
  judge.seen('nodes', SEEN.nodes);
  judge.seen('pods', SEEN.pods);
  expect(messages(judge, seen, context)).toEqual(CHECKS.flatMap((each) => runCheck(each, seen, context)).map(({ message }) => message));
  expect(looks.slice(0, looked.length)).toEqual(looked);
});

test('the whole catalogue finds the same, in whatever order its sources come', () => {
  const judge = judgeAsSeen(CATALOGUE);
  judge.begin(CONTEXT);
  for (const id of SOURCE_IDS.toReversed()) judge.seen(id, SEEN[id]);
  for (const each of CATALOGUE) expect(judge.run(each, SEEN, CONTEXT)).toEqual(runCheck(each, SEEN, CONTEXT));
});
