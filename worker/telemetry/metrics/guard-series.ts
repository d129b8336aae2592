/** Series about what stands beside open runs: freezes and their guards, rollback windows, and what Slack has not taken. As run-series.ts. */
import { Gauge, type Registry } from 'prom-client';
import type { GuardedFreeze, Guards } from '../../../client/reading/guards.ts';
import { ageS, type RunSeriesOptions, STALE_MS } from './run-series.ts';

export interface GuardSeries {
  saw(guards: Guards): void;
  /** Temporal did not answer. */
  missed(): void;
}

export function guardSeries(registry: Registry, { environmentOf, nowMs = Date.now }: RunSeriesOptions): GuardSeries {
  const registers = [registry];
  const labelNames = ['cluster'] as const;
  const held = new Gauge({
    name: 'belay_freeze_held_seconds',
    help: "How long the guard of a cluster's freeze has been there. One that takes the freeze over begins anew.",
    labelNames,
    registers,
  });
  const looked = new Gauge({
    name: 'belay_guard_last_look_timestamp_seconds',
    help: 'When the guard of a freeze last saw the NodePools, by its own clock; before its first look, when it began.',
    labelNames,
    registers,
  });
  const closes = new Gauge({
    name: 'belay_rollback_closes_timestamp_seconds',
    help: "Until when EKS takes a control plane back, while that is open, by EKS's clock.",
    labelNames,
    registers,
  });
  const undelivered = new Gauge({
    name: 'belay_slack_undelivered',
    help: 'Deliveries to Slack under way or tried again, of up to five messages each. What waits in a run behind one is not counted.',
    registers,
  });
  const oldest = new Gauge({
    name: 'belay_slack_oldest_undelivered_seconds',
    help: 'Age of the oldest of them; 0 where there is none.',
    registers,
  });
  const clear = (): void => {
    for (const gauge of [held, looked, closes]) gauge.reset();
    // A gauge without labels is 0 after a reset, and nothing is known to be delivered.
    for (const gauge of [undelivered, oldest]) gauge.remove();
  };
  clear();
  let seenMs = -Infinity;
  /** By guard. A watcher that is called back leaves its place to the next: meanwhile its last look is still the last. */
  let looks = new Map<string, number>();
  return {
    saw({ freezes, windows, undelivered: { count, since } }) {
      seenMs = nowMs();
      clear();
      const seen: typeof looks = new Map();
      for (const freeze of freezes.filter(({ cluster }) => environmentOf(cluster) !== undefined)) {
        const { name: cluster } = freeze.cluster;
        const lookS = lastLookS(freeze, looks.get(keyOf(freeze)), seenMs);
        seen.set(keyOf(freeze), lookS);
        held.set({ cluster }, ageS(freeze.since, seenMs) ?? 0);
        looked.set({ cluster }, lookS);
      }
      looks = seen;
      for (const { cluster, closesAt } of windows)
        if (environmentOf(cluster) !== undefined) closes.set({ cluster: cluster.name }, Date.parse(closesAt) / 1000);
      undelivered.set(count);
      oldest.set(ageS(since, seenMs) ?? 0);
    },
    missed() {
      if (nowMs() - seenMs > STALE_MS) clear();
    },
  };
}

const keyOf = ({ cluster, since }: GuardedFreeze): string => `${cluster.account}/${cluster.region}/${cluster.name}/${since}`;

/** Whoever has the codec's keys may write a heartbeat of next year, which would keep an alert quiet: nothing is later than now. */
function lastLookS({ since, lookedAt = since }: GuardedFreeze, before: number | undefined, nowMs: number): number {
  const saidS = Math.min(Date.parse(lookedAt), nowMs) / 1000;
  return Math.max(saidS, Date.parse(since) / 1000, before ?? 0);
}
