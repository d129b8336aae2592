/** Much that lives briefly takes no more memory than it must: the young generation of V8 stays small while a cluster is read. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = new URL('../../../worker/config/small-young-generation.ts', import.meta.url).href;

/** Like pages of a list: each is dropped for the next. Prints the largest size of the young generation, in MB, while reading and afterwards. */
const READ = `
const { withSmallYoungGeneration } = await import(${JSON.stringify(MODULE)});
const { getHeapSpaceStatistics } = await import('node:v8');
const { setImmediate: pause } = await import('node:timers/promises');
async function read() {
  let page = [];
  let most = 0;
  for (let index = 0; index < 60; index += 1) {
    page = Array.from({ length: 50_000 }, (_, each) => ({ name: 'pod-' + each, labels: { app: index + '-' + each } }));
    await pause();
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    most = Math.max(most, young.space_size / 1024 / 1024);
  }
  return most;
}
console.log(await withSmallYoungGeneration(read), await read());
`;

test('it stops at 32 MB while reading, and is as it was afterwards', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', READ], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect(stderr).toBe('');
  const [reading = 0, afterwards = 0] = stdout.split(' ').map(Number);
  expect(reading).toBeLessThanOrEqual(32);
  expect(afterwards).toBeGreaterThan(32);
});
