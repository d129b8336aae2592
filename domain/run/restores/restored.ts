/** That Temporal's database was restored from a backup: what a change is refused with, and what people are shown of it. */
import { duration } from '../../core/text.ts';
import { isRecord } from '../../core/unknown.ts';
import type { BegunChange } from './change-ledger.ts';

/** Details of a failure of type Restored. */
export interface Restored {
  /** When the restore was made, or noticed: ISO 8601. Whoever accepts it accepts all before. */
  at: string;
  /** How it is known, one sentence. */
  why: string;
  /** What is recorded of the run and is not in its history, a line each; the first few. */
  forgotten: string[];
  /** Newest entries of the run's audit record, a line each. */
  record: string[];
}

/** One line of the notices of a namespace. */
export interface RestoreNotice {
  at: string;
  why: string;
}

const SHOWN = 8;

/** undefined: these are not the details of such a failure. */
export function restoredIn(details: unknown): Restored | undefined {
  if (!isRecord(details)) return undefined;
  const { at, why, forgotten, record } = details;
  if (typeof at !== 'string' || typeof why !== 'string' || !Array.isArray(forgotten) || !Array.isArray(record)) return undefined;
  return { at, why, forgotten: forgotten.map(String), record: record.map(String) };
}

/** The newest notice; undefined where there is none. */
export function newestNotice(notices: readonly RestoreNotice[]): RestoreNotice | undefined {
  return notices.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
}

/** "10:04:12 startControlPlaneUpdate of eks-upgrade/…/control-plane@1.33", the newest last. */
export function forgottenLines(changes: readonly BegunChange[]): string[] {
  const sorted = changes.toSorted((a, b) => a.scheduledAtMs - b.scheduledAtMs);
  const lines = sorted.map(
    ({ scheduledAtMs, activity, workflowId }) => `${isoSeconds(scheduledAtMs)} ${activity} of ${stepOf(workflowId)}`,
  );
  const more = lines.length - SHOWN;
  return more > 0 ? [`${more} earlier ones`, ...lines.slice(-SHOWN)] : lines;
}

/** How it was noticed, for people. `now`: the activity that was about to change something. */
export function whyLost(lost: readonly BegunChange[], now: BegunChange): string {
  const newest = Math.max(...lost.map(({ scheduledAtMs }) => scheduledAtMs));
  const goneMs = now.scheduledAtMs - newest;
  return `${lost.length === 1 ? 'a change' : `${lost.length} changes`} begun up to ${isoSeconds(newest)} (${duration(goneMs)} before) ${lost.length === 1 ? 'is' : 'are'} not in Temporal's history any more`;
}

const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
/** The step in a workflow id; the run's own id where there is none. */
const stepOf = (workflowId: string): string => workflowId.split('/').slice(4).join('/') || workflowId;
