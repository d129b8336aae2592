/** `belay rehearse --snapshot`, in processes as a person starts them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RehearsalReport } from '../../../rehearsal/play/report.ts';
import { runBelay } from '../../cli/run-belay.ts';
import { processesOf } from '../../support/processes.ts';
import { findScenario } from '../../../rehearsal/scenarios/index.ts';
import { sampleFile, sampleOf } from './samples.ts';
import { fileOf } from './write.ts';

const GUARD = fileURLToPath(new URL('../../support/only-loopback.mjs', import.meta.url));
const SMALL = sampleFile('small');

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-snapshot-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** No network, no credentials, no kubeconfig. */
function guarded(): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${GUARD}`,
    OUTSIDE_CALLS: join(directory, 'outside'),
    AWS_SHARED_CREDENTIALS_FILE: join(directory, 'none'),
    AWS_CONFIG_FILE: join(directory, 'none'),
    KUBECONFIG: join(directory, 'none'),
    // The Temporal CLI is there.
    HOME: process.env['HOME'] ?? '',
    TMPDIR: directory,
  };
}

test('F62: a snapshot is upgraded to the end without network and without credentials, and what is not played is said before and after', async () => {
  const json = join(directory, 'out.json');
  const args = ['rehearse', '--snapshot', SMALL, '--target', '1.32', '--speed', '600', '--auto', 'approve', '--json', json];
  const ran = await runBelay(args, { cwd: directory, env: guarded(), limitMs: 150_000 });
  expect(existsSync(join(directory, 'outside')) ? readFileSync(join(directory, 'outside'), 'utf8') : '').toBe('');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const report: RehearsalReport = JSON.parse(readFileSync(json, 'utf8'));
  expect(report).toMatchObject({ outcome: 'completed', scenario: 'snapshot-small', from: '1.31', to: '1.32', leftBehind: [], unmet: [] });
  expect(report.limits?.[0]).toMatch(/^The scheduler honours requests/);
  const said = ran.stdout.split('Limits of this rehearsal:');
  expect(said).toHaveLength(3);
  expect(said[1]).toContain('Snapshot of small, 1.31 → 1.32');
  expect(processesOf(directory)).toEqual([]);
}, 540_000);

test('exit code 2 where Belay refuses the plan, with what Belay says', async () => {
  const file = join(directory, 'al2.snapshot.gz');
  const scenario = findScenario('al2-to-1.33');
  writeFileSync(file, fileOf(await sampleOf(scenario)));
  const args = ['rehearse', '--snapshot', file, '--target', scenario.to, '--speed', '600', '--auto', 'approve'];
  const ran = await runBelay(args, { cwd: directory, env: guarded(), limitMs: 120_000 });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/did not start\. Slack said: .*cannot be upgraded to 1\.33 yet.*no-al2-from-1\.33/s);
}, 450_000);

test('the guard of this test bites: a call to the outside fails and is noted', async () => {
  const env = { ...guarded(), AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example', AWS_REGION: 'eu-west-1' };
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  far: {region: eu-west-1, account: "111122223333", environment: dev}\n');
  const ran = await runBelay(['check', 'far', '--target', '1.34'], { cwd: directory, env });
  expect(ran.code).not.toBe(0);
  expect(readFileSync(join(directory, 'outside'), 'utf8')).toContain('eks.eu-west-1.amazonaws.com');
}, 180_000);

describe('is refused', () => {
  test.each([
    { why: 'without a target', args: [], code: 1, says: '--snapshot needs the Kubernetes version to upgrade to: add --target 1.34.' },
    {
      why: 'beside a scenario',
      args: ['--target', '1.32', '--scenario', 'small'],
      code: 1,
      says: 'Use either --snapshot or --scenario, not both: the snapshot already defines the cluster.',
    },
    {
      why: 'beside a fleet',
      args: ['--target', '1.32', '--fleet', '6'],
      code: 1,
      says: 'Use either --snapshot or --fleet, not both: the snapshot already defines the cluster.',
    },
    {
      why: 'to a minor that is not newer',
      args: ['--target', '1.31'],
      code: 2,
      says: '--target 1.31 is not newer than 1.31, which the cluster of the snapshot runs',
    },
  ])('$why', async ({ args, code, says }) => {
    const ran = await runBelay(['rehearse', '--snapshot', SMALL, ...args], { cwd: directory });
    expect(ran).toMatchObject({ code, stderr: `${says}\n` });
  });

  test('F57: where the file is truncated', async () => {
    const file = join(directory, 'half.gz');
    writeFileSync(file, readFileSync(SMALL).subarray(0, 4_000));
    const ran = await runBelay(['rehearse', '--snapshot', file, '--target', '1.32'], { cwd: directory });
    expect(ran).toMatchObject({ code: 1, stderr: `${file} ends in the middle: it is truncated, copy it again or take a new snapshot\n` });
  });

  test('a target without a snapshot', async () => {
    const ran = await runBelay(['rehearse', '--target', '1.32'], { cwd: directory });
    expect(ran).toMatchObject({
      code: 1,
      stderr: '--target needs --snapshot: a scenario has its own target. Add --snapshot FILE, or leave out --target.\n',
    });
  });
});
