/** Run, steps and gates as spans, from the record at the run's end. Pure. */
import { phaseOf } from '../../../domain/core/phases.ts';
import { CHOICE_CLASSES } from '../../../domain/gates/choices.ts';
import type { GateState } from '../../../domain/gates/gate.ts';
import type { StepView, UpgradeReport } from '../../../domain/run/record/status.ts';
import { defined } from '../../../domain/core/defined.ts';
import { type GateKind, gateKind, gateStep } from '../../../workflows/contract/ids.ts';
import { type SpanAttributes, type TraceSpan, traceOf } from './span.ts';

/**
 * A step is one span from its first begin to its end, however often it was tried. A gate may be open for days and before its step has begun, so it is a
 * span of the run, linked with its step. What has no begin, or a time that is none, is left out.
 */
export function recordedSpans({ status, outcome, decisions }: UpgradeReport): TraceSpan[] {
  const { account, region, name: cluster } = status.cluster;
  const of: SpanAttributes = { account, region, cluster, run: status.runId };
  const { traceId, runId, stepId, gateId } = traceOf(status);
  const endedAt = status.endedAt ?? '';
  const spans: TraceSpan[] = [
    {
      traceId,
      spanId: runId,
      name: 'Upgrade',
      ...times(status.startedAt, endedAt),
      attributes: { ...of, result: outcome },
      isFailed: outcome === 'failed',
    },
  ];
  const begun = status.steps.filter(({ startedAt }) => startedAt !== undefined);
  for (const step of begun) {
    const phase = phaseOf(step.id);
    if (phase === undefined) continue;
    spans.push({
      traceId,
      spanId: stepId(step.id),
      parentId: runId,
      name: `Step:${phase}`,
      ...times(step.startedAt ?? '', step.endedAt ?? endedAt),
      attributes: { ...of, step: step.id, phase, attempt: attempts(step, decisions), result: step.state },
      isFailed: step.state === 'failed',
    });
  }
  for (const state of decisions) {
    const ended = endOf(state);
    const about = aboutOf(state);
    if (ended === undefined || about === undefined) continue;
    spans.push({
      traceId,
      spanId: gateId(state.gate.id),
      parentId: runId,
      name: `Gate:${about.kind}`,
      ...times(state.gate.openedAt, ended.at),
      attributes: { ...of, step: about.step, ...defined({ phase: phaseOf(about.step) }), result: ended.how },
      linkedIds: begun.some(({ id }) => id === about.step) ? [stepId(about.step)] : [],
    });
  }
  return spans.filter(({ startMs, endMs }) => endMs >= startMs);
}

const times = (startedAt: string, endedAt: string): Pick<TraceSpan, 'startMs' | 'endMs'> => ({
  startMs: Date.parse(startedAt),
  endMs: Date.parse(endedAt),
});

/** Each Retry at the gate of a failed step is another one. */
function attempts({ id }: StepView, decisions: readonly GateState[]): number {
  const retries = decisions.filter((state) => {
    const about = aboutOf(state);
    return about?.kind === 'failed' && about.step === id && state.kind === 'decided' && state.decision.choice === 'retry';
  });
  return 1 + retries.length;
}

/** undefined where it is no gate that Belay opens. */
function aboutOf({ gate: { id } }: GateState): { kind: GateKind; step: string } | undefined {
  try {
    return { kind: gateKind(id), step: gateStep(id) };
  } catch {
    return undefined;
  }
}

/** undefined where it is open. */
function endOf(state: GateState): { at: string; how: string } | undefined {
  if (state.kind === 'open') return undefined;
  if (state.kind !== 'decided') return { at: state.at, how: state.kind };
  const { choice, at } = state.decision;
  return { at, how: Object.hasOwn(CHOICE_CLASSES, choice) ? choice : 'unknown' };
}
