/**
 * Series about open runs and gates. They are what Temporal's visibility says at each look, so they are the same whichever process shows them, and a
 * restart loses nothing. While Temporal does not answer they are gone: what was true a while ago is not shown as true now.
 */
import { Gauge, type Registry } from 'prom-client';
import type { OpenRun } from '../../../client/reading/census.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { ALL_PHASES } from '../../../domain/core/phases.ts';

/** A look that fails now and then hides nothing. */
export const STALE_MS = 2 * 60_000;
/** What else `BelayPhase` may say; anything but these is nobody's label. */
const PHASES: readonly string[] = [...ALL_PHASES, 'planning', 'reconcile'];
const MINOR = /^1\.\d{2}$/;
const UNKNOWN = 'unknown';

export interface RunSeriesOptions {
  /** Environment of a cluster in belay.yaml; undefined for one that it does not name. */
  environmentOf: (cluster: ClusterRef) => string | undefined;
  /** Epoch milliseconds; injected by tests. */
  nowMs?: () => number;
}

export interface RunSeries {
  saw(runs: readonly OpenRun[]): void;
  /** Temporal did not answer. */
  missed(): void;
}

export function runSeries(registry: Registry, { environmentOf, nowMs = Date.now }: RunSeriesOptions): RunSeries {
  const registers = [registry];
  const runs = new Gauge({
    name: 'belay_runs',
    help: 'Open runs. waiting_for is the kind of the gate that is open longest, or empty.',
    labelNames: ['environment', 'phase', 'waiting_for'],
    registers,
  });
  const info = new Gauge({
    name: 'belay_run_info',
    help: 'Always 1, one for each open run of a cluster of belay.yaml.',
    labelNames: ['account', 'region', 'cluster', 'target', 'phase', 'run'],
    registers,
  });
  const inPhaseFor = new Gauge({
    name: 'belay_run_phase_seconds',
    help: 'How long an open run of a cluster of belay.yaml has been in its phase. waiting_for as of belay_runs.',
    labelNames: ['environment', 'cluster', 'phase', 'waiting_for'],
    registers,
  });
  const waiting = new Gauge({
    name: 'belay_gate_waiting_seconds',
    help: 'Age of the oldest open gate of a kind.',
    labelNames: ['environment', 'gate'],
    registers,
  });
  const read = new Gauge({
    name: 'belay_runs_read_timestamp_seconds',
    help: 'When Temporal was last asked for open runs and answered.',
    registers,
  });
  const clear = (): void => [runs, info, inPhaseFor, waiting].forEach((gauge) => gauge.reset());
  let seenMs = -Infinity;
  return {
    saw(open) {
      seenMs = nowMs();
      read.set(seenMs / 1000);
      clear();
      const oldest = new Map<string, { environment: string; gate: string; seconds: number }>();
      for (const { cluster, runId, target, phase, phaseSince, gates } of open) {
        const environment = environmentOf(cluster);
        const inPhase = PHASES.find((known) => known === phase) ?? UNKNOWN;
        const aged = gates.map(({ kind, openedAt }) => ({ gate: kind, seconds: ageS(openedAt, seenMs) }));
        const [longest] = aged.toSorted((a, b) => (b.seconds ?? -1) - (a.seconds ?? -1));
        const waitingFor = longest?.gate ?? '';
        runs.inc({ environment: environment ?? UNKNOWN, phase: inPhase, waiting_for: waitingFor });
        // Whoever may start workflows may name any cluster: only those of belay.yaml become labels.
        if (environment === undefined) continue;
        const { account, region, name } = cluster;
        info.set({ account, region, cluster: name, target: minorOf(target), phase: inPhase, run: runId }, 1);
        const inPhaseS = ageS(phaseSince, seenMs);
        if (inPhaseS !== undefined) inPhaseFor.set({ environment, cluster: name, phase: inPhase, waiting_for: waitingFor }, inPhaseS);
        for (const { gate, seconds } of aged) {
          const key = `${environment}/${gate}`;
          if (seconds !== undefined && seconds >= (oldest.get(key)?.seconds ?? 0)) oldest.set(key, { environment, gate, seconds });
        }
      }
      for (const { environment, gate, seconds } of oldest.values()) waiting.set({ environment, gate }, seconds);
    },
    missed() {
      if (nowMs() - seenMs > STALE_MS) clear();
    },
  };
}

const minorOf = (target: string | undefined): string => (target !== undefined && MINOR.test(target) ? target : UNKNOWN);

/** Temporal's clock may be a little ahead of ours. */
export const ageS = (since: string | undefined, nowMs: number): number | undefined =>
  since === undefined ? undefined : Math.max(0, (nowMs - Date.parse(since)) / 1000);
