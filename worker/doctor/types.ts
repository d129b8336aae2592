import { messageOf } from '../../domain/core/unknown.ts';

/** One line of the doctor's report. */
export interface Diagnosis {
  area: 'AWS' | 'Kubernetes' | 'Temporal' | 'Slack' | 'Records' | 'Notifications' | 'Decisions' | 'Clocks';
  /** ok; warning: works, but look at it; failed: Belay cannot work so. `unknown` is never taken for ok. */
  status: 'ok' | 'warning' | 'failed' | 'unknown';
  /** One sentence: what was seen. */
  message: string;
  /** What to do; absent only where there is nothing to do. */
  fix?: string;
}

/** Message of an error, first line. */
export function said(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
