/** eksup, unmodified, against a world that was loaded from a snapshot: it finds what it finds in its source. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadedWorlds, openLoadedWorlds } from '../loaded-worlds.ts';
import { buildEksup } from '../tools.ts';

let worlds: LoadedWorlds;

beforeAll(async () => {
  worlds = await openLoadedWorlds();
});
afterAll(() => worlds.close());

const analyze = (format: string): Promise<[string, string]> =>
  worlds.both(buildEksup(), 'analyze', '--cluster', 'shop', '--target-version', '1.34', '--format', format);

test('the same findings, as JSON', async () => {
  const [source, loaded] = await analyze('json');
  const found: Record<string, unknown> = JSON.parse(source);
  expect(Object.values(found).some((part) => JSON.stringify(part).includes('"code"'))).toBe(true);
  expect(JSON.parse(loaded)).toEqual(found);
});

test('the same report, as text', async () => {
  const [source, loaded] = await analyze('text');
  expect(source).toMatch(/EKS\d{3}|K8S\d{3}/);
  expect(loaded).toBe(source);
});
