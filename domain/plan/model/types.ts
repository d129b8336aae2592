/** The plan: ordered, validated steps that people see before anything runs, and that the workflow interprets as recorded. */
import type { PlanOrder } from '../../policy/environments.ts';
import type { Usual } from './usual.ts';
import type { Finding } from '../../core/findings.ts';
import type { TriedCheck } from '../../health/checks.ts';
import type { PhaseId, StepId } from '../../core/phases.ts';
import type { PlanWindows } from '../../policy/windows.ts';
import type { StepParams } from './step-params.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { NodeStrategy } from '../../policy/policy.ts';
import type { PlanForecast } from '../forecast/quoted.ts';

/** What can be undone after a step, how, until when, and what it costs. */
export interface RollbackPoint {
  what: string;
  how: string;
  /** Words, since the clock starts at run time: "7 days after the control plane's update". */
  until: string;
  cost: string;
}

export interface PlannedGate {
  /** The question, e.g. "Move the control plane to 1.32?"; the step's title where absent. */
  title?: string;
  /** One sentence: what will happen when approved. */
  next: string;
  why: string;
  /** Approving wants a reason. */
  reason?: true;
}

export interface PlannedStep {
  id: StepId;
  phase: PhaseId;
  /** The hop's target minor. */
  hop: string;
  title: string;
  /** One sentence: why the step is there. */
  why: string;
  /** A gate before the step; absent: the step starts by itself. */
  gate?: PlannedGate;
  expectedMs: number;
  /** What `expectedMs` was learnt from; absent: nothing was, or belay.yaml says how long it takes. */
  usual?: Usual;
  rollback: RollbackPoint;
  params: StepParams;
}

export interface StrategyCost {
  strategy: NodeStrategy;
  possible: boolean;
  /** Rule and reason where it is not possible. */
  why?: string;
  nodeReplacementCount: number;
  hopCount: number;
}

export interface UpgradePlan {
  cluster: ClusterRef;
  /** Absent: an upgrade. `back`: the control plane goes back; `undo`: one step of the last run is taken back. */
  kind?: 'back' | 'undo';
  /** Of an undo: which step of which run. */
  undoes?: { step: string; runId: string; startedAt: string };
  from: string;
  to: string;
  /** Minors after each hop: ["1.33", "1.34"]. */
  hops: string[];
  strategy: NodeStrategy;
  strategies: StrategyCost[];
  steps: PlannedStep[];
  /** Not blocking, but people should know: EOL versions on the path, unknowns, add-ons EKS does not manage. */
  findings: Finding[];
  expectedMs: number;
  /** Why nothing could be learnt from earlier upgrades. */
  unlearnt?: string;
  /** Hash over everything above but what is only expected (`expectedMs`, `usual`, `unlearnt`): an approval is for this plan only. */
  hash: string;
}

/** A constraint that the plan would break. */
export interface RuleViolation {
  /** Name of the rule, e.g. `karpenter-supports-both-minors`. */
  rule: string;
  message: string;
  remedy: string;
}

/** `windows`, `order`, `health`: absent where none are configured. `forecast`: absent where none was made. */
export type PlanResult =
  /** `identity`: of the cluster that the plan is of. */
  | {
      kind: 'plan';
      plan: UpgradePlan;
      identity?: string;
      windows?: PlanWindows;
      order?: PlanOrder;
      health?: TriedCheck[];
      forecast?: PlanForecast;
    }
  | { kind: 'refused'; violations: RuleViolation[] };
