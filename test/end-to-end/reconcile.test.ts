/** A run and its guard are ended by force, and nobody is left to put anything back: `belay reconcile` does it, from the marks on the objects. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { small } from '../../rehearsal/scenarios/small.ts';
import type { Play } from './support/play.ts';
import { expectRestored, replacements } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';

const BEFORE_MOVE = 'before:control-plane@1.32#1';
const AFTER_MOVE = 'before:node-groups@1.32#1';

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  theatre = await Theatre.open(houses('small', 2, { scenario: small }));
}, 120_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function until(house: number, gate: string): Promise<void> {
  play = await theatre.play(`small-${house}`, { decide: (id) => (id === gate ? 'ignore' : undefined) });
  await play.start();
  await play.gate(gate);
}

/** The guard first: told of its run's end, it would settle the freeze itself. */
async function terminate(): Promise<void> {
  for (const id of [`${play.workflowId}/freeze-drift@1.32`, play.workflowId])
    await theatre.client.workflow.getHandle(id).terminate('by hand');
}

test('terminated in the freeze: shown, put back, and the cluster is as before', async () => {
  await until(1, BEFORE_MOVE);
  const refused = await theatre.belay('reconcile', play.cluster, '--yes');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/already being upgraded/)]);
  const held = await theatre.belay('reconcile', play.cluster);
  expect(held.stdout).toMatch(/LEFT: NodePools default, frozen by .+\n {4}a run is at work on the cluster and holds it/);
  await terminate();
  expect(play.stage.built.diff()).not.toEqual([]);
  const shown = await theatre.belay('reconcile', play.cluster);
  expect(shown.stdout).toMatch(
    /would put back: NodePools default, frozen by .+\nNothing was changed\. "belay reconcile small-1 --yes" puts it back/,
  );
  expect(play.stage.built.diff()).not.toEqual([]);
  const done = await theatre.belay('reconcile', play.cluster, '--yes', '--reason', 'the run was terminated');
  expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/- put back: NodePools default, frozen by /)]);
  await expectRestored(play);
  expect((await theatre.belay('reconcile', play.cluster)).stdout).toBe('Runs have left nothing behind on small-1.\n');
});

test('terminated when the control plane had moved: the freeze stays until people say --roll', async () => {
  await until(2, AFTER_MOVE);
  await terminate();
  const kept = await theatre.belay('reconcile', play.cluster, '--yes');
  expect(kept.stdout).toMatch(/LEFT: NodePools default, frozen by .+\n {4}the control plane is at 1\.32 and 3 nodes are not/);
  expect(play.stage.built.diff()).not.toEqual([]);
  expect(replacements(play)).toEqual([]);
  const rolled = await theatre.belay('reconcile', play.cluster, '--yes', '--roll');
  expect(rolled.stdout).toMatch(/- put back: NodePools default, frozen by /);
  await expectRestored(play);
});
