/**
 * Messages under encryption, and results of activities, say inside of the ciphertext which one they are, of which run, and carry an id that is used once:
 * whoever records one can send it neither again nor as another one. Values and types only: clients and activities make them, too.
 */

/** Encoding of what stands for a payload that was refused; its data say why. */
export const REFUSED = 'belay/refused';
/** Metadata of a payload that was encrypted, set by the worker's codec alone. */
export const DECRYPTED = 'belay-decrypted';

export interface Seal {
  /** Name of the signal or update; for starts and results see below. */
  as: string;
  /** Unique for each message. Of a result: the id that its workflow asked for. */
  id: string;
  /** Epoch, ms. */
  at: number;
  /** First run id of the sender's run; absent: a client sent it. */
  run?: string;
}

export interface Sealed {
  seal: Seal;
  body: unknown;
}

/** What a start is called in its seal. */
export const startOf = (workflowType: string): string => `start of ${workflowType}`;
/** And what an activity gives back. */
export const resultOf = (activityType: string): string => `result of ${activityType}`;
/** And what it fails with. */
export const failureOf = (activityType: string): string => `failure of ${activityType}`;

/** Messages and starts that carry nothing. */
export const WITHOUT_INPUT: readonly string[] = ['areYouThere', startOf('recordRefusals'), startOf('claimRequest')];
/** Signals of one run to what an earlier one has left. */
export const ACROSS_RUNS: readonly string[] = ['stepTakenOver', 'freezeTakenOver', 'controlPlaneMoved', 'memberEnded'];

export const sealed = (body: unknown, seal: Seal): Sealed => ({ seal, body });

export function isSealed(value: unknown): value is Sealed {
  // A body that is undefined leaves no key in JSON.
  return typeof value === 'object' && value !== null && 'seal' in value && typeof value.seal === 'object' && value.seal !== null;
}
