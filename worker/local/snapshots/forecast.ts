/** What an upgrade of a snapshot is going to do: planned as the cluster itself would be, then simulated many times. Sends nothing to AWS or Kubernetes. */
import { saveForecast } from '../../../activities/run/records/forecasts.ts';
import { learnFromRecords } from '../../../activities/run/records/learn-durations.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import { forecastUpgrade } from '../../../domain/plan/forecast/forecast.ts';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { RuleViolation } from '../../../domain/plan/model/types.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { policyOf } from '../../../domain/policy/config/of-cluster.ts';
import type { NodeStrategy, NodeWaves } from '../../../domain/policy/policy.ts';
import type { Compared, Comparison, Variant } from '../../../domain/run/forecasts/comparison.ts';
import { storedForecast } from '../../../domain/run/forecasts/stored.ts';
import { planSnapshot, snapshotPolicy, withRecords, withWaves } from './plan-snapshot.ts';

/** What may be asked for instead of what belay.yaml says. */
export interface Way {
  strategy?: NodeStrategy;
  /** A pace of Karpenter's for the whole roll. */
  pace?: string;
  waves?: NodeWaves | 'none';
}

export interface ForecastRequest extends Way {
  /** Absent: there is no belay.yaml. */
  config?: Config;
  target: string;
  runs: number;
  seed: number;
  /** So many of `of` simulations are over. Called while nothing else can run. */
  onPlayed?: (n: number, of: number) => void;
}

/** `violations`: why there is no plan to simulate. */
export type ForecastResult = { kind: 'forecast'; forecast: Forecast } | { kind: 'refused'; violations: RuleViolation[] };

/** Throws a failure in our words where the snapshot does not hold the cluster itself, or where records cannot be opened. */
export async function forecastSnapshot(snapshot: Snapshot, request: ForecastRequest): Promise<ForecastResult> {
  const { config, target, strategy, pace, waves, runs, seed, onPlayed } = request;
  const planned = await planSnapshot(snapshot, { target, ...defined({ config, strategy, waves }) });
  if (planned.kind === 'refused') return planned;
  const policy = withWaves(snapshotPolicy(snapshot, config).policy, waves);
  const policyNamed = (name: string) => (config === undefined ? policy : policyOf(config, name));
  const read = await withRecords(config, (store) => learnFromRecords({ store, policyOf: policyNamed }, policy));
  const learnt = 'learnt' in read ? read.learnt : undefined;
  const forecast = forecastUpgrade({
    snapshot,
    plan: planned.plan,
    policy,
    runs,
    seed,
    madeAt: new Date().toISOString(),
    onPlayed: (n) => onPlayed?.(n, runs),
    ...defined({ pace, learnt, waves: waves === 'none' ? undefined : waves }),
  });
  return { kind: 'forecast', forecast };
}

/** One after the other, each by the same seed, so that they differ by nothing but what is compared. */
export async function compareForecasts(
  snapshot: Snapshot,
  { onPlayed, ...request }: ForecastRequest,
  { by, ways }: { by: Compared; ways: readonly { label: string; way: Way }[] },
): Promise<Comparison> {
  const variants: Variant[] = [];
  for (const [index, { label, way }] of ways.entries()) {
    const result = await forecastSnapshot(snapshot, {
      ...request,
      ...way,
      onPlayed: (n) => onPlayed?.(index * request.runs + n, ways.length * request.runs),
    });
    variants.push(result.kind === 'forecast' ? { label, forecast: result.forecast } : { label, refused: result.violations });
  }
  return { by, variants };
}

/** Keeps it beside the records of the cluster. `kept`: a later one is there. Throws where records cannot be written. */
export async function keepForecast(config: Config, forecast: Forecast): Promise<{ location: string } | 'kept'> {
  return await withRecords(config, (store) => saveForecast(store, storedForecast(forecast)));
}
