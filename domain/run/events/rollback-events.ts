/** Events of the seven days in which EKS rolls a control plane back: their clock outlives the run that has moved it. */
import { defined } from '../../core/defined.ts';
import { clip } from './data.ts';
import type { EventData, RunEvent } from './event.ts';

/** What there is to tell, as the thread has it in `text`. */
export interface RollbackNews {
  what: 'opened' | 'closing' | 'closed' | 'unrequested';
  /** The minor to go back to, or that somebody goes back to. */
  backTo: string;
  /** ISO 8601: when EKS closes the window; absent where somebody goes back. */
  until?: string;
  /** "one more day" */
  left?: string;
  /** Of whoever goes back. */
  updateId?: string;
  text: string;
}

/** `at`: the minor that the run has moved to. */
export function rollbackEvent(
  at: string,
  { what, backTo, until, left, updateId, text }: RollbackNews,
  { about, nowIso }: { about: Pick<EventData, 'cluster' | 'run' | 'links'>; nowIso: string },
): RunEvent {
  const which = left ?? updateId;
  return {
    key: `rollback/${at}/${what}${which === undefined ? '' : `/${which.replaceAll(' ', '-')}`}`,
    type: `rollback.${what}`,
    at: nowIso,
    data: { ...about, rollback: { at, backTo, ...defined({ until, left, updateId }), text: clip(text, 2_000) } },
  };
}
