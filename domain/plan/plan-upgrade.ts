/** From facts and a target to a validated plan, or to every reason why there is none. Pure: the same input gives the same plan and hash. */
import { expectPlan, withoutExpectations } from './durations/expect-plan.ts';
import type { ClusterFacts } from '../facts/facts.ts';
import type { NodeStrategy, UpgradePolicy } from '../policy/policy.ts';
import { sha256 } from '../core/sha256.ts';
import { compareKubernetesVersions, formatKubernetesVersion, type KubernetesVersion, tryKubernetesVersion } from '../core/version.ts';
import { draftPlan } from './draft.ts';
import { planFindings } from './findings/plan-findings.ts';
import { withSwitches } from './karpenter/node-class-switch.ts';
import { controlPlaneMinor } from './state/nodes.ts';
import { kubeProxySkew } from './rules/add-ons.ts';
import { onceAtTheEndWithinSkew } from './rules/nodes.ts';
import { stableJson } from '../core/stable-json.ts';
import type { PlanResult, RuleViolation, StrategyCost, UpgradePlan } from './model/types.ts';
import { validatePlan, validateRequest } from './validate.ts';
import type { Learnt } from './model/usual.ts';
import type { Draft } from './state/draft-plan.ts';

export interface PlanRequest {
  /** Kubernetes minor, "1.34". */
  target: string;
  /** Goes before the policy's. */
  strategy?: NodeStrategy;
  policy: UpgradePolicy;
  /** ISO 8601: support dates are compared with it. */
  now: string;
  /** From earlier upgrades. */
  learnt?: Learnt;
  /** Why nothing could be. */
  unlearnt?: string;
}

interface Option {
  draft: Draft;
  plan: UpgradePlan;
  violations: RuleViolation[];
}

/** Rules that a node roll at every hop keeps where one at the end cannot. */
const SKEW_RULES: readonly string[] = [onceAtTheEndWithinSkew.name, kubeProxySkew.name];

/**
 * Plans the upgrade of a cluster. Refused plans come with all violations at once, each with its remedy.
 * Throws a RangeError only when EKS's own version of the control plane cannot be read.
 */
export function planUpgrade(seen: ClusterFacts, request: PlanRequest): PlanResult {
  const facts = withSwitches(seen, request.policy);
  const target = tryKubernetesVersion(request.target);
  if (target === undefined || compareKubernetesVersions(target, controlPlaneMinor(facts)) <= 0)
    return { kind: 'refused', violations: validateRequest(request.target, facts) };

  const everyHop = option(facts, request, target, 'every-hop');
  const once = option(facts, request, target, 'once-at-the-end');
  const strategies = [cost('once-at-the-end', once, obstacle(once, everyHop)), cost('every-hop', everyHop)];
  const strategy = chooseStrategy(request, strategies);
  const chosen = strategy === 'every-hop' ? everyHop : once;
  const plan = expectPlan(withHash({ ...chosen.plan, strategies }), request, request.policy.timing);
  const violations = unique(validatePlan(plan, facts));
  return violations.length > 0 ? { kind: 'refused', violations } : { kind: 'plan', plan };
}

/** The hash that an approval is for, SHA-256 over everything that is done, and not over how long that may take. */
export function planHash(plan: UpgradePlan): string {
  return sha256(stableJson({ ...withoutExpectations(plan), hash: undefined }));
}

function withHash(plan: UpgradePlan): UpgradePlan {
  return { ...plan, hash: planHash(plan) };
}

function option(facts: ClusterFacts, request: PlanRequest, target: KubernetesVersion, strategy: NodeStrategy): Option {
  const draft = draftPlan({ facts, target, strategy, policy: request.policy, now: request.now });
  const plan: UpgradePlan = {
    cluster: facts.cluster,
    from: formatKubernetesVersion(controlPlaneMinor(facts)),
    to: formatKubernetesVersion(target),
    hops: draft.hops.map((hop) => formatKubernetesVersion(hop.to)),
    strategy,
    strategies: [],
    steps: draft.steps,
    findings: planFindings({ facts, draft, target, now: request.now }),
    expectedMs: draft.steps.reduce((sum, step) => sum + step.expectedMs, 0),
    hash: '',
  };
  return { draft, plan, violations: validatePlan(plan, facts) };
}

/** What speaks against one roll at the end, where rolling at every hop would do. */
function obstacle(once: Option, everyHop: Option): RuleViolation | undefined {
  const unavoidable = new Set(everyHop.violations.map((violation) => violation.message));
  return once.violations.find((violation) => SKEW_RULES.includes(violation.rule) && !unavoidable.has(violation.message));
}

function cost(strategy: NodeStrategy, { draft }: Option, against?: RuleViolation): StrategyCost {
  const costs = {
    strategy,
    possible: against === undefined,
    nodeReplacementCount: draft.nodeReplacementCount,
    hopCount: draft.hops.length,
  };
  return against === undefined ? costs : { ...costs, why: `${against.rule}: ${against.message}` };
}

/** Asked for, else configured, else one roll at the end where skew allows, unless each hop has to be able to go back by itself. */
function chooseStrategy({ strategy, policy }: PlanRequest, strategies: readonly StrategyCost[]): NodeStrategy {
  const asked = strategy ?? policy.strategy;
  if (asked !== undefined) return asked;
  const oncePossible = strategies.some((s) => s.strategy === 'once-at-the-end' && s.possible);
  return policy.rollbackEachHop || !oncePossible ? 'every-hop' : 'once-at-the-end';
}

function unique(violations: readonly RuleViolation[]): RuleViolation[] {
  return violations.filter((v, i) => violations.findIndex((w) => w.rule === v.rule && w.message === v.message) === i);
}
