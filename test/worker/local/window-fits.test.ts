/** Windows of belay.yaml, by cluster, as forecasts ask for them. */
import { expect, test } from 'vitest';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import { windowFits } from '../../../worker/local/window-fits.ts';

const place = { account: '111122223333', region: 'eu-west-1' };
const CONFIG = validateConfig(
  {
    clusters: { shop: { ...place, environment: 'prod' }, lab: place },
    environments: {
      prod: {
        windows: {
          maintenance: [{ days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:30', timeZone: 'Europe/Berlin' }],
        },
      },
    },
  },
  { fileName: 'belay.yaml' },
);

test('each cluster has its own windows; one that belay.yaml does not name there may always start', () => {
  const fits = windowFits(CONFIG);
  const at = Date.parse('2026-11-26T12:00:00Z');
  const start = (name: string, region = 'eu-west-1', needMs = 0): string | undefined => {
    const found = fits({ account: '111122223333', region, name }, at, needMs);
    return found === undefined ? undefined : new Date(found).toISOString();
  };
  expect(start('shop')).toBe('2026-12-08T01:30:00.000Z');
  expect(start('shop', 'eu-west-1', 4 * 3_600_000)).toBeUndefined();
  expect(start('lab')).toBe('2026-11-26T12:00:00.000Z');
  expect(start('shop', 'us-east-1')).toBe('2026-11-26T12:00:00.000Z');
});
