/** The seed that is planted into a real API server. */
import { expect, test } from 'vitest';
import { seedWorld } from '../../../rehearsal/real/world.ts';
import { findScenario } from '../../../rehearsal/scenarios/index.ts';

test('faults wait for the cluster: what they change is changed there, not in the seed', () => {
  const { world } = seedWorld({ scenario: findScenario('small'), speed: 60, faults: ['pdb:blocks'] }).built;
  const budgets = (): string[] => world.store.list('poddisruptionbudgets').map(({ metadata }) => metadata.name);
  expect(budgets()).not.toContain('nothing-may-go');
  expect(world.faults.records).toEqual([{ fault: 'pdb:blocks', struck: 0 }]);
  world.faults.begin();
  expect(budgets()).toContain('nothing-may-go');
});
