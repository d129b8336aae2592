/** Karpenter replaces its nodes, paced by budgets that the guard replaces step by step; a gate asks about nodes that cannot move. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { DriftOutcome, DriftSeen } from '../../../activities/contract/karpenter.ts';
import {
  driftNotFrozenAgain,
  everyNodeAt,
  heldAmisReleased,
  nodesAt,
  nodesBlocked,
  poolsGone,
  poolsNotCounted,
  rollEnded,
  rollOver,
  rollStopped,
  stoppingRoll,
} from '../../messages/karpenter/drift.ts';
import { nodesReplaced } from '../../messages/nodes/nodes.ts';
import { Phase } from '../base/phase.ts';
import { AmiMoves } from './ami-changes.ts';
import { BlockedNodes } from '../nodes/blocked-nodes.ts';
import { DriftPace } from './pace.ts';
import { DriftWaves } from './node-waves.ts';
import { FreezeControl } from '../freeze/freeze-client.ts';
import { HeldNodes } from '../nodes/held-nodes.ts';
import { promoteLate } from './ami-promotion.ts';
import { withSpareIstiods } from '../nodes/spare-istiod.ts';
import { WaveWindow } from '../base/wave-window.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { asPhaseFailure, phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';
import { count } from '../../../domain/core/text.ts';

export async function karpenterDrift(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  const freeze = new FreezeControl(phase);
  const pace = new DriftPace(phase, freeze);
  const blocked = new BlockedNodes(phase);
  const held = new HeldNodes(phase, blocked, () => pace.lookAgain());
  const waves = new DriftWaves(phase);
  const amis = new AmiMoves(phase, paramsOf(input, 'karpenter-drift'));
  const { spareIstiod } = paramsOf(input, 'karpenter-drift');
  const frozen: Roll['frozen'] = [];
  return phase.run(() => withSpareIstiods(phase, spareIstiod, main));

  async function main(): Promise<PhaseResult> {
    const { to, heldClasses = [], back } = paramsOf(input, 'karpenter-drift');
    let replaced = 0;
    try {
      if (heldClasses.length > 0) await releaseAmis(phase, heldClasses);
      const left = await amis.make(await promoteLate(phase));
      replaced = await rollAll({ phase, pace, blocked, held, left, toldCount: 0, soFar: '', frozen }, waves);
    } catch (error) {
      // Stopped halfway: nodes lag behind the control plane, so Karpenter must not continue by itself.
      await CancellationScope.nonCancellable(async () => {
        phase.now(stoppingRoll());
        pace.end(rollStopped());
        // Each on its own: one that fails must not keep the other from being done, nor hide why the step ends.
        const frozen = await freeze.pace('0').then(
          () => true,
          (problem: unknown) => sayNotFrozen(phase, problem),
        );
        await held.end(rollOver(frozen ? 'frozen' : 'stopped'));
        await blocked.restoreAll();
        await waves.releaseAll(frozen);
        if (isCancellation(error)) amis.sayKept();
      });
      if (!isCancellation(error)) await amis.offerUndo(error);
      throw error;
    }
    await CancellationScope.nonCancellable(async () => {
      pace.end(rollEnded(replaced, to, back === true));
      await held.end(rollOver('done'));
      await blocked.restoreAll();
      // The control plane is still ahead: what was let go on would bring its nodes.
      if (back === true) return void (await freeze.pace('0'));
      await amis.forget();
      await freeze.lift(everyNodeAt(replaced, to));
    });
    const skipped = blocked.skipped.length === 0 ? '' : `, skipped: ${blocked.skipped.join(', ')}`;
    return {
      summary: `${count(replaced, 'Karpenter node')} at ${to}${skipped}`,
      evidence: [
        {
          title: 'Karpenter drift',
          lines: [`${count(replaced, 'node')} replaced${skipped}`],
          verdict: skipped === '' ? 'clear' : 'attention',
        },
      ],
      ...(back === true ? {} : { freezeLifted: true }),
      ...(frozen.length === 0 ? {} : { held: frozen }),
    };
  }
}

/** This run or an earlier one has pinned the classes to their images: while they are, nothing drifts. The freeze still holds when they are let go. */
async function releaseAmis(phase: Phase, heldClasses: string[]): Promise<void> {
  const { released, failed } = await phase.activities.quick.releaseAmis.executeWithOptions(
    { summary: `Release the AMIs of ${heldClasses.join(', ')}` },
    [{ cluster: phase.cluster }],
  );
  if (failed.length > 0) throw phaseFailed(`Releasing held AMIs: ${failed.map((f) => `${f.nodeClass}: ${f.why}`).join('; ')}`);
  if (released.length > 0) phase.announcer.note(heldAmisReleased(released));
}

function sayNotFrozen(phase: Phase, problem: unknown): false {
  const why = asPhaseFailure('freezing', problem).message;
  phase.notRestored({ what: 'freeze of Karpenter drift', why }, driftNotFrozenAgain(why), { saysHow: true });
  return false;
}

interface Roll {
  phase: Phase;
  pace: DriftPace;
  blocked: BlockedNodes;
  held: HeldNodes;
  /** Replaced nodes that the thread, the board and the status say. */
  toldCount: number;
  /** What the newest look has counted, in words. */
  soFar: string;
  /** Pools whose nodes people leave as they are. */
  left: string[];
  /** When nothing was to be replaced. */
  frozen: NonNullable<PhaseResult['held']>;
}

/** Wave by wave, where there are waves; at the end whatever is old is waited for, in no wave or come meanwhile. */
async function rollAll(rolling: Roll, waves: DriftWaves): Promise<number> {
  const all = await waves.hold();
  const window = new WaveWindow(rolling.phase);
  for (const [index, wave] of (all ?? []).entries()) {
    if (window.asks) await window.pass(waves.asked(wave, index));
    await waves.release(wave);
    await roll(rolling, true);
    await waves.settle(wave, all?.[index + 1], index);
  }
  return await roll(rolling, false);
}

/** Each pace of the plan is watched for a while before the next, faster one; the last, and one that people chose, until the end. */
async function roll(rolling: Roll, dueOnly: boolean): Promise<number> {
  const { phase, pace, blocked, held, left } = rolling;
  const { to, pinnedPools = [], nodePools, byImage, back } = paramsOf(phase.input, 'karpenter-drift');
  // On a way back nothing else is frozen, and EKS replaces Auto Mode's nodes after these.
  const onlyPools = back === true ? nodePools : undefined;
  let startedAtMs = Date.now();
  // What holds a node does so over news, paces and gates.
  let seen: DriftSeen | undefined;
  await pace.begin();
  for (;;) {
    held.throwIfFailed();
    // The time that people hold the roll is none in which it could have ended.
    if (pace.current === 'freeze') {
      const from = new Date().toISOString();
      startedAtMs += await pace.whileFrozen();
      rolling.frozen.push({ from, to: new Date().toISOString() });
    }
    const paceMs = pace.watchMs;
    const { againMs } = held;
    const watchMs = paceMs === undefined ? againMs : Math.min(paceMs, againMs ?? paceMs);
    const outcome = await pace.whileUnchanged(() =>
      phase.activities.watch.watchDrift.executeWithOptions({ summary: `Watch drift at ${pace.current}` }, [
        {
          ...phase.target,
          to,
          // While people decide about held nodes the others go on at this pace, so that counts.
          watchMs,
          ignoreNodes: blocked.skipped,
          ignorePools: [...pinnedPools, ...left],
          pools: nodePools,
          asked: held.asked,
          toldCount: rolling.toldCount,
          ...(dueOnly ? { dueOnly } : {}),
          ...defined({ onlyPools, byImage, seen }),
          ownerKeys: phase.input.policy.karpenter.ownerKeys,
          startedAt: new Date(startedAtMs).toISOString(),
        },
      ]),
    );
    if (outcome === undefined) continue;
    if ('seen' in outcome) ({ seen } = outcome);
    if (outcome.kind === 'pace-elapsed' && againMs !== undefined && (paceMs === undefined || againMs < paceMs)) {
      held.askAgain();
      continue;
    }
    pace.counted(outcome);
    rolling.soFar = nodesReplaced(outcome.replacedCount, outcome.remainingCount);
    const next = await answer(rolling, outcome, to);
    if (next === 'done') return outcome.replacedCount;
    if (next === 'next-pace') await pace.step(` ${nodesAt(to, outcome)}`);
  }
}

async function answer(rolling: Roll, outcome: DriftOutcome, to: string): Promise<'done' | 'next-pace' | 'watch'> {
  const { pace, held } = rolling;
  switch (outcome.kind) {
    case 'done':
      return 'done';
    case 'pace-elapsed':
      rolling.toldCount = outcome.replacedCount;
      return 'next-pace';
    case 'progress':
      rolling.toldCount = outcome.replacedCount;
      pace.tellCounts(outcome, nodesAt(to, outcome));
      return 'watch';
    case 'pools-gone':
      sayGone(rolling, outcome.pools);
      pace.tellCounts(outcome, poolsNotCounted(outcome.pools, to, outcome));
      return 'watch';
    case 'freed':
      await held.freed();
      return 'watch';
    case 'blocked': {
      const { node, more = [] } = outcome;
      const nodes = [node, ...more] as const;
      if (held.isNews(nodes)) {
        // The board counts what the gate that opens now counts.
        rolling.toldCount = outcome.replacedCount;
        pace.tellCounts(outcome, nodesBlocked(to, outcome, nodes.length));
      }
      await pace.whileUnchanged(() => held.hear(nodes, () => rolling.soFar));
      return 'watch';
    }
    case 'unhealthy':
      throw phaseFailed(`Replacing Karpenter nodes for ${to}: ${outcome.why}; drift is frozen again`, progress(outcome));
    case 'timed-out':
      throw phaseFailed(
        `Replacing Karpenter nodes for ${to}: not finished in time, ${outcome.remainingCount} remain; drift is frozen again`,
        progress(outcome),
      );
  }
}

/** Karpenter removes the nodes of a NodePool that is deleted, at no pace: that cannot be waited for, and not be frozen. */
function sayGone({ phase, left }: Roll, pools: string[]): void {
  left.push(...pools);
  phase.announcer.note(poolsGone(pools));
}

function progress(outcome: { replacedCount: number; remainingCount: number }): { title: string; lines: string[] }[] {
  return [
    {
      title: 'Progress',
      lines: [`${nodesReplaced(outcome.replacedCount, outcome.remainingCount)}; drift is frozen again`],
    },
  ];
}
