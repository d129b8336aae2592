/** The trace that everything of a run belongs to: the same after a replay and on any worker, without anything being remembered. */
import { sha256 } from './sha256.ts';

/** 32 hexadecimal digits, as W3C's Trace Context has them (https://www.w3.org/TR/trace-context/#trace-id). Of the run's own workflow, not of a step's. */
export function traceIdOf({ workflowId, firstRunId }: { workflowId: string; firstRunId: string }): string {
  return sha256(`${workflowId}${firstRunId}`).slice(0, 32);
}
