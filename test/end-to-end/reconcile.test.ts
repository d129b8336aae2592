/** A run and its guard are ended by force, and nobody is left to put anything back: `belay reconcile` does it, from the marks on the objects. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { karpenterArgo } from '../../rehearsal/scenarios/karpenter/karpenter-gitops.ts';
import { small } from '../../rehearsal/scenarios/small.ts';
import type { Message } from '../../rehearsal/neighbours/slack/methods/messages.ts';
import { hasButton } from './support/buttons.ts';
import { ALEX, EVE, type Play, SAM } from './support/play.ts';
import { expectRestored, replacements } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

const BEFORE_MOVE = 'before:control-plane@1.32#1';
const AFTER_MOVE = 'before:node-groups@1.32#1';

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  theatre = await Theatre.open({ ...houses('small', 2, { scenario: small }), ...houses('argo', 1, { scenario: karpenterArgo }) });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function until(house: number, gate: string): Promise<void> {
  play = await theatre.play(`small-${house}`, { decide: (id) => (id === gate ? 'ignore' : undefined) });
  await play.start();
  await play.gate(gate);
}

/** The guard first: told of its run's end, it would settle the freeze itself. While no worker is there, the run cannot start another guard meanwhile. */
async function terminate(): Promise<void> {
  theatre.kill('worker');
  for (const id of [`${play.workflowId}/freeze-drift@1.32`, play.workflowId])
    await theatre.client.workflow.getHandle(id).terminate('by hand');
  await theatre.ready();
}

test('terminated in the freeze: shown, put back, and the cluster is as before', async () => {
  await until(1, BEFORE_MOVE);
  const refused = await theatre.belay('reconcile', play.cluster, '--yes');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/already being upgraded/)]);
  const held = await theatre.belay('reconcile', play.cluster);
  expect(held.stdout).toMatch(/LEFT: NodePool default, frozen by .+\n {4}a run is at work on the cluster and holds it/);
  await terminate();
  expect(play.stage.built.diff()).not.toEqual([]);
  const shown = await theatre.belay('reconcile', play.cluster);
  expect(shown.stdout).toMatch(
    /would restore: NodePool default, frozen by .+\nNothing was changed\. "belay reconcile small-1 --yes" restores it/,
  );
  expect(play.stage.built.diff()).not.toEqual([]);
  const done = await theatre.belay('reconcile', play.cluster, '--yes', '--reason', 'the run was terminated');
  expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/- restored: NodePool default, frozen by /)]);
  await expectRestored(play);
  expect((await theatre.belay('reconcile', play.cluster)).stdout).toBe('Runs have left nothing behind on small-1.\n');
});

test('terminated when the control plane had moved: the freeze stays until people say --roll', async () => {
  await until(2, AFTER_MOVE);
  await terminate();
  const kept = await theatre.belay('reconcile', play.cluster, '--yes');
  expect(kept.stdout).toMatch(/LEFT: NodePool default, frozen by .+\n {4}the control plane is at 1\.32 and 3 nodes are not/);
  expect(play.stage.built.diff()).not.toEqual([]);
  expect(replacements(play)).toEqual([]);
  const offered = (): Message | undefined => theatre.slack.messages().find((message) => hasButton(message, 'reconcile/apply'));
  await theatre.slack.submitCommand(ALEX, `/eks-upgrade reconcile ${play.cluster} --roll`);
  const offer = await eventually('what is left is offered to the channel', offered);
  expect(JSON.stringify(offer.blocks)).toMatch(/would restore: NodePool default, frozen by /);
  await theatre.slack.click(EVE, offer.ts, 'reconcile/apply');
  expect(await eventually('Eve is told no', () => play.told(EVE)[1], 60_000)).toMatch(/approve/i);
  expect(replacements(play)).toEqual([]);
  await theatre.slack.click(SAM, offer.ts, 'reconcile/apply');
  await eventually('the button is gone', () => offered() === undefined, 60_000);
  await expectRestored(play);
});

test('a run that has ended: the thread has the lines to change in Git, and reconcile says whether they are there', async () => {
  play = await theatre.play('argo-1');
  await play.start();
  expect(await play.closed(420_000)).toBe('COMPLETED');
  const told = await play.says(/To change in Git/);
  expect(told).toMatch(/Application argocd\/karpenter, where it says karpenter 1\.1\.10/);
  expect(told).toContain('targetRevision: "1.2.8"');
  expect(told).toMatch(/Not merged yet, as far as could be seen when the run ended[^]*UNKNOWN: Application argocd\/karpenter: nothing on/);
  const look = async (): Promise<string> => (await theatre.belay('reconcile', play.cluster)).stdout;
  expect(await look()).toMatch(
    /^Runs have left nothing behind on argo-1\.\n[^]*UNKNOWN: Application argocd\/karpenter\n {4}nothing on applications\/karpenter tells/,
  );
  const apply = (targetRevision: string): void =>
    void play.world.store.update('applications', 'karpenter', 'argocd', (copy) => {
      const says = JSON.stringify({ spec: { source: { targetRevision } } });
      copy.metadata.annotations = { ...copy.metadata.annotations, 'kubectl.kubernetes.io/last-applied-configuration': says };
    });
  apply('1.1.10');
  expect(await look()).toMatch(/NOT MERGED: Application argocd\/karpenter\n.+was last applied as 1\.1\.10: the next apply takes it back/);
  apply('1.2.8');
  expect(await look()).toMatch(/- merged: Application argocd\/karpenter\n/);
  play.world.store.update('applications', 'karpenter', 'argocd', (copy) => void (copy.spec.source.targetRevision = '1.1.10'));
  expect(await look()).toMatch(/REVERTED: Application argocd\/karpenter\n.+says 1\.1\.10, not 1\.2\.8/);
}, 1_800_000);
