/** EKS Auto Mode goes back: its nodes first, also where the worker is killed; and an abort while they do leaves the control plane where it was. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { autoModeBack } from '../../rehearsal/scenarios/nodes/auto-mode.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { type Play, SAM } from './support/play.ts';
import { rehearsed } from './support/rehearsal.ts';
import { houses, Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

const LIMIT_MS = 720_000;
const DAY_MS = 24 * 3_600_000;

const minors = (world: World): string[] => [...new Set(world.store.list('nodes').map(kubeletMinor))].toSorted();

describe('to the end', () => {
  test(
    'the worker is killed right after EKS was asked: it is asked once, nodes go before the control plane, and all is as it was',
    async () => {
      const run = await rehearsed({ scenario: 'auto-mode-back', kills: ['worker@control-plane-back'], speed: 200 });
      const { report, world } = run;
      expect([run.ok, run.why]).toEqual([true, '']);
      expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
      expect(report.killed).toMatchObject([{ process: 'worker', at: 'control-plane-back' }]);
      expect(report.steps.map(({ id }) => id)).toEqual(['rollback-checks@1.31', 'control-plane-back@1.31', 'validation@1.31']);
      expect(world.eks.updates.map(({ type, status }) => `${type} ${status}`)).toEqual([
        'VersionUpdate Successful',
        'VersionRollback Successful',
      ]);
      expect(world.eks.updates[1]?.nodesTimeoutMs).toBe(12 * 3_600_000);
      expect([world.eks.cluster.version, minors(world)]).toEqual(['1.31', ['1.31']]);
      expect(run.budgets.after).toEqual(run.budgets.before);
      expect(run.thread.join('\n')).toContain('EKS first replaces 5 nodes of Auto Mode by older ones');
    },
    LIMIT_MS,
  );
});

describe('aborted while nodes go back', () => {
  let theatre: Theatre;
  let play: Play;
  let count = 0;
  beforeAll(async () => {
    // Each node takes so long that some are still to go when the abort arrives.
    const slow = { ...autoModeBack, from: '1.32', to: '1.31', tempo: { ...autoModeBack.tempo, podStartMs: 240_000 } };
    theatre = await Theatre.open({ ...houses('auto', 2, { scenario: slow }) }, { speed: 120 });
  }, 360_000);
  afterEach(() => play.end());
  afterAll(() => theatre.close());

  /** A cluster that was moved up two days ago, and whose nodes have begun to go back. */
  async function untilNodesGo(): Promise<void> {
    count += 1;
    play = await theatre.play(`auto-${count}`);
    const { eks, clock } = play.world;
    const createdAtMs = clock.nowMs() - 2 * DAY_MS;
    eks.updates.push({
      id: 'up',
      resource: { kind: 'cluster' },
      type: 'VersionUpdate',
      status: 'Successful',
      params: [{ type: 'Version', value: eks.cluster.version }],
      createdAtMs,
      endedAtMs: createdAtMs + 600_000,
      errors: [],
    });
    await play.goBack();
    await eventually('a node is back', () => minors(play.world).length === 2, LIMIT_MS / 2);
  }

  function expectCancelledOnce(): void {
    const { world } = play;
    expect(world.eks.updates.at(-1)).toMatchObject({ type: 'VersionRollback', status: 'Cancelled' });
    expect(play.accepted().map(({ operation }) => operation)).toEqual(['UpdateClusterVersion', 'CancelUpdate']);
    expect([world.eks.cluster.version, world.eks.cluster.status]).toEqual(['1.32', 'ACTIVE']);
    expect(play.record()).toMatchObject({ outcome: 'aborted', leftBehind: [] });
  }

  test(
    'EKS cancels it, the control plane stays, and people are told what stands',
    async () => {
      await untilNodesGo();
      await play.pressBoard(SAM, 'abort');
      expect(await play.closed()).toBe('COMPLETED');
      expectCancelledOnce();
      // On a busy machine Auto Mode has already upgraded those that were back.
      await play.says(/is cancelled: the control plane stays at 1\.32\. Nodes now: (\d at 1\.31, )?\d at 1\.32/);
    },
    LIMIT_MS,
  );

  test(
    'the worker is killed between the request to cancel and its record: it is sent once',
    async () => {
      await untilNodesGo();
      const remove = play.world.journal.onMutation(({ operation }) => {
        if (operation !== 'CancelUpdate') return;
        remove();
        theatre.kill('worker');
      });
      await play.pressBoard(SAM, 'abort');
      expect(await play.closed()).toBe('COMPLETED');
      expectCancelledOnce();
    },
    LIMIT_MS,
  );
});
