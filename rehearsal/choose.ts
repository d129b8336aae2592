/** Scenarios and faults by the names of the command line. */
import { FAULTS, type FaultName, isFault } from './world/faults.ts';
import { SCENARIOS } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** Throws an error that lists what there is. */
export function chooseScenario(name: string): Scenario {
  const scenario = Object.values(SCENARIOS).find((known) => known.name === name);
  if (scenario === undefined) {
    const list = Object.values(SCENARIOS).map((known) => `  ${known.name}: ${known.title}`);
    throw new Error([`There is no scenario "${name}". There are:`, ...list].join('\n'));
  }
  return scenario;
}

/** Throws an error that lists what there is. */
export function chooseFaults(names: readonly string[]): FaultName[] {
  return names.map((name) => {
    if (isFault(name)) return name;
    throw new Error(
      [`There is no fault "${name}". There are:`, ...Object.entries(FAULTS).map(([known, what]) => `  ${known}: ${what}`)].join('\n'),
    );
  });
}
