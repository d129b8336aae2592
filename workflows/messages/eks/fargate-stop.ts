/** What runs on Fargate and is newer is stopped while a control plane goes back: asked for, and started again however the step ends. */
import { about, agree, count, objectTitle, someOf } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { FargateBack, FargateWorkload } from '../../../domain/plan/rollback/evidence.ts';
import { keptWords } from '../../../domain/plan/rollback/fargate.ts';
import { alarm, type GateText, info, type Note, warning } from '../note.ts';

const LINES = 20;

/** `to`: the minor that the control plane goes back to. `expectedMs`: how long they are down. */
export function stopFargateGate(found: FargateBack, { to, expectedMs }: { to: string; expectedMs: number }): GateText {
  const { workloads, podCount, dns } = found;
  const what = count(workloads.length, 'workload');
  return {
    title: `Take ${what} on Fargate DOWN until the control plane is back at ${to}?`,
    next: `${count(podCount, 'pod')} on Fargate ${agree(podCount, 'is', 'are')} newer than ${to}, and any pod that starts there now would be too. Their owners are scaled to 0, and scaled back once the control plane is back. Expect ${about(expectedMs)} DOWN.${dns ? ' CoreDNS is among them: no name resolves in the whole cluster meanwhile.' : ''}`,
    evidence: evidenceOf(found),
    undo: 'An abort, a failure and the end of the step start them again with their current replicas (annotation belay.dev/fargate-replicas-before on each; belay reconcile finds them).',
    choices: [
      { id: 'approve', label: 'Take them down', style: 'danger', needsReason: true, does: `Scales ${what} to 0.` },
      { id: 'reject', label: 'Not now', does: 'Leaves them running; the step fails, and you are asked what to do next.' },
    ],
  };
}

function evidenceOf({ workloads, cronJobs, budgets }: FargateBack): GateEvidence[] {
  const down = workloads.slice(0, LINES).map(lineOf);
  const more = workloads.length > LINES ? [`and ${workloads.length - LINES} more`] : [];
  const beside = [
    ...(keptWords(workloads) === '' ? [] : [keptWords(workloads).trim()]),
    ...(cronJobs.length === 0 ? [] : [`CronJobs may start newer pods in the meantime: suspend ${someOf(cronJobs)}`]),
    ...(budgets.length === 0 ? [] : [`PodDisruptionBudgets do not prevent this: ${someOf(budgets)}`]),
  ];
  return [{ title: 'DOWN', lines: [...down, ...more] }, ...(beside.length === 0 ? [] : [{ title: 'Note', lines: beside }])];
}

function lineOf(workload: FargateWorkload): string {
  const { replicas, autoscaler } = workload;
  const scaler = autoscaler === undefined ? '' : `; HorizontalPodAutoscaler ${autoscaler} is paused at 0`;
  return `${objectTitle(workload)}, ${count(replicas, 'replica')}${scaler}`;
}

export const stoppingFargate = (): string => 'Scaling the workloads on Fargate to 0.';

/** `stopped`: some of them. */
export const fargateStopped = (stopped: readonly string[], stoppedCount: number, to: string): Note =>
  warning(
    `DOWN until the control plane is back at ${to}: ${stoppedCount > stopped.length ? count(stoppedCount, 'workload') : someOf(stopped)} on Fargate.`,
  );

export const awaitingFargateStopped = (to: string): string => `Waiting until nothing on Fargate is newer than ${to}.`;

/** `stopsAgain`: Belay can stop all of them. */
export const fargateStartedMeanwhile = (names: readonly string[], stopsAgain: boolean): Note =>
  warning(
    `${someOf(names)} on Fargate started while the control plane was rolling back, with a kubelet newer than it.${
      stopsAgain
        ? ` Belay stops ${agree(names.length, 'it', 'them')} again.`
        : ' Have these pods recreated once the control plane is back; the run does not wait for that.'
    }`,
  );

export const awaitingFargateStarted = (): string => 'Waiting until the workloads on Fargate are Ready again.';

export const fargateStarted = (startedCount: number): Note =>
  info(`${count(startedCount, 'workload')} on Fargate ${agree(startedCount, 'runs', 'run')} again.`);

export const fargateScaledByOthers = (workload: string): Note =>
  warning(`${workload} on Fargate was scaled by somebody else meanwhile; Belay left it alone.`);

export const fargateNotReady = (left: readonly string[]): Note =>
  alarm(`ALARM: started again on Fargate but not Ready: ${someOf(left)}. Look at their pods now; the run does not wait for them.`);

export const fargateWorkloadStillDown = (workload: string, why: string): Note =>
  alarm(`ALARM: ${workload} is still DOWN, because it could not be started again: ${why}`);

export const fargateStillDown = (cluster: string, why: string): Note =>
  alarm(
    `ALARM: the workloads that Belay stopped on Fargate could not be started again: ${why}. They are DOWN until you start them: belay reconcile ${cluster} --yes`,
  );
