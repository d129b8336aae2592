/** The roll of Karpenter's nodes under way: accidents end as a good operator would end them, people change the pace, waves survive a kill. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { detach } from '../../rehearsal/world/faults/volumes.ts';
import { budgetOfOne, multiAttach, noBudgets, selfHeal, spotRole } from '../../rehearsal/scenarios/accidents.ts';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { amiHoldTwoHops } from '../../rehearsal/scenarios/karpenter/ami-hold-two-hops.ts';
import { gitopsSelfHeal } from '../../rehearsal/scenarios/gitops-self-heal.ts';
import { rollWaves } from '../../rehearsal/scenarios/karpenter/roll-waves.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { EVE, type Play, RIN, SAM } from './support/play.ts';
import { expectReportsNothing, expectRestored } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

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
  {
    scenario: selfHeal,
    says: [
      /ALARM: the drift freeze was reverted on default \(by GitOps\?\)\. Belay restores it each time; stop whatever reverts it, or Karpenter may replace nodes in between\./,
    ],
  },
  {
    scenario: budgetOfOne,
    asked: {
      says: [/PodDisruptionBudget shop\/ledger: 0 disruptions allowed, 1 pod healthy, at least 1 required/, /Owner: team payments/],
      choices: { blocked: 'scale' },
    },
    says: [
      /Services of one replica, away for about a minute each\*: shop\/ledger \(team payments\)/,
      /Deployment shop\/ledger scaled 1 → 2, and back at 1 replica/,
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
  const scenarios = [...ACCIDENTS.map(({ scenario }) => scenario), rollWaves, gitopsSelfHeal, amiHoldTwoHops];
  theatre = await Theatre.open(Object.fromEntries(scenarios.map((scenario) => [scenario.cluster.name, { scenario }])));
}, 360_000);
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
  }, 360_000);
});

describe('owners of node pools and node classes', () => {
  const told = (): string[] => play.world.journal.events.map(({ text }) => text);
  const replaced = (): string[] => told().filter((text) => text.startsWith('Karpenter replaces '));

  test('a NodePool that Argo CD heals is never touched: nodes are held one by one, over a kill as they are marked and a pace changed midway', async () => {
    play = await theatre.play(gitopsSelfHeal.cluster.name);
    const killed = play.inTheMiddle('freeze-drift', () => theatre.kill('worker'));
    await play.start();
    await killed;
    await play.says(/Drift is frozen on every node of NodePool default by annotation/);
    expect(await play.pressPace(RIN, 'freeze')).toMatch(/^From now on Karpenter replaces no node/);
    await play.says(/sets the pace: Karpenter replaces no node/);
    const held = play.world.store.list('nodes', { labels: { 'karpenter.sh/nodepool': 'default' } });
    const old = held.filter((node) => kubeletMinor(node) === '1.31');
    expect(old.filter(({ metadata }) => metadata.annotations?.['belay.dev/freeze-guard'] === undefined).length).toBeLessThan(3);
    expect((await theatre.belay('pace', play.cluster, '34%')).stdout).toContain('at most 34% of the nodes');
    expect(await play.closed()).toBe('COMPLETED');
    const story = told();
    const first = story.findIndex((text) => text.startsWith('Karpenter replaces '));
    expect(first).toBeGreaterThan(story.indexOf('EKS reports the control plane at 1.32'));
    expect(replaced()).toHaveLength(6);
    expect(play.world.journal.mutations.filter(({ operation }) => operation === 'patch nodepools')).toEqual([]);
    expectReportsNothing(play);
    await expectRestored(play);
  }, 720_000);

  test('with AMIs held a node that is launched between two hops stays at the version from before; the worker dies as they are pinned; all roll once', async () => {
    play = await theatre.play(amiHoldTwoHops.cluster.name);
    const { store } = play.world;
    const killed = play.inTheMiddle('freeze-drift', () => theatre.kill('worker'));
    await play.start();
    await killed;
    await eventually('the first hop is done', () => (told().includes('EKS reports the control plane at 1.32') ? true : undefined), 120_000);
    const scale = (replicas: number): unknown => store.update('deployments', 'web', 'shop', (copy) => void (copy.spec.replicas = replicas));
    const nodes = (): string[] => store.list('nodes', { labels: { 'karpenter.sh/nodepool': 'default' } }).map(kubeletMinor);
    scale(4);
    await eventually('a node more', () => (nodes().length > 3 ? true : undefined));
    expect(new Set(nodes())).toEqual(new Set(['1.31']));
    scale(3);
    expect(await play.closed()).toBe('COMPLETED');
    expect(new Set(nodes())).toEqual(new Set(['1.33']));
    const names = replaced().map((text) => text.split(' ')[2]);
    expect(names.length).toBeGreaterThan(5);
    expect(names).toEqual([...new Set(names)]);
    const edits = play.world.journal.mutations.filter(({ resource, accepted }) => resource.startsWith('ec2nodeclasses/') && accepted);
    expect(edits.map(({ resource }) => resource)).toEqual(['ec2nodeclasses/default', 'ec2nodeclasses/default']);
    expect(told().filter((text) => text.startsWith('argocd has EC2NodeClass batch choose'))).toHaveLength(2);
    expectReportsNothing(play);
    await expectRestored(play);
  }, 900_000);
});
