/** Scenarios and faults by the names of the command line. */
import { requireRealParts } from '../world/faults/real-parts.ts';
import type { RehearseOptions } from './options.ts';
import { SCENARIOS, scenarioNamed } from '../scenarios/index.ts';
import { snapshotScenario } from '../scenarios/snapshot/index.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { parseFaults } from '../world/faults/parse.ts';

/** A scenario by its name, or that of a snapshot. Throws an error that lists what there is, or says why the snapshot cannot be played. */
export function scenarioOf({ scenario, snapshot }: Pick<RehearseOptions, 'scenario' | 'snapshot'>): Scenario {
  return snapshot === undefined ? chooseScenario(scenario) : snapshotScenario(snapshot.of, snapshot.target);
}

/** Throws an error that lists what there is. */
export function chooseScenario(name: string): Scenario {
  const scenario = scenarioNamed(name);
  if (scenario !== undefined) return scenario;
  const list = Object.values(SCENARIOS).map((known) => `  ${known.name}: ${known.title}`);
  throw new Error([`There is no scenario "${name}". There are:`, ...list].join('\n'));
}

/** Throws an error that lists what there is, the nearest first, or says why real parts cannot play it. */
export function chooseFaults(texts: readonly string[], kubernetes: RehearseOptions['kubernetes'] = 'twin'): string[] {
  if (kubernetes === 'real') requireRealParts(texts);
  else parseFaults(texts);
  return [...texts];
}
