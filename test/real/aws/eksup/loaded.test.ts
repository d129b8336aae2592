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

/** eksup prints sets, such as the versions of an add-on, in another order each time. */
const findingsIn = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.toSorted() : value,
  );

test('the same findings, as JSON', async () => {
  const [source, loaded] = await analyze('json');
  expect(source).toContain('"code": "EKS005"');
  expect(findingsIn(loaded)).toEqual(findingsIn(source));
});

test('the same report, as text', async () => {
  const [source, loaded] = await analyze('text');
  expect(source).toMatch(/EKS\d{3}|K8S\d{3}/);
  expect(loaded).toBe(source);
});
