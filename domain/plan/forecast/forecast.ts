/**
 * What an upgrade of a snapshot is going to do: its plan is played many times on a model of the cluster, with lengths drawn by seed. Pure: no clock,
 * and the same input gives the same forecast.
 */
import { defined } from '../../core/defined.ts';
import { planLimits } from './result/plan-limits.ts';
import type { Snapshot } from '../../facts/snapshot/format.ts';
import type { NodeWaves, UpgradePolicy } from '../../policy/policy.ts';
import type { PlannedStep, UpgradePlan } from '../model/types.ts';
import type { Learnt } from '../model/usual.ts';
import { NodeLengths, type Usual } from './measure/node-lengths.ts';
import { PLAYED, type StepLength, stepLengths } from './measure/step-lengths.ts';
import type { Cluster } from './model/cluster.ts';
import { readCluster } from './model/read-cluster.ts';
import type { Ledger } from './play/ledger.ts';
import { Play } from './play/play.ts';
import { aggregate } from './result/aggregate.ts';
import { minorOf } from './steps/run.ts';
import { walk } from './steps/walk.ts';
import type { Basis, Calibration, Forecast } from './types.ts';

export interface ForecastInput {
  snapshot: Snapshot;
  plan: UpgradePlan;
  policy: UpgradePolicy;
  /** How many plays; at least one. */
  runs: number;
  seed: number;
  /** One of belay.yaml's paces for the whole roll, as parsePace gives it; absent: the plan's, one after the other. */
  pace?: string;
  /** Absent: those of the plan. */
  waves?: NodeWaves;
  /** What earlier upgrades took; absent: nothing was learnt. */
  learnt?: Learnt;
  /** How long people take at each gate but the first; absent: ten minutes. */
  gateMs?: number;
  /** Instead of field reports, where no snapshot shows how long something takes. */
  usual?: Usual;
  /** ISO 8601. */
  madeAt: string;
  /** After each play: how many are over. */
  onPlayed?: (n: number) => void;
}

const GATE_MS = 10 * 60_000;
/** Weakest first. */
const BASES: readonly Basis[] = ['reports', 'configured', 'learnt', 'snapshot'];

interface Modelled {
  cluster: Cluster;
  lengths: NodeLengths;
}

/** Throws a RangeError for no runs, and for a pace at which nothing is ever replaced. */
export function forecastUpgrade(input: ForecastInput): Forecast {
  const { snapshot, plan, policy, runs, seed, pace, waves } = input;
  if (!Number.isInteger(runs) || runs < 1) throw new RangeError(`A forecast needs at least one run, not ${runs}`);
  if (pace === 'freeze') throw new RangeError('At pace freeze no node is ever replaced: choose another pace');
  const { prices, currency } = policy.forecast ?? {};
  const cluster: Cluster = { ...readCluster(snapshot, policy.karpenter.ownerKeys ?? []), ...defined({ prices }) };
  const lengths = new NodeLengths(cluster, input.usual);
  const steps = stepLengths(plan, input.learnt, policy.timing);
  const plays: Ledger[] = [];
  for (let index = 0; index < runs; index += 1) {
    const of = { seed: seed + index * 7_919, minor: minorOf(plan.from), beganAtMs: Date.parse(snapshot.header.takenAt) };
    const play = new Play(cluster, lengths, of);
    const frozen = new Set(plan.steps.flatMap(({ params }) => (params.phase === 'freeze-drift' ? params.nodePools : [])));
    walk({ play, policy, gateMs: input.gateMs ?? GATE_MS, lengths: steps, pace, waves, frozen }, plan.steps);
    plays.push(play.ledger);
    input.onPlayed?.(index + 1);
  }
  const played = aggregate(plays, cluster, plan.steps, (step) => basisOf(step, steps, { cluster, lengths }));
  const surge = { ...played.surge, ...(played.surge.cost === undefined ? {} : defined({ currency })) };
  return {
    cluster: plan.cluster,
    from: plan.from,
    to: plan.to,
    planHash: plan.hash,
    strategy: plan.strategy,
    ...(pace === undefined ? {} : { pace }),
    ...(waves === undefined ? {} : { waves }),
    snapshotTakenAt: snapshot.header.takenAt,
    madeAt: input.madeAt,
    runs,
    seed,
    ...played,
    surge,
    limits: [...cluster.limits, ...planLimits(snapshot, plan, cluster, surge)],
    calibration: [...lengths.calibrations, ...stepCalibrations(plan.steps, steps)],
  };
}

/** A roll stands on how long its nodes and their pods take to come; how they go is measured nowhere. */
function basisOf({ id, params }: PlannedStep, steps: ReadonlyMap<string, StepLength>, { cluster, lengths }: Modelled): Basis {
  const { pools, groups } = cluster;
  const rolled =
    params.phase === 'karpenter-drift'
      ? lengths.pools.filter((_, index) => params.nodePools.includes(pools[index]?.name ?? ''))
      : params.phase === 'node-groups'
        ? lengths.groups.filter((_, index) => params.groups.some(({ name }) => name === groups[index]?.name))
        : params.phase === 'other-nodes'
          ? [...lengths.pools.filter((_, index) => pools[index]?.auto), ...lengths.groups]
          : undefined;
  if (rolled === undefined) return steps.get(id)?.length.basis ?? 'reports';
  const bases = [...rolled, ...lengths.workloads].filter((length) => lengths.isUsed(length)).map(({ basis }) => basis);
  return BASES.find((basis) => bases.includes(basis)) ?? 'reports';
}

function stepCalibrations(steps: readonly PlannedStep[], lengths: ReadonlyMap<string, StepLength>): Calibration[] {
  return steps.flatMap(({ id, phase }) => {
    const length = lengths.get(id)?.length;
    return length === undefined || PLAYED.includes(phase) || length.medianMs === 0 ? [] : [length.calibration];
  });
}
