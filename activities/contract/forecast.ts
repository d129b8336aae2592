/** What workflows may ask about forecasts, and the port through which one is made: a snapshot, its plan, and many plays of it. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Forecast } from '../../domain/plan/forecast/types.ts';
import type { RuleViolation } from '../../domain/plan/model/types.ts';
import type { NodeStrategy, UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ForecastOutcome, MessageRef } from '../../domain/run/notifications.ts';
import type { Target } from './target.ts';

export interface ForecastActivities {
  /**
   * Takes a snapshot of the cluster, plays its upgrade, keeps what came of it beside the records, and attaches the page to the thread, both best effort.
   * The result is bounded. Heartbeats. Reads only. Fails where the cluster itself cannot be read.
   */
  forecastUpgrade(
    input: Target & { target: string; strategy?: NodeStrategy; policy: UpgradePolicy; thread?: MessageRef },
  ): Promise<ForecastOutcome>;
}

/** The plan breaks rules: there is nothing to play. */
export type MadeForecast = { kind: 'made'; forecast: Forecast } | { kind: 'refused'; violations: RuleViolation[] };

/** Makes a forecast of the cluster as it is now. Whatever computes for long does so beside the event loop. */
export interface Forecaster {
  /** Throws where the cluster cannot be read, and when `signal` aborts. `onProgress`: a gerund and its object, for heartbeats. */
  forecast(
    cluster: ClusterRef,
    request: { target: string; strategy?: NodeStrategy; signal: AbortSignal; onProgress: (doing: string) => void },
  ): Promise<MadeForecast>;
}
