/** Which gates may be decided for several runs with one press, and what has to be the same for that. Every kind is in the table, with its reason. */
import { type PhaseId, phaseOf } from '../core/phases.ts';
import { MAIN_RULE } from './approvals.ts';
import { type EvidenceVerdict, type GateTerms, verdictOf } from './evidence.ts';
import type { GateDefinition } from './gate.ts';

/** Verdicts with which gates are offered together: anything else is for somebody who looks at that one cluster. */
export const BUNDLED_VERDICTS: readonly EvidenceVerdict[] = ['clear', 'advice'];

interface Bundling {
  bundled: boolean;
  why: string;
}
const together = (why: string): Bundling => ({ bundled: true, why });
const alone = (why: string): Bundling => ({ bundled: false, why });

/** By kind of gate: the beginning of its id. */
export const BUNDLED_GATES = {
  before: together('the plan asks for it, before anything of the step is done; phases are listed below'),
  failed: alone('each failure has causes of its own'),
  force: alone('it overrides a refusal of EKS or of a budget'),
  order: alone('it passes an environment that should come first'),
  unguarded: alone('a freeze has no guard, so reverted freezes are not restored'),
  window: alone('it passes a closed window'),
  alerts: alone('alerts fire, or cannot be read, on that cluster'),
  health: alone('a check fails on that cluster'),
  bake: alone('it continues by itself; ending it early is a choice about one cluster'),
  wave: alone('traffic or nodes of that cluster have just moved: its measurements are the evidence'),
  agents: alone('agents of a mesh move in place, without a canary'),
  gateways: alone('connections fail meanwhile'),
  change: alone('it changes what others own, and shows the values that differ'),
  retire: alone('what still uses the old revision differs by cluster'),
  blocked: alone('it names pods that would be deleted or skipped'),
  kept: alone('nodes of that cluster lag behind'),
  amis: alone('node classes and images differ by cluster'),
  promote: alone('node classes and images differ by cluster'),
  pace: alone('somebody asked for it on that cluster'),
  'unexpected-change': alone('somebody else has changed something'),
  restored: alone('history and record of that run differ'),
  ring: alone('a ring has one gate'),
} as const satisfies Record<string, Bundling>;

/** By phase, of gates before a step. Every way back is missing: whoever goes back looks at that cluster. */
export const BUNDLED_PHASES: Partial<Record<PhaseId, string>> = {
  'pre-checks': 'reads only; the plan that it lets begin has to have the same steps',
  'control-plane': 'the same move everywhere; EKS can take it back for seven days',
  'node-groups': 'drains keep to budgets, and what they cannot move asks at gates of its own',
  'other-nodes': 'as node groups',
  'karpenter-drift': 'paced, and what it cannot move asks at gates of its own',
};

/** Why a gate is decided for its run alone; undefined: it may be offered with others. */
export function whyAlone(gateId: string): string | undefined {
  const kind = gateId.slice(0, gateId.indexOf(':'));
  const of: Bundling = isKnown(kind) ? BUNDLED_GATES[kind] : alone('its kind is not known');
  if (!of.bundled) return of.why;
  const phase = phaseOf(gateId.slice(kind.length + 1));
  return phase !== undefined && BUNDLED_PHASES[phase] !== undefined ? undefined : 'a gate before this phase is decided for one cluster';
}

const isKnown = (kind: string): kind is keyof typeof BUNDLED_GATES => Object.hasOwn(BUNDLED_GATES, kind);

/** undefined: it is decided alone. */
export function termsOf({ id, choices, evidence, rules, quorum, byItself }: GateDefinition): GateTerms | undefined {
  const approve = choices.find((choice) => choice.id === 'approve');
  if (whyAlone(id) !== undefined || byItself === true || approve === undefined) return undefined;
  return {
    verdict: verdictOf(evidence),
    rules: (rules ?? [{ name: MAIN_RULE, quorum }]).map((rule) => `${rule.name} ${rule.quorum}`).join(', '),
    ...(approve.needsReason === true ? { needsReason: true } : {}),
  };
}
