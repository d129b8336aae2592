import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RehearsalReport } from '../../rehearsal/play/report.ts';
import { runBelay } from '../cli/run-belay.ts';
import { processesOf } from '../support/processes.ts';
import { startWorld } from '../support/world.ts';

/** Temporary files of the rehearsal lie here, so that its processes can be told by their arguments. */
let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-play-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('an upgrade completes through a killed worker; nothing is left, neither in the world nor on this machine', async () => {
  const json = join(directory, 'out.json');
  const args = ['rehearse', '--scenario', 'small', '--speed', '600', '--auto', 'approve', '--kill', 'worker@control-plane', '--json', json];
  const ran = await runBelay(args, { cwd: directory, env: { HOME: process.env['HOME'] ?? '', TMPDIR: directory }, limitMs: 150_000 });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const report: RehearsalReport = JSON.parse(readFileSync(json, 'utf8'));
  expect(report).toMatchObject({ outcome: 'completed', scenario: 'small', from: '1.31', to: '1.32', leftBehind: [], unmet: [] });
  expect(report.workflowId).toBe('eks-upgrade/111122223333/eu-central-1/small');
  const made = report.mutations.filter(({ operation, accepted }) => operation === 'UpdateClusterVersion' && accepted);
  expect(made).toHaveLength(1);
  expect(made[0]?.token).toMatch(/^belay-[0-9a-f]{32}$/);
  expect(report.killed).toEqual([{ process: 'worker', at: 'control-plane', recoveredMs: expect.any(Number) }]);
  expect(report.steps.every(({ outcome }) => outcome === 'completed')).toBe(true);
  expect(report.gates.map(({ id, choice, by }) => `${id} ${choice} ${by}`)).toContain('before:control-plane@1.32#1 approve U0SAM');
  expect(report.historyEvents).toBeGreaterThan(0);
  expect(report.historyBytes).toBeGreaterThan(0);
  expect(processesOf(directory)).toEqual([]);
  // Only the report: database and logs of a rehearsal that passed are of no use.
  expect(readdirSync(directory)).toEqual(['out.json']);
}, 540_000);

test('the world alone gives its addresses to any client, and goes when it is told to', async () => {
  const { endpoints, stop } = await startWorld(directory, 'small');
  let code: number | null = null;
  try {
    expect(Object.keys(endpoints)).toEqual(['eks', 'kubeconfig', 'slack', 'prometheus', 'temporal']);
    expect(readFileSync(endpoints.kubeconfig, 'utf8')).toContain('server: https://127.0.0.1:');
    const health = await fetch(`${endpoints.slack}api.test`, { method: 'POST' });
    expect(await health.json()).toMatchObject({ ok: true });
  } finally {
    code = await stop();
  }
  expect(code).toBe(0);
  expect(processesOf(directory)).toEqual([]);
}, 270_000);

test('a Temporal of somebody else is not ours to kill', async () => {
  const ran = await runBelay(['rehearse', '--scenario', 'small', '--kill', 'temporal@node-groups'], {
    cwd: directory,
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toBe('--kill temporal@… needs a Temporal server of the rehearsal’s own; unset TEMPORAL_ADDRESS.\n');
});
