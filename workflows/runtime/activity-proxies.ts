/** One group of activity options per reason to retry. Timing comes from the run's recorded policy. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import type { Timing } from '../../domain/policy/policy.ts';
import type { Reading } from './activity-effects.ts';
import { journaling, type Proxies } from './change-journal.ts';
import { type Protecting, protecting } from './protect-activities.ts';
import { type Befores, type OnRestored, type OnSideEffects, watchingSideEffects } from './side-effects.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Where timing is short, as in rehearsals: a worker that is killed and started again takes seconds all the same. */
const SHORTEST_TRYING_MS = 60_000;

interface Backoff {
  initialInterval: number;
  backoffCoefficient: number;
  maximumInterval: number;
}

/**
 * As many attempts as are made in `tryingMs`, the time of each call itself not counted. By attempts and not by a schedule-to-close time-out: that
 * one goes on while no worker is there to try.
 */
export function bounded(backoff: Backoff, tryingMs: number): Backoff & { maximumAttempts: number } {
  const { initialInterval, backoffCoefficient, maximumInterval } = backoff;
  let maximumAttempts = 1;
  let intervalMs = initialInterval;
  for (let waitedMs = 0; waitedMs < tryingMs; waitedMs += intervalMs) {
    maximumAttempts += 1;
    if (maximumAttempts > 2) intervalMs = Math.min(maximumInterval, intervalMs * backoffCoefficient);
  }
  return { ...backoff, maximumAttempts };
}

/** Local: only the worker that runs the workflow's code gives a grant to a start. Needs no policy yet; fails closed, so it tries only twice. */
export const requesterActivities = proxyLocalActivities<BelayActivities>({
  scheduleToCloseTimeout: '8s',
  retry: { maximumAttempts: 2, initialInterval: '200ms' },
});

/**
 * Group membership is read at the moment of the decision, and fails closed. Not local: one that is under way while somebody asks for the status resolves
 * in a later task than its marker says (sdk-core, managed_run: query responses), so that a replay orders what else happens meanwhile otherwise. A
 * worker that dies is waited for.
 */
export const approverActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '8s',
  retry: { maximumAttempts: 3, initialInterval: '200ms' },
  summary: 'Who may decide',
});

/** A record that cannot be written is tried again by the run, which goes on meanwhile. Not local: where the workflow looks at its clock, a replay may order those otherwise. */
export const auditActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, initialInterval: '200ms' },
  summary: 'Append to the audit record',
});

/** What was refused before it belonged to a run. */
export const frontDoorActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: DAY_MS,
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  summary: 'Append to the record of refused requests',
});

/** A start that is refused ends in its first task, so that whatever replays later was once let in. Local, and shorter than a task may take. */
export const refusedStartActivities = proxyLocalActivities<BelayActivities>({
  scheduleToCloseTimeout: '5s',
  retry: { maximumAttempts: 2, initialInterval: '200ms' },
});

/** Before a policy is known: one read of belay.yaml by the worker. */
export const configActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '10s',
  retry: bounded({ initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 }, 5 * 60_000),
  summary: "Read the cluster's policy from belay.yaml",
});

/**
 * These take minutes, and a campaign waits for them: a dead worker is noticed by its silence. Before a policy is known it is longer than
 * `timing.heartbeatTimeout`: a worker that reads large clusters is silent for some seconds, and attempts are counted.
 */
const NOTICED = { startToCloseTimeout: '15m', heartbeatTimeout: '30s' } as const;

/** Of a campaign: a cluster that cannot be read says why, so that a failure is the worker's, or Temporal's. Checks of whole clusters take minutes. */
export const campaignActivities = proxyActivities<BelayActivities>({
  ...NOTICED,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 10 },
});

/** A snapshot of a large cluster and its plays take many minutes, beside the worker's event loop. Each attempt begins anew, so there are few. */
export const forecastActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '50m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 3 },
});

/** Begins the run of a cluster: plans it first, which takes minutes on large ones. Repeated, it starts no second one. */
export const startActivities = proxyActivities<BelayActivities>({
  ...NOTICED,
  retry: bounded({ initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 }, 30 * 60_000),
});

/** Somebody has a form open, or looks at an overview: an answer that comes late is of no use. */
export const glanceActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '45s',
  scheduleToCloseTimeout: '60s',
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** Slack: tried for as long as the run lives, never waited for by a step. */
export const publishActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** A check's message: without it the answer reaches nobody, so a check waits for Slack, but not for ever. */
export const checkWordsActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '30s',
  retry: bounded({ initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000 }, 15 * 60_000),
});

/** After the run's end: Slack may be down for a day, or for a long weekend. */
export const lateDeliveryActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '2m',
  scheduleToCloseTimeout: 7 * DAY_MS,
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** A look every so often, for days: what is not there yet fails, benign, and the server tries again, so that no history grows with the looks. */
export function sparseActivities(everyMs: number): Proxies {
  return proxyActivities<BelayActivities>({
    startToCloseTimeout: '1m',
    retry: { initialInterval: everyMs, backoffCoefficient: 1 },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  });
}

export interface PhaseActivities {
  /** A look or one mutation: short, repeated as often as fits in the time that transient API errors may last, same token every time. */
  quick: Proxies;
  /** Reads a whole cluster: minutes on large ones; heartbeats so that a dead worker is noticed. */
  survey: Proxies;
  /** Waits for the world in a heartbeating loop; ends with an outcome, so it is repeated for as long as it takes. Nobody waits until it has noticed a cancellation. `watchFreeze` only looks where it has no means to put back. */
  watch: Pick<Proxies, Reading | 'watchFreeze'>;
  /** The same for what changes something and waits, or keeps it as it should be meanwhile: it has stopped before anything else is done, such as putting it back. */
  keep: Proxies;
  /** Undoes what the run has done, where nobody else would: short, repeated for as long as it takes. */
  owed: Proxies;
}

/** Where changes are written down. */
export interface Journal {
  of: { step: string; round: number };
  note: (event: AuditEvent) => void;
}

/** `onSideEffects`: told what an activity has found changed beside its own change. Without it nobody is, so only what reads does without. `protection`: what is looked at before what cannot be undone. `onRestored`: asked when a change is refused because Temporal was restored; without it that is a failure. */
export function phaseActivities(
  timing: Timing,
  journal?: Journal,
  onSideEffects: OnSideEffects = () => undefined,
  protection?: Protecting,
  onRestored?: OnRestored,
): PhaseActivities {
  const journaled = journal === undefined ? (proxies: Proxies) => proxies : journaling(journal);
  const guarded = protection === undefined ? (proxies: Proxies) => proxies : protecting(protection);
  const written = (proxies: Proxies): Proxies => journaled(guarded(proxies));
  const befores: Befores = new Map();
  const watched = (proxies: Proxies): Proxies => watchingSideEffects(written(proxies), befores, onSideEffects, onRestored);
  const { quick, survey, watch, keep, owed } = plainActivities(timing);
  return { quick: watched(quick), survey: watched(survey), watch: watched(watch), keep: watched(keep), owed: watched(owed) };
}

function plainActivities(timing: Timing): Record<keyof PhaseActivities, Proxies> {
  const initialInterval = Math.max(100, timing.pollMinMs);
  const retry = { initialInterval, backoffCoefficient: 1.5, maximumInterval: Math.max(initialInterval, timing.pollMaxMs) };
  // A dead worker is noticed by the heartbeat: the worker beats for activities that do not loop (activities/runtime/keep-alive).
  const noticeDeadWorker = { startToCloseTimeout: 60_000, heartbeatTimeout: timing.heartbeatTimeoutMs };
  const waiting = { startToCloseTimeout: 30 * DAY_MS, heartbeatTimeout: timing.heartbeatTimeoutMs, retry };
  const trying = bounded(retry, Math.max(SHORTEST_TRYING_MS, timing.apiTransientMs));
  return {
    quick: proxyActivities<BelayActivities>({ ...noticeDeadWorker, retry: trying }),
    owed: proxyActivities<BelayActivities>({ ...noticeDeadWorker, retry }),
    survey: proxyActivities<BelayActivities>({
      startToCloseTimeout: '15m',
      heartbeatTimeout: timing.heartbeatTimeoutMs,
      retry: trying,
    }),
    // Watching changes nothing: nobody waits until the watcher has noticed.
    watch: proxyActivities<BelayActivities>({ ...waiting, cancellationType: ActivityCancellationType.TRY_CANCEL }),
    keep: proxyActivities<BelayActivities>({ ...waiting, cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED }),
  };
}
