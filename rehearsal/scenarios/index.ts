/** All scenarios by name. */
import { autoMode } from './auto-mode.ts';
import { fargate } from './fargate.ts';
import { karpenterThirty } from './karpenter-thirty.ts';
import { readiness } from './readiness.ts';
import { readinessOld } from './readiness-old.ts';
import { ready } from './ready.ts';
import type { Scenario } from './scenario.ts';
import { scale50, scale500, scale5000 } from './scale.ts';
import { seed000, seed000Terraform } from './seed-000.ts';
import { seed002 } from './seed-002.ts';
import { selfManaged } from './self-managed.ts';
import { small } from './small.ts';
import { smallIstioHelm } from './small-istio-helm.ts';
import { smallIstioLabel } from './small-istio-label.ts';
import { whole } from './whole.ts';

export type { Scenario } from './scenario.ts';

export const SCENARIOS: Record<string, Scenario> = Object.fromEntries(
  [
    seed000,
    seed000Terraform,
    seed002,
    small,
    smallIstioHelm,
    smallIstioLabel,
    karpenterThirty,
    whole,
    autoMode,
    fargate,
    selfManaged,
    ready,
    readiness,
    readinessOld,
    scale50,
    scale500,
    scale5000,
  ].map((scenario) => [scenario.name, scenario]),
);

export function scenarioNamed(name: string): Scenario | undefined {
  return Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
}

/** Throws a RangeError that lists the names. */
export function findScenario(name: string): Scenario {
  const found = scenarioNamed(name);
  if (found === undefined) throw new RangeError(`there is no scenario "${name}": choose one of ${Object.keys(SCENARIOS).join(', ')}`);
  return found;
}
