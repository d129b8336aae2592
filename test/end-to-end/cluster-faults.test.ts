/** What goes wrong on the cluster while nodes are replaced: named to people, survived, and nothing left of it. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { type Play, SAM } from './support/play.ts';
import { expectRestored } from './support/promises.ts';
import { rehearsed } from './support/rehearsal.ts';
import { houses, Theatre } from './support/theatre.ts';

interface Case {
  title: string;
  faults: string[];
  /** A gate that nobody presses before the thread has been read there. */
  gate?: string;
  /** What the thread says, where people have to know. */
  says?: RegExp[];
}

/** Those of a play are over, or found, before the next one begins. */
const CASES: Case[] = [
  {
    title:
      'K11: instances cannot be launched for a while, a node never registers so that the old one stays, another is NotReady for a while',
    faults: ['karpenter:launch-fails=2', 'karpenter:never-registers@karpenter-drift', 'node:not-ready=5m@karpenter-drift'],
  },
  {
    title: 'K12: a budget lets no pod go: pod and budget are named',
    faults: ['pdb:blocks=40m@karpenter-drift'],
    says: [/nothing-may-go/],
  },
  {
    title: 'K13: two budgets on a pod: pod and budgets are named',
    faults: ['pdb:two=40m@karpenter-drift'],
    says: [/first-of-two/],
  },
  {
    title: 'K13 K19: two budgets on a pod, and a webhook without a service: found before anything moves',
    faults: ['pdb:two=3h', 'webhook:down=3h'],
    gate: 'failed:pre-checks@1.32#1',
    says: [/more than one disruption budget: .+first-of-two, second-of-two/, /policy-that-is-gone/],
  },
  { title: 'K14: a pod says do-not-disrupt: it is named', faults: ['pod:do-not-disrupt=40m@karpenter-drift'], says: [/do-not-disrupt/] },
  {
    title: 'K15 K19: a volume stays attached to the old node for a while, and a webhook has no service while nodes are replaced',
    faults: ['volume:multi-attach=5m@karpenter-drift', 'webhook:down=5m@karpenter-drift'],
  },
];

let theatre: Theatre;
let play: Play;
let count = 0;
beforeAll(async () => {
  theatre = await Theatre.open(houses('small', CASES.length, { scenario: small }));
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

test.each(CASES)('$title', async ({ faults, gate, says = [] }) => {
  count += 1;
  play = await theatre.play(`small-${count}`, { faults, decide: (id) => (id === gate ? 'ignore' : undefined) });
  await play.start();
  if (gate !== undefined) {
    await play.gate(gate);
    for (const one of says) await play.says(one);
    await play.press(SAM, gate, 'retry');
  }
  expect(await play.closed()).toBe('COMPLETED');
  for (const { fault, since } of play.world.faults.records) expect([fault, since]).toEqual([fault, expect.any(String)]);
  expect(play.record().outcome).toBe('completed');
  if (gate === undefined) for (const one of says) await play.says(one);
  await expectRestored(play);
});

test('T5 T7: Temporal slow, then reset, through a real proxy: the run continues, and nothing is done twice', async () => {
  const faults = ['temporal:latency=1s@freeze-drift', 'temporal:reset=2m@node-groups', 'temporal:cut=2m@karpenter-drift'];
  const { ok, why, report } = await rehearsed({ scenario: 'small', speed: 60, faults });
  expect([ok, why]).toEqual([true, '']);
  expect(report.faults.map(({ fault, since }) => [fault, since])).toEqual(faults.map((fault) => [fault, expect.any(String)]));
  const tokens = report.mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted ? [token] : []));
  expect(new Set(tokens).size).toBe(tokens.length);
}, 720_000);
