/** A span as Belay tells it: once, when it is over, with its true times. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { spanIdOf, traceIdOf } from '../../../domain/core/trace-id.ts';
import type { ExternalCall } from '../../../domain/core/external-call.ts';

/** The closed list: nothing else of a run leaves in a trace, above all no reasons, messages, people or names of objects. */
export interface SpanAttributes extends Partial<Pick<ClusterRef, 'account' | 'region'>> {
  cluster?: string;
  /** Run id of the upgrade. */
  run?: string;
  /** "control-plane@1.34" */
  step?: string;
  phase?: string;
  /** Of an activity: Temporal's. Of a step: how often it was tried. */
  attempt?: number;
  /** Of a closed set: an outcome, a step's state, a choice of a gate, or how an activity ended. */
  result?: string;
}

export interface TraceSpan {
  traceId: string;
  /** Absent: any. For what happens, not for what a record tells. */
  spanId?: string;
  /** Absent: the root of its trace. */
  parentId?: string;
  name: string;
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  /** Spans of the same trace that it is about, and not within. */
  linkedIds?: readonly string[];
  isFailed?: boolean;
}

/** Takes a span and returns at once. Never throws. */
export type Emit = (span: TraceSpan) => void;

/** How something live ended, as metrics say it of calls. */
export type LiveResult = ExternalCall['result'];

/** Ids of what one run's trace is made of. */
export function traceOf({ workflowId, runId }: { workflowId: string; runId: string }): {
  traceId: string;
  runId: string;
  stepId: (step: string) => string;
  gateId: (gate: string) => string;
} {
  const traceId = traceIdOf({ workflowId, firstRunId: runId });
  return {
    traceId,
    runId: spanIdOf(traceId, 'run'),
    stepId: (step) => spanIdOf(traceId, 'step', step),
    gateId: (gate) => spanIdOf(traceId, 'gate', gate),
  };
}
