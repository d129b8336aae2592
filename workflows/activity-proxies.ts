/** One group of activity options per reason to retry. Timing comes from the run's recorded policy. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BelayActivities } from '../activities/contract.ts';
import type { AuditEvent } from '../domain/audit.ts';
import type { Timing } from '../domain/policy.ts';
import { journaling, type Proxies } from './mutations.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Local: needs no policy yet. Group membership is read at the moment of the decision and fails closed, so it tries only twice. */
export const approverActivities = proxyLocalActivities<BelayActivities>({
  scheduleToCloseTimeout: '8s',
  retry: { maximumAttempts: 2, initialInterval: '200ms' },
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

/** Before a policy is known: one read of belay.yaml by the worker. */
export const configActivities = proxyActivities<BelayActivities>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '500ms', maximumInterval: '10s' },
  summary: "Read the cluster's policy from belay.yaml",
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
  scheduleToCloseTimeout: '15m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** After the run's end: Slack may be down for a day, or for a long weekend. */
export const lastWordsActivities = proxyActivities<BelayActivities>({
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
  /** A look or one mutation: short, repeated through the API server's weather, same token every time. */
  quick: Proxies;
  /** Reads a whole cluster: minutes on large ones; heartbeats so that a dead worker is noticed. */
  survey: Proxies;
  /** Waits for the world in a heartbeating loop; ends with an outcome, so it is repeated for as long as it takes. */
  watch: Proxies;
  /** The same for a watcher that keeps something as it should be meanwhile: it has stopped before anything else is done. */
  keep: Proxies;
  /** Undoes what the run has done, where nobody else would: short, repeated for as long as it takes. */
  owed: Proxies;
}

/** Where changes are written down. */
export interface Journal {
  of: { step: string; round: number };
  note: (event: AuditEvent) => void;
}

export function phaseActivities(timing: Timing, journal?: Journal): PhaseActivities {
  const proxies = plainActivities(timing);
  if (journal === undefined) return proxies;
  const written = journaling(journal);
  return {
    quick: written(proxies.quick),
    survey: written(proxies.survey),
    watch: written(proxies.watch),
    keep: written(proxies.keep),
    owed: written(proxies.owed),
  };
}

function plainActivities(timing: Timing): PhaseActivities {
  const initialInterval = Math.max(100, timing.pollMinMs);
  const retry = { initialInterval, backoffCoefficient: 1.5, maximumInterval: Math.max(initialInterval, timing.pollMaxMs) };
  // A dead worker is noticed by the heartbeat: the worker beats for activities that do not loop (activities/keep-alive).
  const noticeDeadWorker = { startToCloseTimeout: 60_000, heartbeatTimeout: timing.heartbeatTimeoutMs };
  const waiting = { startToCloseTimeout: 30 * DAY_MS, heartbeatTimeout: timing.heartbeatTimeoutMs, retry };
  const weather = Math.max(60_000, timing.apiWeatherMs + 5 * 60_000);
  return {
    quick: proxyActivities<BelayActivities>({ ...noticeDeadWorker, scheduleToCloseTimeout: weather, retry }),
    owed: proxyActivities<BelayActivities>({ ...noticeDeadWorker, retry }),
    survey: proxyActivities<BelayActivities>({
      startToCloseTimeout: '15m',
      heartbeatTimeout: timing.heartbeatTimeoutMs,
      scheduleToCloseTimeout: weather + 15 * 60_000,
      retry,
    }),
    // Watching changes nothing: nobody waits until the watcher has noticed.
    watch: proxyActivities<BelayActivities>({ ...waiting, cancellationType: ActivityCancellationType.TRY_CANCEL }),
    keep: proxyActivities<BelayActivities>({ ...waiting, cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED }),
  };
}
