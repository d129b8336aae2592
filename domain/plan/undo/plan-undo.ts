/** From facts and the record of the last run to the plan that undoes one of its steps, or to every reason why there is none. Pure. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { planHash } from '../plan-upgrade.ts';
import { NOTHING_TO_UNDO, plannedStep } from '../steps/step.ts';
import type { PlanResult, RuleViolation, UpgradePlan } from '../model/types.ts';
import { undoAddOns } from './add-ons.ts';
import { UNDO_STEPS, type UndoStep } from './names.ts';
import { undoIstio } from './istio.ts';
import { undoKarpenter } from './karpenter.ts';
import { undoNodeClasses } from './node-classes.ts';
import { undoNodeGroups } from './node-groups.ts';
import { refusal, runWords, undoInput, type UndoInput, type UndoSeen, type UndoWay } from './undo-input.ts';

/** Each with the phases of a run by which people know it too. */
const WAYS: Readonly<Record<UndoStep, { also: readonly string[]; way: (input: UndoInput) => UndoWay }>> = {
  'add-ons': { also: ['add-ons-bridge', 'add-ons-target', 'add-ons-back'], way: undoAddOns },
  'karpenter-controller': { also: ['karpenter', 'karpenter-migration'], way: undoKarpenter },
  istio: { also: [], way: undoIstio },
  'node-groups': { also: [], way: undoNodeGroups },
  'node-classes': { also: ['karpenter-drift', 'node-classes-back'], way: undoNodeClasses },
};
const UNDOS = UNDO_STEPS.map((name) => ({ name, ...WAYS[name] }));

/** What of the last run can be undone now, or why not. */
export interface UndoOption {
  step: string;
  /** The title of the run's step as it would be taken back. */
  title?: string;
  possible: boolean;
  expectedMs?: number;
  cost?: string;
  until?: string;
  /** Where it is not possible; also what stays as it is where the rest is. */
  why: string[];
}

/** Of one step; its name, a phase of the run, or a step's id. */
export function planUndo(facts: ClusterFacts, seen: UndoSeen, step: string, policy: UpgradePolicy): PlanResult {
  const { run } = seen;
  if (run === undefined) return { kind: 'refused', violations: [noRun(facts)] };
  const input = undoInput(facts, { ...seen, run }, policy);
  const undo = undoNamed(step);
  if (undo === undefined) return { kind: 'refused', violations: [unknownStep(step, input)] };
  const busy = clusterBusy(facts);
  const way = undo.way(input);
  const violations = [...busy, ...(way.kind === 'none' ? way.violations : [])];
  if (way.kind === 'none' || violations.length > 0) return { kind: 'refused', violations };
  return { kind: 'plan', plan: planOf(input, undo.name, way) };
}

/** Every step that the run did and Belay knows how to undo. */
export function undoOptions(facts: ClusterFacts, seen: UndoSeen, policy: UpgradePolicy): UndoOption[] {
  const { run } = seen;
  return run === undefined ? [] : optionsOf(undoInput(facts, { ...seen, run }, policy));
}

function optionsOf(input: UndoInput): UndoOption[] {
  return UNDOS.flatMap(({ name, way }): UndoOption[] => {
    const found = way(input);
    if (found.kind === 'none') {
      // Not done by the run at all: nothing to say about it.
      if (found.violations.every(({ rule }) => rule === 'RBK102')) return [];
      return [{ step: name, possible: false, why: found.violations.map(({ message, remedy }) => `${message} ${remedy}`) }];
    }
    const { steps, findings, cost, until } = found;
    return [
      {
        step: name,
        title: steps.at(-1)?.title ?? name,
        possible: true,
        expectedMs: steps.reduce((sum, { expectedMs }) => sum + expectedMs, 0),
        cost,
        until,
        why: findings.map(({ message }) => message),
      },
    ];
  });
}

/** By its name, a phase of the run, or a step's id. */
function undoNamed(step: string): (typeof UNDOS)[number] | undefined {
  const [phase = ''] = step.toLowerCase().split('@');
  return UNDOS.find(({ name, also }) => name === phase || also.includes(phase));
}

function noRun({ cluster }: ClusterFacts): RuleViolation {
  return refusal(
    'RBK101',
    `There is no record of a run that has changed ${cluster.name}.`,
    'Steps are undone by the record that their run has left (records.directory in belay.yaml). Without a step, "rollback" takes the control plane back by what EKS lists.',
  );
}

function unknownStep(step: string, input: UndoInput): RuleViolation {
  const can = optionsOf(input)
    .filter(({ possible }) => possible)
    .map((option) => option.step);
  return refusal(
    'RBK101',
    `"${step.slice(0, 60)}" is no step that Belay undoes by itself.`,
    can.length === 0
      ? `Nothing that ${runWords(input.run)} has done can be undone now.`
      : `Of ${runWords(input.run)} these can be undone now: ${can.join(', ')}.`,
  );
}

function clusterBusy({ updateInProgress }: ClusterFacts): RuleViolation[] {
  if (updateInProgress === undefined) return [];
  const { id, type } = updateInProgress;
  return [refusal('RBK108', `EKS is busy with ${type} (${id}).`, 'Wait until it has ended, then ask again.')];
}

function planOf(input: UndoInput, step: string, { steps, findings }: Extract<UndoWay, { kind: 'way' }>): UpgradePlan {
  const { facts, hop, minor, policy, run } = input;
  const all = [
    ...steps,
    plannedStep(
      hop,
      { phase: 'validation', to: minor, back: true },
      { title: `Validate ${minor}`, why: 'The whole cluster is looked at once more.', rollback: NOTHING_TO_UNDO },
      policy,
    ),
  ];
  const plan: UpgradePlan = {
    cluster: facts.cluster,
    kind: 'undo',
    undoes: { step, runId: run.runId, startedAt: run.startedAt },
    from: minor,
    to: minor,
    hops: [minor],
    strategy: 'every-hop',
    strategies: [],
    steps: all,
    findings,
    expectedMs: all.reduce((sum, { expectedMs }) => sum + expectedMs, 0),
    hash: '',
  };
  return { ...plan, hash: planHash(plan) };
}
