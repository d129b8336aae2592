/** `belay start` and `belay rollback` where the plan breaks rules: said once, as JSON where that was asked for. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showStarted } from '../../../cli/commands/start.ts';
import { UpgradesError } from '../../../client/calls/contract.ts';
import type { RuleViolation } from '../../../domain/plan/model/types.ts';

const VIOLATION: RuleViolation = {
  rule: 'karpenter-supports-both-minors',
  message: 'Karpenter 0.37 does not support 1.34.',
  remedy: 'Upgrade Karpenter to 1.6 first.',
};
const refused = (): Promise<never> =>
  Promise.reject(
    new UpgradesError('refused', 'prod cannot be upgraded to 1.34. Nothing was started.\n- Karpenter 0.37 does not support 1.34.', {
      violations: [VIOLATION],
    }),
  );

const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

const FAILURE = { message: 'Nothing was started: no plan satisfies all rules. See the remedies above.', exitCode: 2 };

test('as text each rule is said once, with its remedy', async () => {
  await expect(showStarted({ format: 'text' }, refused)).rejects.toMatchObject(FAILURE);
  expect(printed.join('')).toBe(
    '✗ Karpenter 0.37 does not support 1.34. (karpenter-supports-both-minors)\n  → Upgrade Karpenter to 1.6 first.\n',
  );
});

test('as JSON it is what belay plan prints', async () => {
  await expect(showStarted({ format: 'json' }, refused)).rejects.toMatchObject(FAILURE);
  expect(JSON.parse(printed.join(''))).toEqual({ kind: 'refused', violations: [VIOLATION] });
});

test('any other failure stays as it is, and prints nothing', async () => {
  const failure = new UpgradesError('already-running', 'prod is already being upgraded to 1.34.');
  await expect(showStarted({ format: 'json' }, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(printed).toEqual([]);
});
