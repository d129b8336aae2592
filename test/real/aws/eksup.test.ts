/** eksup, unmodified, analyses a twin as it would a cluster. It takes long to build: `node test/real/aws/install.ts eksup`, once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { printed, type RunningTwin, startTwin } from './twin.ts';
import { eksup } from './tools.ts';

const binary = eksup();
const analysed = binary === undefined ? test.skip : test;
let twin: RunningTwin;

beforeAll(async () => {
  twin = await startTwin('seed-000', 60);
});
afterAll(() => twin.close());

const analyze = (...args: string[]): Promise<string> =>
  printed(binary ?? '', ['analyze', '--cluster', twin.cluster, '--target-version', '1.32', ...args], twin.env);

analysed('analyses the cluster and prints its findings', async () => {
  const out = await analyze('--format', 'json');
  expect(JSON.parse(out)).toBeDefined();
});
