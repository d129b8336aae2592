/** What runs on Fargate and is newer stands still while a control plane goes back: asked for by name, and started again on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import type { FargateStop } from '../../../domain/plan/rollback/fargate.ts';
import { agree, objectTitle, someOf } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import {
  awaitingFargateStarted,
  awaitingFargateStopped,
  fargateNotReady,
  fargateScaledByOthers,
  fargateStarted,
  fargateStartedMeanwhile,
  fargateStillDown,
  fargateStopped,
  fargateWorkloadStillDown,
  stopFargateGate,
  stoppingFargate,
} from '../../messages/eks/fargate-stop.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { FargateBack } from '../../../domain/plan/rollback/evidence.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

interface Stop {
  to: string;
  planned: FargateStop;
  /** How long it is expected to last, in milliseconds. */
  expectedMs: number;
}

/** Runs `work` while nothing on Fargate is newer than `to`. */
export async function withFargateStopped<T>(phase: Phase, stop: Stop, work: () => Promise<T>): Promise<T> {
  const found = await phase.activities.survey.readFargateBack.executeWithOptions({ summary: 'What on Fargate is newer?' }, [
    { cluster: phase.cluster, to: stop.to },
  ]);
  // Of an earlier round, or whoever owns them has done it.
  if (found.podCount > 0) await agreeToStop(phase, stop, found);
  try {
    await halt(phase, stop, found.podCount > 0);
    const result = await work();
    await haltAgain(phase, stop);
    return result;
  } finally {
    await CancellationScope.nonCancellable(() => start(phase));
  }
}

async function agreeToStop(phase: Phase, { to, planned, expectedMs }: Stop, found: FargateBack): Promise<void> {
  const { step, round } = phase.input;
  refuse(
    to,
    found.dns && planned.dns !== true ? [...found.stuck, { workload: 'CoreDNS', why: 'The plan does not stop cluster DNS' }] : found.stuck,
  );
  const state = await phase.gates.ask({
    ...stopFargateGate(found, { to, expectedMs }),
    id: gateId('change', step.id, round, 'fargate'),
    step: step.id,
  });
  if (state.kind !== 'decided') throw phaseFailed('Stopping what runs on Fargate: nobody decided in time; nothing was stopped');
  if (state.decision.choice === 'reject') throw phaseFailed('Stopping what runs on Fargate: rejected; nothing was stopped');
}

function refuse(to: string, stuck: FargateBack['stuck']): void {
  const [first] = stuck;
  if (first === undefined) return;
  const lines = stuck.slice(0, 5).map(({ workload, why }) => `${workload}: ${why}`);
  throw phaseFailed(
    `Rollback to ${to}: Belay does not stop ${someOf(stuck.map(({ workload }) => workload))} on Fargate, and has stopped nothing. ${first.why}.`,
    [{ title: 'Not stopped', lines }],
  );
}

async function halt(phase: Phase, { to, planned }: Stop, isThere: boolean): Promise<void> {
  if (isThere) {
    phase.now(stoppingFargate());
    // An abort between sending and recording must still find them stopped, so it is not cancellable.
    const { stopped, stoppedCount, stuck } = await CancellationScope.nonCancellable(() =>
      phase.activities.survey.stopFargate.executeWithOptions({ summary: 'Stop what runs on Fargate' }, [
        { cluster: phase.cluster, to, dns: planned.dns === true },
      ]),
    );
    refuse(to, stuck);
    phase.announcer.note(fargateStopped(stopped, stoppedCount, to));
  }
  phase.now(awaitingFargateStopped(to));
  const { timedOut, left } = await phase.activities.watch.awaitFargateStopped.executeWithOptions(
    { summary: 'Wait until nothing on Fargate is newer' },
    [{ ...phase.target, to }],
  );
  if (timedOut)
    throw phaseFailed(`Stopping what runs on Fargate: ${someOf(left, 3)} ${agree(left.length, 'is', 'are')} still there`, [
      { title: 'Still there', lines: left.slice(0, 5) },
    ]);
}

/** What somebody has started meanwhile is newer than the control plane by now: it stands still once more, and what starts then is as old as that. */
async function haltAgain(phase: Phase, stop: Stop): Promise<void> {
  const summary = 'Has anything started on Fargate meanwhile?';
  const { podCount, workloads, stuck } = await phase.activities.survey.readFargateBack.executeWithOptions({ summary }, [
    { cluster: phase.cluster, to: stop.to, placed: true },
  ]);
  if (podCount === 0) return;
  const names = [...workloads.map(objectTitle), ...stuck.map(({ workload }) => workload)];
  phase.announcer.note(fargateStartedMeanwhile(names, stuck.length === 0));
  if (stuck.length === 0) await halt(phase, stop, true);
}

async function start(phase: Phase): Promise<void> {
  try {
    const { startedCount, changedByOthers, failed } = await phase.activities.owed.startFargate.executeWithOptions(
      { summary: 'Start what ran on Fargate again' },
      [{ cluster: phase.cluster }],
    );
    for (const { workload, why } of failed)
      phase.notRestored({ what: `replicas of ${workload}`, why }, fargateWorkloadStillDown(workload, why));
    for (const workload of changedByOthers) phase.announcer.note(fargateScaledByOthers(workload));
    if (startedCount + changedByOthers.length === 0) return;
    phase.now(awaitingFargateStarted());
    const { timedOut, left } = await phase.activities.keep.awaitFargateStarted.executeWithOptions(
      { summary: 'Wait until what runs on Fargate is Ready' },
      [phase.target],
    );
    if (timedOut) phase.announcer.note(fargateNotReady(left));
    else if (startedCount > 0) phase.announcer.note(fargateStarted(startedCount));
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: 'replicas of what runs on Fargate', why }, fargateStillDown(phase.cluster.name, why), { saysHow: true });
  }
}
