/** What earlier upgrades say about how long things take: the median over upgrades, of this cluster before others. */
import type { GateState } from '../../gates/gate.ts';
import type { PlannedStep, UpgradePlan } from '../../plan/model/types.ts';
import type { StepView, UpgradeReport } from '../record/status.ts';
import { measureOf } from '../../plan/durations/measure.ts';
import { type Learnt, type LearntDuration, type Scope, SCOPES, type Unit, UNITS } from '../../plan/model/usual.ts';
import { isWorkedBeside, waitedMs } from './waits.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';

/** The newest upgrades of a scope: what was usual years ago no longer is. */
const NEWEST = 10;

/** Of a run's record. */
export interface PastUpgrade {
  report: Pick<UpgradeReport, 'decisions'> & { status: Pick<UpgradeReport['status'], 'cluster' | 'steps'> };
  plan: Pick<UpgradePlan, 'steps'>;
  /** What it asked others to change. */
  asked?: readonly { step: string }[];
}

export interface Learner {
  cluster: ClusterRef;
  environment: string;
  /** undefined: belay.yaml no longer names the cluster. */
  environmentOf: (cluster: ClusterRef) => string | undefined;
}

/** `past`: the newest first. */
export function learn(past: readonly PastUpgrade[], by: Learner): Learnt {
  const upgrades = past.map((upgrade) => ({ scopes: scopesOf(upgrade.report.status.cluster, by), perUnit: unitDurations(upgrade) }));
  const learnt: Learnt = {};
  for (const unit of UNITS) {
    const samples = upgrades.flatMap(({ scopes, perUnit }) => {
      const ms = perUnit.get(unit);
      return ms === undefined ? [] : [{ scopes, ms }];
    });
    for (const of of SCOPES) {
      const known = samples.filter(({ scopes }) => scopes.includes(of)).map(({ ms }) => ms);
      if (known.length === 0) continue;
      learnt[unit] = { ...statistics(known.slice(0, NEWEST)), of };
      break;
    }
  }
  return learnt;
}

function scopesOf(cluster: ClusterRef, { cluster: own, environment, environmentOf }: Learner): Scope[] {
  if (cluster.name === own.name && cluster.account === own.account && cluster.region === own.region) return [...SCOPES];
  return environmentOf(cluster) === environment ? ['environment', 'all'] : ['all'];
}

/** One duration for each unit, however many hops the upgrade had. */
function unitDurations({ report, plan, asked = [] }: PastUpgrade): Map<Unit, number> {
  const sums = new Map<Unit, { ms: number; count: number }>();
  for (const step of plan.steps) {
    const view = report.status.steps.find(({ id }) => id === step.id);
    const measure = measureOf(step.params);
    const workMs = view === undefined || asked.some((each) => each.step === step.id) ? undefined : workedMs(step, view, report.decisions);
    if (view === undefined || measure === undefined || workMs === undefined) continue;
    const sum = sums.get(measure.unit) ?? { ms: 0, count: 0 };
    const count = measure.unit === 'karpenter-node' ? (view.rolled?.totalCount ?? measure.unitCount) : measure.unitCount;
    if (count <= 0) continue;
    sums.set(measure.unit, { ms: sum.ms + Math.max(0, workMs - measure.fixedMs), count: sum.count + count });
  }
  return new Map([...sums].map(([unit, { ms, count }]) => [unit, ms / count]));
}

/** undefined: the step did not go through at the first go, or people ended a bake of it early, so its length says nothing about the next one. */
function workedMs({ id }: PlannedStep, { state, startedAt, endedAt, held }: StepView, decisions: readonly GateState[]): number | undefined {
  const own = decisions.filter(({ gate }) => gate.step === id);
  if (state !== 'completed' || own.some(({ gate }) => gate.id.startsWith('failed:'))) return undefined;
  const gates = own.filter(({ gate }) => !isWorkedBeside(gate.id));
  if (own.some(({ kind, gate }) => kind === 'decided' && gate.id.startsWith('bake:') && isWorkedBeside(gate.id))) return undefined;
  const span = { fromMs: Date.parse(startedAt ?? ''), toMs: Date.parse(endedAt ?? '') };
  const wholeMs = span.toMs - span.fromMs;
  return wholeMs >= 0 ? wholeMs - waitedMs(gates, span, held) : undefined;
}

function statistics(samples: readonly number[]): Omit<LearntDuration, 'of'> {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const around = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return {
    medianMs: around.reduce((sum, ms) => sum + ms, 0) / around.length,
    minMs: sorted[0] ?? 0,
    maxMs: sorted.at(-1) ?? 0,
    count: sorted.length,
  };
}
