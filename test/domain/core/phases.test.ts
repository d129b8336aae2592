/** Step ids are read back as they were made, and nothing else is taken for one. */
import { expect, test } from 'vitest';
import { ALL_PHASES, parseStepId, stepId } from '../../../domain/core/phases.ts';

test('the phase and minor of every step are read back', () => {
  for (const phase of ALL_PHASES) expect(parseStepId(stepId(phase, '1.33'))).toEqual({ phase, minor: '1.33' });
});

// "bakes" is a phase with one letter more.
test.each(['', 'bake', 'bakes', '@1.33', 'reboot@1.33'])('"%s" is refused with its text', (id) => {
  expect(() => parseStepId(id)).toThrow(new RangeError(`"${id}" is not a step id such as control-plane@1.33`));
});
