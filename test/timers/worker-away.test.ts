/** Attempts are counted, not the time in which nobody is there to make them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEFAULT_TIMING } from '../../domain/policy/config/defaults.ts';
import { bounded } from '../../workflows/runtime/activity-proxies.ts';
import { EFFECTS } from '../../workflows/runtime/activity-effects.ts';
import { approveAll } from '../support/upgrade.ts';
import { later, MINUTE, patientCluster, SECOND, withPatience } from './support.ts';

test('RA11: an API server that fails all the time ends the step once transient API errors has lasted too long', async () => {
  let calls = 0;
  const fake = patientCluster(['control-plane'], () => ({
    startControlPlaneUpdate: async () => {
      calls += 1;
      return later('the API server does not answer', DEFAULT_TIMING.pollMaxMs);
    },
  }));
  await withPatience(fake, async ({ run, pass, nowMs }) => {
    await run.until(() => calls === 1, approveAll);
    const before = await nowMs();
    await pass(DEFAULT_TIMING.apiTransientMs - MINUTE);
    expect((await run.status()).gates).toEqual([]);
    await pass(5 * MINUTE);
    await run.until(({ gates }) => gates.some(({ id }) => id === 'failed:control-plane@1.32#1'));
    expect((await nowMs()) - before).toBeLessThan(DEFAULT_TIMING.apiTransientMs + 10 * MINUTE);
  });
});

test.each([
  [{ initialInterval: SECOND, backoffCoefficient: 1.5, maximumInterval: 30 * SECOND }, 15 * MINUTE],
  [{ initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10 * SECOND }, 5 * MINUTE],
  [{ initialInterval: 100, backoffCoefficient: 1.5, maximumInterval: 100 }, MINUTE],
])('RA11: the attempts of %o fill the time, and no more than one pause beyond it', (backoff, tryingMs) => {
  const { maximumAttempts } = bounded(backoff, tryingMs);
  let waitedMs = 0;
  for (let pause = 0; pause < maximumAttempts - 1; pause += 1)
    waitedMs += Math.min(backoff.maximumInterval, backoff.initialInterval * backoff.backoffCoefficient ** pause);
  expect(waitedMs).toBeGreaterThanOrEqual(tryingMs);
  expect(waitedMs).toBeLessThanOrEqual(tryingMs + backoff.maximumInterval);
});

test('RA11: what puts something back is owed: it is not given up while the API is away', () => {
  // Decided by people at a gate, with an outcome of their own, or the step itself.
  const decided = ['moveBack', 'releaseAmis'];
  const restoring = Object.entries(EFFECTS).flatMap(([name, effect]) => (effect === 'restores' && !decided.includes(name) ? [name] : []));
  expect(restoring.length).toBeGreaterThan(10);
  const folder = fileURLToPath(new URL('../../workflows/', import.meta.url));
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(folder + file, 'utf8'));
  const bounded = restoring.filter((name) => code.some((text) => new RegExp(`\\b(quick|survey)\\s*\\.\\s*${name}\\b`).test(text)));
  expect(bounded).toEqual([]);
});
