/** Forecast and fact: what a run's first gate said of it, beside what happened. Kept in the run's record. */
import { defined } from '../../core/defined.ts';
import { type PhaseId, phaseOf } from '../../core/phases.ts';
import { field, isRecord } from '../../core/unknown.ts';
import type { QuotedForecast } from '../../plan/forecast/quoted.ts';
import type { Spread } from '../../plan/forecast/types.ts';
import type { UpgradePlan } from '../../plan/model/types.ts';
import type { GateDefinition } from '../../gates/gate.ts';
import { isWorkedBeside, waitedMs } from '../durations/waits.ts';
import type { UpgradeReport } from '../record/status.ts';
import { type BlockedCompared, compareBlocked } from './compare-blocked.ts';

/** Times are milliseconds. */
export interface ForecastCompared {
  /** ISO 8601. */
  snapshotTakenAt: string;
  madeAt: string;
  /** What differed, where another plan was played. */
  another?: string;
  /** From the first step on, since a forecast lets the first gate take no time; `waitedMs`: what people took of it. Absent: the run did not complete. */
  total?: Compared & { waitedMs: number };
  /** Of steps that completed, without what people took at their gates. */
  steps: (Compared & { id: string; title: string; phase: PhaseId })[];
  blocked: BlockedCompared;
  /** `actual` absent: not all of the steps that replace nodes completed, or one cannot count them. */
  nodes: { forecast: Spread; actual?: number };
}

export interface Compared {
  forecast: Spread;
  actualMs: number;
  /** Not beyond p90. */
  within: boolean;
}

type Ended = Pick<UpgradeReport, 'outcome' | 'decisions'> & {
  status: Pick<UpgradeReport['status'], 'startedAt' | 'endedAt' | 'steps'>;
};

export function compareForecast(forecast: QuotedForecast, report: Ended, plan: Pick<UpgradePlan, 'steps'>): ForecastCompared {
  const { snapshotTakenAt, madeAt, another, total, steps, blockers, nodesReplaced } = forecast;
  const { status, outcome, decisions } = report;
  const [first] = status.steps.flatMap(({ startedAt }) => startedAt ?? []);
  const whole = spanOf(first, status.endedAt);
  const compared = status.steps.flatMap(({ id, title, state, startedAt, endedAt, held }) => {
    const [of, phase] = [steps.find((each) => each.id === id), phaseOf(id)];
    const span = state === 'completed' ? spanOf(startedAt, endedAt) : undefined;
    if (of === undefined || phase === undefined || span === undefined) return [];
    const gates = decisions.filter(({ gate }) => gate.step === id && holdsUp(gate));
    return [{ id, title, phase, ...judged(of.takes, lengthOf(span) - waitedMs(gates, span, held)) }];
  });
  return {
    snapshotTakenAt,
    madeAt,
    ...defined({ another }),
    ...(outcome !== 'completed' || whole === undefined
      ? {}
      : {
          total: {
            ...judged(total, lengthOf(whole)),
            waitedMs: waitedMs(
              decisions.filter(({ gate }) => holdsUp(gate)),
              whole,
              status.steps.flatMap(({ held = [] }) => held),
            ),
          },
        }),
    steps: compared,
    blocked: compareBlocked(blockers, decisions),
    nodes: { forecast: nodesReplaced, ...defined({ actual: nodesReplacedIn(status, plan) }) },
  };
}

const judged = (forecast: Spread, actualMs: number): Compared => ({ forecast, actualMs, within: actualMs <= forecast.p90 });

interface Span {
  fromMs: number;
  toMs: number;
}

function spanOf(from: string | undefined, to: string | undefined): Span | undefined {
  const span = { fromMs: Date.parse(from ?? ''), toMs: Date.parse(to ?? '') };
  return span.toMs >= span.fromMs ? span : undefined;
}

const lengthOf = ({ fromMs, toMs }: Span): number => toMs - fromMs;

/** Others stand open beside the work: of nodes that are blocked, of a faster pace, or until a bake is over. */
const holdsUp = ({ id, byItself }: GateDefinition): boolean => byItself !== true && !id.startsWith('blocked:') && !isWorkedBeside(id);

/** undefined: it cannot be said. */
function nodesReplacedIn({ steps }: Ended['status'], plan: Pick<UpgradePlan, 'steps'>): number | undefined {
  let sum = 0;
  for (const { id, params } of plan.steps) {
    const view = steps.find((each) => each.id === id);
    if (params.phase === 'karpenter-drift') {
      // A short roll may end before it says how far it is.
      const count = view?.rolled?.doneCount ?? (view?.state === 'completed' ? params.nodeCount : undefined);
      if (count === undefined) return undefined;
      sum += count;
    } else if (params.phase === 'node-groups' || params.phase === 'other-nodes') {
      if (view?.state !== 'completed') return undefined;
      sum +=
        params.phase === 'node-groups'
          ? params.groups.reduce((nodes, { count }) => nodes + count, 0)
          : (params.selfManaged?.nodeCount ?? 0) + (params.autoMode?.nodeCount ?? 0) + (params.fargate?.podCount ?? 0);
    }
  }
  return sum;
}

/** Of a record; undefined: its run had no forecast, or the record is of a release that compared otherwise. */
export function comparedIn(json: unknown): ForecastCompared | undefined {
  const found = field(json, 'forecast');
  const isWhole =
    typeof field(found, 'snapshotTakenAt') === 'string' &&
    Array.isArray(field(found, 'steps')) &&
    ['foreseen', 'notForeseen', 'notBlocked'].every((key) => Array.isArray(field(field(found, 'blocked'), key))) &&
    isRecord(field(field(found, 'nodes'), 'forecast'));
  // Written by us; each field that is counted on was looked at.
  return isWhole ? (found as ForecastCompared) : undefined;
}
