/** The roll of Karpenter's nodes under way: accidents end as a good operator would end them, people change the pace, waves survive a kill. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { detach } from '../../rehearsal/faults/volumes.ts';
import { budgetOfOne, multiAttach, noBudgets, selfHeal, spotRole } from '../../rehearsal/scenarios/accidents.ts';
import { rollWaves } from '../../rehearsal/scenarios/roll-waves.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { EVE, type Play, RIN, SAM } from './support/play.ts';
import { expectReportsNothing, expectRestored } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { eventually } from './support/waiting.ts';

interface Accident {
  scenario: Scenario;
  /** Instead of the scenario's: so long that nothing but `deed` ends them. */
  faults?: string[];
  /** What stands in the thread at the end. */
  says: RegExp[];
  /** What a gate says while it is open, what somebody does outside of Belay then, and what is pressed, by kind of gate. */
  asked?: { says: RegExp[]; deed?: (play: Play) => void; choices: Record<string, string> };
}

const ACCIDENTS: Accident[] = [
  { scenario: noBudgets, says: [/The freeze is lifted \(all 3 Karpenter nodes are at 1\.32\); budgets are as before on default/] },
  { scenario: selfHeal, says: [/ALARM: the drift freeze was reverted on default \(GitOps\?\)\. Belay puts it back; stop the other side/] },
  {
    scenario: budgetOfOne,
    asked: {
      says: [/PodDisruptionBudget shop\/ledger: 0 disruptions allowed, 1 pods healthy, at least 1 wanted/, /Whose it is: team payments/],
      choices: { blocked: 'scale' },
    },
    says: [
      /Services of one replica, away for about a minute each\*: shop\/ledger \(team payments\)/,
      /Deployment shop\/ledger scaled 1 → 2/,
      /Deployment shop\/ledger is back at 1 replica/,
    ],
  },
  {
    scenario: multiAttach,
    faults: ['volume:multi-attach=24h@karpenter-drift'],
    asked: {
      // While nodes roll, or by the validation where its node was the last of them.
      says: [/olume pvc-0a11aa11 is still attached to this node, which is gone|Attached to a node that is gone: pvc-0a11aa11/],
      deed: ({ world }) => detach(world),
      choices: { blocked: 'wait', failed: 'retry' },
    },
    says: [],
  },
  { scenario: spotRole, says: [/the service-linked role of EC2 Spot is missing; make it \(aws iam create-service-linked-role/] },
];

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  const scenarios = [...ACCIDENTS.map(({ scenario }) => scenario), rollWaves];
  theatre = await Theatre.open(Object.fromEntries(scenarios.map((scenario) => [scenario.cluster.name, { scenario }])));
}, 120_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

test.each(ACCIDENTS)('$scenario.name: $scenario.title', async ({ scenario, faults, says, asked }) => {
  const kinds = Object.keys(asked?.choices ?? {});
  let read = asked === undefined;
  const kindOf = (gateId: string): string => gateId.split(':')[0] ?? '';
  const decide = (id: string): string | undefined => (!read && kinds.includes(kindOf(id)) ? 'ignore' : undefined);
  play = await theatre.play(scenario.cluster.name, { faults: faults ?? scenario.faults ?? [], decide });
  await play.start();
  if (asked !== undefined) {
    for (const what of asked.says) await play.says(what);
    asked.deed?.(play);
    read = true;
    // The board may say it before the gate is there.
    const open = (): string | undefined => [...play.openGates().keys()].find((id) => kinds.includes(kindOf(id)));
    const gate = await eventually('the gate is at the channel', open);
    await play.press(SAM, gate, asked.choices[kindOf(gate)] ?? 'none');
  }
  expect(await play.closed()).toBe('COMPLETED');
  for (const what of says) await play.says(what);
  expect(play.record().outcome).toBe('completed');
  expectReportsNothing(play);
  await expectRestored(play);
});

describe('people at the roll', () => {
  test('an approver freezes and paces by button, nobody else; the worker dies while waves are held, and nothing is left', async () => {
    play = await theatre.play(rollWaves.cluster.name);
    const killed = play.inTheMiddle('karpenter-drift', () => theatre.kill('worker'));
    await play.start();
    await killed;
    expect(await play.pressPace(EVE, 'freeze')).toMatch(/approver/);
    expect(await play.pressPace(RIN, 'freeze')).toMatch(/^From now on Karpenter replaces no node/);
    await play.says(/sets the pace: Karpenter replaces no node/);
    const nodes = (): unknown[] => play.world.store.list('nodepools').flatMap(({ spec }) => spec.disruption.budgets);
    expect(nodes()).toContainEqual(expect.objectContaining({ nodes: '0' }));
    expect((await theatre.belay('pace', play.cluster, '20%', '--reason', 'lunch is over')).stdout).toContain('at most 20% of the nodes');
    await play.says(/sets the pace \(lunch is over\): Karpenter replaces at most 20% of the nodes of each pool at a time/);
    expect(await play.closed()).toBe('COMPLETED');
    await play.says(/Nodes roll in 3 waves by zone/);
    const marks = play.world.journal.mutations.filter(
      ({ operation, resource }) => operation === 'patch nodes' && resource.startsWith('nodes/'),
    );
    // Six nodes, each held and given back once.
    expect(marks.filter(({ accepted }) => accepted)).toHaveLength(12);
    expectReportsNothing(play);
    await expectRestored(play);
  }, 120_000);
});
