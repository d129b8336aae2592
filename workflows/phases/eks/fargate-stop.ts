/** What runs on Fargate and is newer stands still while a control plane goes back: asked for by name, and started again on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { type FargateStop, keptWords } from '../../../domain/plan/rollback/fargate.ts';
import { about, agree, count, objectTitle, someOf } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { FargateBack, FargateWorkload } from '../../../domain/plan/rollback/evidence.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

interface Stop {
  to: string;
  planned: FargateStop;
  /** How long it is expected to last, in milliseconds. */
  expectedMs: number;
}

const LINES = 20;

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
  const what = count(found.workloads.length, 'workload');
  refuse(
    to,
    found.dns && planned.dns !== true ? [...found.stuck, { workload: 'CoreDNS', why: 'The plan does not stop cluster DNS' }] : found.stuck,
  );
  const state = await phase.gates.ask({
    id: gateId('change', step.id, round, 'fargate'),
    step: step.id,
    title: `Take ${what} on Fargate DOWN until the control plane is back at ${to}?`,
    next: `${count(found.podCount, 'pod')} on Fargate ${agree(found.podCount, 'is', 'are')} newer than ${to}, and whatever starts there now would be, too: what owns them is scaled to 0, and back when the control plane is. Expect ${about(expectedMs)} DOWN.${found.dns ? ' CoreDNS is among them: no name resolves in the whole cluster meanwhile.' : ''}`,
    evidence: evidenceOf(found),
    undo: 'An abort, a failure and the end of the step start them again with the replicas that they have now (annotation belay.dev/fargate-replicas-before on each; belay reconcile finds them).',
    choices: [
      { ...CHOICES.approve, label: 'Take them down', style: 'danger', needsReason: true, does: `Scales ${what} to 0.` },
      { id: 'reject', label: 'Not now', does: 'Leaves them; the step fails, and you are asked what to do next.' },
    ],
  });
  if (state.kind !== 'decided') throw phaseFailed(`Stopping what runs on Fargate: nobody decided in time, and nothing was stopped`);
  if (state.decision.choice === 'reject') throw phaseFailed('Stopping what runs on Fargate: people said no, and nothing was stopped');
}

function refuse(to: string, stuck: FargateBack['stuck']): void {
  const [first] = stuck;
  if (first === undefined) return;
  const lines = stuck.slice(0, 5).map(({ workload, why }) => `${workload}: ${why}`);
  throw phaseFailed(
    `The way back to ${to}: Belay does not stop ${someOf(stuck.map(({ workload }) => workload))} on Fargate, and has stopped nothing. ${first.why}.`,
    [{ title: 'Not stopped', lines }],
  );
}

function evidenceOf({ workloads, cronJobs, budgets }: FargateBack): GateEvidence[] {
  const down = workloads.slice(0, LINES).map(lineOf);
  const more = workloads.length > LINES ? [`and ${workloads.length - LINES} more`] : [];
  const beside = [
    ...(keptWords(workloads) === '' ? [] : [keptWords(workloads).trim()]),
    ...(cronJobs.length === 0 ? [] : [`CronJobs there may start newer pods meanwhile: suspend ${someOf(cronJobs)}`]),
    ...(budgets.length === 0 ? [] : [`PodDisruptionBudgets do not hold this back: ${someOf(budgets)}`]),
  ];
  return [{ title: 'DOWN', lines: [...down, ...more] }, ...(beside.length === 0 ? [] : [{ title: 'Mind', lines: beside }])];
}

function lineOf(workload: FargateWorkload): string {
  const { replicas, autoscaler } = workload;
  const scaler = autoscaler === undefined ? '' : `; HorizontalPodAutoscaler ${autoscaler} stands still at 0`;
  return `${objectTitle(workload)}, ${count(replicas, 'replica')}${scaler}`;
}

async function halt(phase: Phase, { to, planned }: Stop, isThere: boolean): Promise<void> {
  if (isThere) {
    phase.now('Scaling what runs on Fargate to 0.');
    // An abort between sending and recording must still find them stopped, so it is not cancellable.
    const { stopped, stoppedCount, stuck } = await CancellationScope.nonCancellable(() =>
      phase.activities.survey.stopFargate.executeWithOptions({ summary: 'Stop what runs on Fargate' }, [
        { cluster: phase.cluster, to, dns: planned.dns === true },
      ]),
    );
    refuse(to, stuck);
    const names = stoppedCount > stopped.length ? count(stoppedCount, 'workload') : someOf(stopped);
    phase.announcer.note(`DOWN until the control plane is back at ${to}: ${names} on Fargate.`, { level: 'warning' });
  }
  phase.now(`Waiting until nothing on Fargate is newer than ${to}.`);
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
  phase.announcer.note(
    `${someOf(names)} on Fargate ${agree(names.length, 'was', 'were')} started while the control plane went back, on a kubelet that is newer than it.${stuck.length === 0 ? ` Belay stops ${agree(names.length, 'it', 'them')} once more.` : ' Have these pods made again.'}`,
    { level: 'warning' },
  );
  if (stuck.length === 0) await halt(phase, stop, true);
}

async function start(phase: Phase): Promise<void> {
  try {
    const { startedCount, changedByOthers, failed } = await phase.activities.owed.startFargate.executeWithOptions(
      { summary: 'Start what ran on Fargate again' },
      [{ cluster: phase.cluster }],
    );
    for (const { workload, why } of failed)
      phase.notRestored({ what: `replicas of ${workload}`, why }, `${workload} is still DOWN, it could not be started again: ${why}`);
    for (const workload of changedByOthers)
      phase.announcer.note(`${workload} on Fargate: somebody else scaled it meanwhile, so it was left alone.`, { level: 'warning' });
    if (startedCount + changedByOthers.length === 0) return;
    phase.now('Waiting until what runs on Fargate is Ready again.');
    const { timedOut, left } = await phase.activities.watch.awaitFargateStarted.executeWithOptions(
      { summary: 'Wait until what runs on Fargate is Ready' },
      [phase.target],
    );
    if (timedOut)
      phase.announcer.note(`ALARM: started again on Fargate, and not Ready: ${someOf(left)}.`, { level: 'alarm', broadcast: true });
    else if (startedCount > 0)
      phase.announcer.note(`${count(startedCount, 'workload')} on Fargate ${agree(startedCount, 'runs', 'run')} again.`);
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored(
      { what: 'replicas of what runs on Fargate', why },
      `What Belay has stopped on Fargate could not be started again: ${why}. belay reconcile ${phase.cluster.name} --yes does it.`,
    );
  }
}
