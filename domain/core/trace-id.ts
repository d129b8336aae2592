/** The trace that everything of a run belongs to, and its spans: the same after a replay and on any worker, without anything being remembered. */
import { sha256 } from './sha256.ts';

/** 32 hexadecimal digits, as W3C's Trace Context has them (https://www.w3.org/TR/trace-context/#trace-id). Of the run's own workflow, not of a step's. */
export function traceIdOf({ workflowId, firstRunId }: { workflowId: string; firstRunId: string }): string {
  return sha256(`${workflowId}${firstRunId}`).slice(0, 32);
}

/** What a run's record tells, each once: the run itself (`name` is empty), a step by its id however often it was tried, a gate by its id. */
export type RecordedSpan = 'run' | 'step' | 'gate';

/** 16 hexadecimal digits (https://www.w3.org/TR/trace-context/#parent-id). */
export function spanIdOf(traceId: string, what: RecordedSpan, name = ''): string {
  return sha256(`${traceId}/${what}/${name}`).slice(0, 16);
}
