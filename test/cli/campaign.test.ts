/** `belay campaign` from its plan to its end: a real worker starts real runs, in two accounts, each on a world of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { parse, stringify } from 'yaml';
import { FleetBackstage } from '../../rehearsal/play/fleet/backstage.ts';
import type { FleetDriver } from '../../rehearsal/play/fleet/driver.ts';
import { performFleet } from '../../rehearsal/play/fleet/perform.ts';
import { untilReady } from '../../rehearsal/play/drive.ts';
import { belayEnvironment } from '../../rehearsal/processes/belay.ts';
import { startPersona } from '../../rehearsal/neighbours/slack/persona.ts';
import { eventually } from '../support/eventually.ts';
import { onTerminal } from './on-terminal.ts';
import { type Ran, runBelay } from './run-belay.ts';
import type { FleetScene } from '../../rehearsal/play/fleet/backstage.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-campaign-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const CAMPAIGN = `campaigns:
  fleet:
    target: "1.32"
    perRegion: 1
    exclude:
      - { clusters: [staging-1], reason: frozen until the audit }
    rings:
      - { name: dev, select: { environments: [dev] }, canary: true, soak: 1s, coversStart: true }
      - { name: production, select: { environments: [production] }, parallel: "100%", soak: 0s }
`;

test('rings are planned, asked, run, soaked and completed; runs say whose they are, and those of a command line that nobody verifies ask at their first gate, whatever its ring covers', async () => {
  const said: string[] = [];
  const given = {
    options: { fleet: 4, speed: 600, auto: 'approve' as const },
    directory,
    say: (line: string) => void said.push(line),
    interrupted: new AbortController(),
  };
  const backstage = new FleetBackstage(given);
  const drive: FleetDriver = async ({ scene, signal }) => {
    const { stage, belay } = scene;
    const { campaigns: _own, ...config } = parse(readFileSync(belay.configFile, 'utf8'));
    writeFileSync(belay.configFile, `${stringify(config)}${CAMPAIGN}`);
    await untilReady(stage.slack, scene.watcher, signal);
    const env = belayEnvironment(belay, { PATH: process.env['PATH'] }) as Record<string, string>;
    const campaign = (...args: string[]): Promise<Ran> => runBelay(['campaign', ...args], { cwd: directory, env, limitMs: 120_000 });
    const planned = await campaign('plan', 'fleet');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toMatch(/^Campaign fleet to 1\.32: 3 clusters in 2 rings, plan [0-9a-f]{12}/);
    expect(planned.stdout).toContain('111122223333/eu-central-1/staging-1: frozen until the audit');
    expect(await campaign('plan', 'flet')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no campaign "flet"; did you mean "fleet"? there are: fleet'),
    });
    const started = await campaign('start', 'fleet');
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(await campaign('start', 'fleet')).toMatchObject({ code: 2 });
    const stopped = await onTerminal(['campaign', 'stop', 'fleet'], { answers: 'n\n', cwd: directory, env });
    expect(stopped).toMatchObject({
      code: 2,
      screen: expect.stringMatching(/dev: 0\/1 done[^]*Stop campaign fleet\? \[y\/N\] n\nNothing was sent\./),
    });
    await eventually('it asks', async () => (await campaign('status', 'fleet')).stdout.includes('Open gate ring:dev@1.32#1'));
    const kept = await onTerminal(['campaign', 'promote', 'fleet'], { answers: 'n\n', cwd: directory, env });
    expect(kept).toMatchObject({
      code: 2,
      screen: expect.stringMatching(/Next: [^]*What can be undone: [^]*\[y\/N\] n\nNothing was sent\./),
    });
    expect(await campaign('promote', 'fleet')).toMatchObject({
      code: 0,
      stdout: 'Recorded: Approve.\n',
      stderr: expect.stringContaining('Next: '),
    });
    expect(await campaign('approve', 'fleet', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Campaign fleet has no identical gates to approve now'),
    });
    const decided: string[] = [];
    await whileApproved(scene, decided, () => scene.watcher.untilClosed('eks-campaign/fleet', new Date(0), signal));
    // A query that meets the very end is asked again.
    const last = await eventually('its last state is shown', async () => (await campaign('status', 'fleet')).stdout || undefined);
    expect(last).toContain('Campaign fleet to 1.32, complete: Every ring is complete. 3 of 3 clusters done.');
    // No key vouches for the start of such a run.
    expect(decided).toContain('dev-1 before:pre-checks@1.32#1');
    expect(decided).toContain('dev-1 before:control-plane@1.32#1');
    expect(decided).toContain('fleet ring:production@1.32#1');
    expect(decided).toContain('production-1 before:pre-checks@1.32#1');
    const upgraded = stage.clusters.map(({ built }) => [
      built.scenario.cluster.name,
      built.world.eks.cluster.name,
      built.world.eks.cluster.version,
    ]);
    // F38: two accounts have a "main" each.
    expect(upgraded).toEqual([
      ['dev-1', 'main', '1.32'],
      ['staging-1', 'staging-1', '1.31'],
      ['production-1', 'main', '1.32'],
      ['production-2', 'production-2', '1.32'],
    ]);
    const connection = await Connection.connect({ address: belay.temporal.address });
    const query = `BelayCampaign = 'fleet' AND BelayRing = 'production' AND WorkflowType = 'upgradeCluster'`;
    expect((await new Client({ connection }).workflow.count(query)).count).toBe(2);
    await connection.close();
    await takeBack(campaign, { scene, signal });
    return { campaign: { name: 'fleet', state: 'complete', rings: [] }, clusters: [] };
  };
  try {
    await performFleet(given, backstage, drive);
  } catch (error) {
    const log = readFileSync(join(directory, 'worker.log'), 'utf8').slice(-3_000);
    throw new Error(`${String(error)}\nThe worker said:\n${log}`, { cause: error });
  } finally {
    await backstage.tearDown();
  }
}, 2_700_000);

/** Sam presses what opens, and it is written down. */
async function whileApproved(scene: FleetScene, decided: string[], work: () => Promise<unknown>): Promise<void> {
  const persona = startPersona({
    slack: scene.stage.slack,
    user: 'U0SAM',
    mode: 'approve',
    thinkMs: 250,
    decide: (gate, workflowId) => {
      decided.push(`${workflowId.split('/').at(-1)} ${gate}`);
      return undefined;
    },
  });
  try {
    await work();
  } finally {
    persona.close();
  }
}

/** F41: a ring that has arrived goes back, by one approval with a reason. */
async function takeBack(
  campaign: (...args: string[]) => Promise<Ran>,
  { scene, signal }: { scene: FleetScene; signal: AbortSignal },
): Promise<void> {
  const dry = await campaign('rollback', 'fleet', 'dev', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(
    /^Rollback of ring dev of campaign fleet to 1\.31: 1 of 1 cluster can be rolled back, plan [0-9a-f]{12}\n\nTo roll back, 1 at a time, least time left first:\n {2}dev-1 \(111122223333, eu-central-1\): EKS can roll it back until 20/,
  );
  expect(await campaign('rollback', 'fleet', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('campaign fleet has no ring nowhere; its rings: dev, production'),
  });
  const started = await campaign('rollback', 'fleet', 'dev');
  expect(started).toMatchObject({ code: 0, stderr: '' });
  expect(started.stdout).toContain('"belay campaign promote fleet.rollback.dev --reason ..."');
  await eventually('it asks', async () => (await campaign('status', 'fleet.rollback.dev')).stdout.includes('Open gate ring:dev@1.31#1'));
  expect(await campaign('promote', 'fleet.rollback.dev')).toMatchObject({ code: 2 });
  expect(await campaign('promote', 'fleet.rollback.dev', '--reason', 'the shop is down')).toMatchObject({ code: 0 });
  const decided: string[] = [];
  await whileApproved(scene, decided, () => scene.watcher.untilClosed('eks-campaign/fleet.rollback.dev', new Date(0), signal));
  const last = await eventually('its end is shown', async () => (await campaign('status', 'fleet.rollback.dev')).stdout || undefined);
  expect(last).toContain('Rollback of ring dev of campaign fleet to 1.31, complete: Every ring is complete. 1 of 1 cluster done.');
  expect(decided.some((gate) => gate.startsWith('dev-1 before:control-plane-back@'))).toBe(true);
  expect(decided.some((gate) => gate.startsWith('dev-1 before:rollback-checks@'))).toBe(true);
  expect(scene.stage.clusters[0]?.built.world.eks.cluster.version).toBe('1.31');
}
