/** Scenarios and faults by the names of the command line. */
import { SCENARIOS, scenarioNamed } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { FAULTS, type FaultName, isFault } from './world/faults.ts';

/** Throws an error that lists what there is. */
export function chooseScenario(name: string): Scenario {
  const scenario = scenarioNamed(name);
  if (scenario !== undefined) return scenario;
  const list = Object.values(SCENARIOS).map((known) => `  ${known.name}: ${known.title}`);
  throw new Error([`There is no scenario "${name}". There are:`, ...list].join('\n'));
}

/** Throws an error that lists what there is. */
export function chooseFaults(names: readonly string[]): FaultName[] {
  return names.map((name) => {
    if (isFault(name)) return name;
    const list = Object.entries(FAULTS).map(([known, what]) => `  ${known}: ${what}`);
    throw new Error([`There is no fault "${name}". There are:`, ...list].join('\n'));
  });
}
