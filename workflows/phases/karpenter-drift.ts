/** Karpenter replaces its nodes, paced by budgets that the guard replaces step by step; nodes that cannot move are a question for people. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { DriftOutcome } from '../../activities/contract.ts';
import { paceWords } from '../opening-words.ts';
import { asPhaseFailure, paramsOf, Phase, phaseFailed, type PhaseInput, type PhaseResult } from '../phase.ts';
import { AmiMoves } from './ami-moves.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { FreezeControl } from './freeze-control.ts';

export async function karpenterDrift(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  const freeze = new FreezeControl(input.freezeGuard, input.policy.timing.apiWeatherMs);
  const blocked = new BlockedNodes(phase);
  const amis = new AmiMoves(phase);
  return phase.run(async () => {
    const { to, paces, nodeCount, heldClasses = [] } = paramsOf(input, 'karpenter-drift');
    let replaced = 0;
    try {
      if (heldClasses.length > 0) await releaseAmis(phase, heldClasses);
      const left = await amis.make();
      replaced = await roll(phase, freeze, blocked, to, paces, nodeCount, left);
    } catch (error) {
      // Stopped halfway: nodes lag behind the control plane, so Karpenter must not go on by itself.
      await CancellationScope.nonCancellable(async () => {
        phase.now('Stopping: drift is frozen again, and what was done for blocked nodes is undone.');
        // Each on its own: one that fails must not keep the other from being done, nor hide why the step ends.
        await freeze.pace('0').catch((problem: unknown) => sayNotFrozen(phase, problem));
        await blocked.restoreAll();
        if (isCancellation(error)) amis.sayKept();
      });
      if (!isCancellation(error)) await amis.offerUndo(error);
      throw error;
    }
    await CancellationScope.nonCancellable(async () => {
      await blocked.restoreAll();
      await amis.forget();
      await freeze.lift(`all ${replaced} Karpenter nodes are at ${to}`);
    });
    const skipped = blocked.skipped.length === 0 ? '' : `, skipped: ${blocked.skipped.join(', ')}`;
    return {
      summary: `${replaced} Karpenter nodes at ${to}${skipped}`,
      evidence: [{ title: 'Karpenter drift', lines: [`${replaced} nodes replaced${skipped}`] }],
    };
  });
}

/** An earlier run has pinned the classes to their images: while they are, nothing drifts. The freeze still holds when they are let go. */
async function releaseAmis(phase: Phase, heldClasses: string[]): Promise<void> {
  const { released, failed } = await phase.activities.quick.releaseAmis.executeWithOptions(
    { summary: `Release the AMIs of ${heldClasses.join(', ')}` },
    [{ cluster: phase.cluster }],
  );
  if (failed.length > 0) throw phaseFailed(`Releasing held AMIs: ${failed.map((f) => `${f.nodeClass}: ${f.why}`).join('; ')}`);
  if (released.length > 0) phase.announcer.note(`AMIs that an earlier run had held are released on ${released.join(', ')}.`);
}

function sayNotFrozen(phase: Phase, problem: unknown): void {
  const why = asPhaseFailure('freezing', problem).message;
  phase.notRestored(
    { what: 'freeze of Karpenter drift', why },
    `drift could not be frozen again: ${why}. Karpenter may go on replacing nodes at its last pace.`,
  );
}

/** Each pace is watched for a while before the next, faster one; the last until the end. */
async function roll(
  phase: Phase,
  freeze: FreezeControl,
  blocked: BlockedNodes,
  to: string,
  paces: string[],
  nodeCount: number,
  left: string[],
): Promise<number> {
  const { pinnedPools = [] } = paramsOf(phase.input, 'karpenter-drift');
  const startedAt = new Date().toISOString();
  let soFar = '';
  for (const [index, pace] of paces.entries()) {
    const last = index === paces.length - 1;
    const paced = await freeze.pace(pace);
    const pacedAtMs = Date.now();
    phase.now(`${paceWords({ paces, nodeCount }, index)}${soFar}`, paced ? { freeze: { state: 'pacing', note: pace } } : {});
    for (;;) {
      const outcome = await phase.activities.watch.watchDrift.executeWithOptions({ summary: `Watch drift at ${pace}` }, [
        {
          ...phase.target,
          to,
          // While people decide about a blocked node the others go on at this pace, so that counts.
          watchMs: last ? undefined : Math.max(1, phase.timing.paceStepMs - (Date.now() - pacedAtMs)),
          ignoreNodes: blocked.skipped,
          ignorePools: [...pinnedPools, ...left],
          startedAt,
        },
      ]);
      const next = await answer(phase, blocked, outcome, to);
      soFar = ` ${outcome.replacedCount} nodes are at ${to}, ${outcome.remainingCount} to go.`;
      if (next === 'done') return outcome.replacedCount;
      if (next === 'next-pace') break;
    }
  }
  throw phaseFailed(`Replacing Karpenter nodes for ${to}: no pace is left and nodes remain`);
}

async function answer(phase: Phase, blocked: BlockedNodes, outcome: DriftOutcome, to: string): Promise<'done' | 'next-pace' | 'watch'> {
  switch (outcome.kind) {
    case 'done':
      return 'done';
    case 'pace-elapsed':
      return 'next-pace';
    case 'blocked':
      phase.now(`${outcome.replacedCount} nodes are at ${to}, ${outcome.remainingCount} to go; one cannot be replaced.`);
      await blocked.ask(outcome.node, outcome.replacedCount, outcome.remainingCount);
      return 'watch';
    case 'unhealthy':
      throw phaseFailed(`Replacing Karpenter nodes for ${to}: ${outcome.why}; drift is frozen again`, progress(outcome));
    case 'timed-out':
      throw phaseFailed(
        `Replacing Karpenter nodes for ${to}: not finished in time, ${outcome.remainingCount} remain; drift is frozen again`,
        progress(outcome),
      );
  }
}

function progress(outcome: { replacedCount: number; remainingCount: number }): { title: string; lines: string[] }[] {
  return [{ title: 'Progress', lines: [`${outcome.replacedCount} nodes replaced, ${outcome.remainingCount} remain`] }];
}
