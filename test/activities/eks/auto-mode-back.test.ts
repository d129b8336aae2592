/** A rollback on Auto Mode against the twin, over the wire: its two parts told apart, and cancelled at most once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CancelUpdateCommand } from '@aws-sdk/client-eks';
import { createEksActivities } from '../../../activities/eks/index.ts';
import { createRollbackPlanActivities } from '../../../activities/run/planning/plan-rollback.ts';
import { policy } from '../../support/facts.ts';
import { QUICK } from '../support/timing.ts';
import { movedUp } from '../support/moved-up.ts';
import { startTwin, type Twin } from '../support/twin.ts';

let twin: Twin;
/** Auto Mode at 1.31 for two days, nodes too. */
beforeEach(async () => {
  twin = await startTwin('auto-mode');
  movedUp(twin, '1.31', 2);
});
afterEach(() => twin.close());

const timing = { ...policy().timing, ...QUICK };
const acts = () => createEksActivities(twin.clients);
const update = () => twin.built.world.eks.updates.find(({ type }) => type === 'VersionRollback');
const sent = (): string[] => twin.built.world.journal.mutations.filter(({ accepted }) => accepted).map(({ operation }) => operation);

async function begin(): Promise<string> {
  const notBefore = twin.built.world.clock.now().toISOString();
  const input = { cluster: twin.ref, to: '1.30', token: 'belay', notBefore, back: true as const, nodesTimeoutMinutes: 180 };
  return (await acts().startControlPlaneUpdate(input)).updateId ?? '';
}
const watch = (updateId: string, tellAt: number) =>
  acts().watchNodesBack({ cluster: twin.ref, timing, updateId, to: '1.30', tellAt, timeoutMs: 5_000 });
const cancel = (updateId: string, token = 'stop') => acts().cancelRollback({ cluster: twin.ref, updateId, token });

describe('a rollback on Auto Mode', () => {
  test('its plan has one step for both, and EKS is told how long its nodes may take', async () => {
    const result = await createRollbackPlanActivities({
      ...twin.clients,
      store: { newest: async () => [], read: async () => undefined },
    }).planRollback({
      cluster: twin.ref,
      policy: policy({ cluster: twin.ref, timing }),
    });
    expect(result).toMatchObject({ kind: 'plan' });
    if (result.kind === 'plan')
      expect(result.plan.steps.find(({ phase }) => phase === 'control-plane-back')?.params).toMatchObject({ autoMode: { nodeCount: 5 } });
    await begin();
    expect(update()).toMatchObject({ nodesTimeoutMs: 180 * 60_000, nodesFirst: true });
  });

  test('nodes first, while the cluster stays ACTIVE; then the control plane; then the end', async () => {
    const id = await begin();
    expect(await watch(id, 5)).toEqual({ kind: 'progress', leftCount: expect.any(Number) });
    const { cluster } = twin.built.world.eks;
    cluster.status = 'UPDATING';
    expect(await watch(id, -1)).toEqual({ kind: 'moving' });
    cluster.status = 'ACTIVE';
    Object.assign(update() ?? {}, { status: 'Failed' });
    expect(await watch(id, -1)).toEqual({ kind: 'ended' });
  });

  test('a cancellation whose answer was lost is found, not sent again', async () => {
    const id = await begin();
    expect(await cancel(id)).toEqual({ outcome: 'cancelling' });
    expect(await cancel(id, 'another')).toEqual({ outcome: expect.stringMatching(/cancelling|ended/) });
    expect(sent().filter((operation) => operation === 'CancelUpdate')).toHaveLength(1);
  });

  test("somebody else's cancellation is as good", async () => {
    const id = await begin();
    await twin.clients.aws(twin.ref).eks.send(new CancelUpdateCommand({ name: twin.ref.name, updateId: id }));
    expect(await cancel(id)).toEqual({ outcome: expect.stringMatching(/cancelling|ended/) });
    expect(sent().filter((operation) => operation === 'CancelUpdate')).toHaveLength(1);
  });

  test('once the control plane moves EKS refuses, and that is the answer', async () => {
    const id = await begin();
    Object.assign(update() ?? {}, { nodesFirst: false, controlPlaneFromMs: twin.built.world.clock.nowMs() });
    expect(await cancel(id)).toEqual({ outcome: 'too-late' });
  });

  test.each([
    ['somebody else cancels it in the same moment', { cancellation: { status: 'InProgress' } }, 'cancelling'],
    ['it ends in the same moment', { status: 'Failed' }, 'ended'],
  ])('%s: what it has come to is the answer, not the refusal', async (_title, now, outcome) => {
    const id = await begin();
    // Nothing else goes on in the world.
    twin.built.stop();
    twin.grant({
      aws: (action) => {
        if (action === 'eks:CancelUpdate') Object.assign(update() ?? {}, now);
        return action !== 'eks:CancelUpdate';
      },
    });
    expect(await cancel(id)).toEqual({ outcome });
  });

  test('one that EKS says is Cancelling has not ended: it is watched on, and not cancelled again', async () => {
    const id = await begin();
    twin.built.stop();
    Object.assign(update() ?? {}, { status: 'Cancelling' });
    expect(await watch(id, 5)).toMatchObject({ kind: 'progress' });
    expect(await cancel(id)).toEqual({ outcome: 'cancelling' });
    expect(sent()).not.toContain('CancelUpdate');
  });

  test('one that has ended is not cancelled any more', async () => {
    const id = await begin();
    Object.assign(update() ?? {}, { status: 'Successful' });
    expect(await cancel(id)).toEqual({ outcome: 'ended' });
    expect(sent()).not.toContain('CancelUpdate');
  });

  test('a right that is missing is told: the rollback goes on', async () => {
    const id = await begin();
    twin.grant({ aws: (action) => action !== 'eks:CancelUpdate' });
    await expect(cancel(id)).rejects.toThrow(/eks:CancelUpdate/);
  });

  test('an update that EKS does not know is no success', async () => {
    await expect(cancel('nobody')).rejects.toThrow(/EKS does not know it/);
  });
});
