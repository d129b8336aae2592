/** A connection that is closed while a call waits for its next try: in a process of its own, since what is wrong there ends the process. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const CLIENT = new URL('../../../client/upgrades-client.ts', import.meta.url).href;

/** Nothing listens on port 1. The process is busy beyond the time of the next try, and closes before timers have their turn. */
const CLOSES_LATE = `
  const { connectUpgrades } = await import('${CLIENT}');
  const connected = connectUpgrades({ resolveCluster: () => ({}), address: '127.0.0.1:1' });
  connected.upgrades.list().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const until = performance.now() + 600; performance.now() < until; );
  await connected.close();
  await new Promise((resolve) => setTimeout(resolve, 500));
`;

test('a try that is late, since the machine is busy, is waited for', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', CLOSES_LATE], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect([status, stderr]).toEqual([0, '']);
});
