/** Karpenter's controller to the version that it had before the last run, never past a migration of what is stored. */
import { compareMinors, parseComponentVersion, tryComponentVersion } from '../../core/component-version.ts';
import type { KarpenterFact } from '../../facts/facts.ts';
import { karpenterRangeText, karpenterSupport } from '../../tables/karpenter.ts';
import { someOf } from '../../core/text.ts';
import { isOwnChange, karpenterDelivery } from '../karpenter/controller.ts';
import { leavesBeta } from '../karpenter/migration.ts';
import { plannedStep } from '../steps/step.ts';
import type { Delivery } from '../model/changes.ts';
import type { PlannedGate, PlannedStep, RuleViolation } from '../model/types.ts';
import { undoFreeze } from './freeze.ts';
import { paramsIn } from './last-run.ts';
import { none, notDone, refusal, runWords, type UndoInput, type UndoWay } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

const V1 = parseComponentVersion('1.0');

export function undoKarpenter(input: UndoInput): UndoWay {
  const { facts, run } = input;
  const steps = paramsIn(run, ['karpenter-migration', 'karpenter-controller']);
  const [first] = steps;
  const before = first?.from;
  if (before === undefined) return notDone(run, 'did not change Karpenter');
  const { karpenter } = facts;
  if (karpenter === undefined)
    return none(refusal('RBK104', 'Karpenter is not there any more, or could not be read.', 'Look at its Deployment, then ask again.'));
  if (same(karpenter.version, before)) return none(refusal('RBK103', `Karpenter is at ${before}.`, 'There is nothing to do.'));
  const migrated = steps.some(({ phase }) => phase === 'karpenter-migration');
  const violations = [
    ...changedSince(
      input,
      karpenter,
      steps.map(({ to }) => to),
    ),
    ...unfit(input, karpenter, before, migrated),
  ];
  if (violations.length > 0) return none(...violations);
  const delivery = karpenterDelivery(karpenter, input.policy);
  const gate = gateOf(input, karpenter, before, delivery);
  const freeze = isOwnChange(delivery) ? freezeStep(input, karpenter, gate) : undefined;
  return {
    kind: 'way',
    steps: freeze === undefined ? [controllerStep(input, karpenter, before, gate)] : [freeze, controllerStep(input, karpenter, before)],
    findings: [],
    until: `a control plane or an object needs what Karpenter ${before} does not know`,
    cost: 'about 2 minutes without new nodes',
  };
}

/** A patch that somebody has changed by hand is still the run's minor. */
function changedSince({ run }: UndoInput, { version }: KarpenterFact, reached: readonly string[]): RuleViolation[] {
  const now = tryComponentVersion(version);
  const known = reached.some((each) => {
    const to = tryComponentVersion(each);
    return now !== undefined && to !== undefined && compareMinors(now, to) === 0;
  });
  if (known) return [];
  return [
    refusal(
      'RBK104',
      `Karpenter is at ${version}, to which ${runWords(run)} has not brought it (${reached.join(', ')}): somebody has changed it since.`,
      'Whoever did that knows where it can go.',
    ),
  ];
}

function unfit({ hop, minor }: UndoInput, { version }: KarpenterFact, before: string, migrated: boolean): RuleViolation[] {
  const older = tryComponentVersion(before);
  if (older === undefined) return [refusal('RBK106', `"${before}" is no version of Karpenter that Belay can read.`, 'Deploy it by hand.')];
  if (migrated || compareMinors(older, V1) < 0)
    return [
      refusal(
        'RBK107',
        `Karpenter ${before} is from before the API v1, in which its objects are stored now: it could not read them.`,
        `Stay at ${version}, or go to another version of 1.x that supports ${minor}.`,
      ),
    ];
  if (leavesBeta(before, version))
    return [
      refusal(
        'RBK107',
        `Karpenter ${before} serves v1beta1 beside v1, and ${version} has left that for good: its CRDs know v1 alone.`,
        `Stay at 1.1 or newer; any version of it that supports ${minor} will do.`,
      ),
    ];
  const support = karpenterSupport(older, hop.to);
  if (support === 'supported') return [];
  const range = karpenterRangeText(older);
  return [
    refusal(
      'RBK106',
      support === 'unknown'
        ? `Whether Karpenter ${before} supports ${minor} is not known to this release of Belay.`
        : `Karpenter ${before} does not support ${minor}${range === undefined ? '' : `: it runs on ${range}`}.`,
      'Stay, or take the control plane back first while EKS allows that: belay rollback CLUSTER.',
    ),
  ];
}

const same = (a: string, b: string): boolean => a.replace(/^v/, '') === b.replace(/^v/, '');

function gateOf({ facts }: UndoInput, { version }: KarpenterFact, before: string, delivery: Delivery | undefined): PlannedGate {
  return {
    title: `Take Karpenter of ${facts.cluster.name} back to ${before}?`,
    next: `Karpenter goes from ${version} to ${before}: ${howWords(delivery, before)}. The CRDs stay, and its objects with them.`,
    why: 'The newer CRDs are compatible within v1; fields that only the newer version knows are kept and not acted upon.',
    reason: true,
  };
}

function howWords(delivery: Delivery | undefined, before: string): string {
  if (delivery === undefined) return 'people are asked for it, and the Deployment is watched';
  if (delivery.kind === 'helm') return 'helm upgrades the release of the controller to the older chart, with the values that it has';
  const objects = delivery.charts
    .filter(({ chart }) => chart === 'karpenter')
    .map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return `${someOf(objects)} to ${before}`;
}

function controllerStep({ hop, minor, policy, run }: UndoInput, karpenter: KarpenterFact, before: string, gate?: PlannedGate): PlannedStep {
  const { namespace, deployment, version } = karpenter;
  const delivery = karpenterDelivery(karpenter, policy);
  const { canaryNode } = policy.karpenter;
  return plannedStep(
    hop,
    {
      phase: 'karpenter-controller',
      from: version,
      to: before,
      minimum: before,
      namespace,
      deployment,
      managedBy: policy.managedBy.karpenter,
      back: true,
      ...defined({ delivery, canaryPool: canaryNode }),
    },
    {
      title: `Karpenter ${version} → ${before}`,
      why: `${before} is what ${runWords(run)} found; it supports Kubernetes ${minor} as well.`,
      ...defined({ gate }),
      rollback: {
        what: `Karpenter, to ${version} again`,
        how: 'the same change the other way round, as the next upgrade does',
        until: 'always',
        cost: 'about 2 minutes without new nodes',
      },
    },
    policy,
  );
}

/** Another controller may see drift where the one before saw none. */
const freezeStep = (input: UndoInput, karpenter: KarpenterFact, gate: PlannedGate): PlannedStep | undefined =>
  undoFreeze(
    input,
    karpenter,
    gate,
    (pools) =>
      `An older controller may see drift where ${karpenter.version} sees none; node pools ${pools} replace nothing for it until this run ends.`,
  );
