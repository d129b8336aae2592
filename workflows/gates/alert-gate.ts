/** Parks a run before what cannot be undone while alerts fire: it continues once they are resolved, unless somebody decides otherwise before. */
import { isCancellation } from '@temporalio/workflow';
import type { AlertVerdict } from '../../domain/health/alerts.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { Timing } from '../../domain/policy/policy.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { park } from './park.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { alertsGate, alertsProblem, alertsResolved, parkedByAlerts } from '../messages/health.ts';

interface AlertContext {
  gates: Pick<Gatekeeper, 'ask'>;
  activities: PhaseActivities;
  target: { cluster: ClusterRef; timing: Timing };
  ignore: string[];
  /** Said while it is parked. */
  say: (headline: string) => void;
}

/** `stopped`: by whoever ends the run, or by nobody before the gate expired. */
type AlertPass =
  /** `anyway`: although alerts fire. */
  | { kind: 'go'; parked: boolean; anyway?: true }
  | { kind: 'stopped'; state: Extract<GateState, { kind: 'decided' | 'expired' }>; why: string };

/** `round`: counts the gates of the step. `seen`: what was seen just now. */
export async function passAlerts(
  step: PlannedStep,
  context: AlertContext,
  round: () => number,
  seen: AlertVerdict | undefined,
): Promise<AlertPass> {
  for (let parked = false; ; parked = true) {
    const verdict = parked || seen === undefined ? await judge(step, context) : seen;
    if (verdict.kind === 'quiet') return { kind: 'go', parked };
    const { gates, activities, target, ignore, say } = context;
    say(parkedByAlerts(step.title, verdict));
    const state = await park({
      gates,
      watch: () => activities.watch.awaitQuiet.executeWithOptions({ summary: 'Wait until no alert fires' }, [{ ...target, ignore }]),
      come: alertsResolved,
      request: {
        ...alertsGate(step.title, verdict, undoText(step)),
        id: gateId('alerts', step.id, round()),
        step: step.id,
        byItself: true,
      },
    });
    if (state?.kind === 'decided' && state.decision.choice === 'go-anyway') return { kind: 'go', parked: true, anyway: true };
    if (state !== undefined) return { kind: 'stopped', state, why: alertsProblem(verdict) };
  }
}

async function judge(step: PlannedStep, { activities, target, ignore }: AlertContext): Promise<AlertVerdict> {
  try {
    return await activities.quick.judgeAlerts.executeWithOptions({ summary: `Do alerts fire before ${step.title}?` }, [
      { cluster: target.cluster, ignore },
    ]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { kind: 'unknown', why: messageOf(error) };
  }
}
