/** `belay campaign` from its plan to its end: a real worker starts real runs, in two accounts, each on a world of its own. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { FleetBackstage } from '../../rehearsal/play/fleet/backstage.ts';
import type { FleetDriver } from '../../rehearsal/play/fleet/by-hand.ts';
import { performFleet } from '../../rehearsal/play/fleet/perform.ts';
import { untilReady } from '../../rehearsal/play/drive.ts';
import { belayEnvironment } from '../../rehearsal/processes/belay.ts';
import { startPersona } from '../../rehearsal/slack/persona.ts';
import { eventually } from '../support/eventually.ts';
import { type Ran, runBelay } from './run-belay.ts';

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

test('rings are planned, asked, run, soaked and completed; runs say whose they are, and the first gate of a covered ring is not asked', async () => {
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
    appendFileSync(belay.configFile, CAMPAIGN);
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
    await eventually('it asks', async () => (await campaign('status', 'fleet')).stdout.includes('Open gate ring:dev@1.32#1'));
    expect(await campaign('promote', 'fleet')).toMatchObject({ code: 0, stdout: 'Recorded: Approve.\n' });
    expect(await campaign('approve', 'fleet', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Campaign fleet offers no equal gates now'),
    });
    const decided: string[] = [];
    const persona = startPersona({
      slack: stage.slack,
      user: 'U0SAM',
      mode: 'approve',
      thinkMs: 250,
      decide: (gate, workflowId) => {
        decided.push(`${workflowId.split('/').at(-1)} ${gate}`);
        return undefined;
      },
    });
    try {
      await scene.watcher.untilClosed('eks-campaign/fleet', new Date(0), signal);
    } finally {
      persona.close();
    }
    // A query that meets the very end is asked again.
    const last = await eventually('its last state is shown', async () => (await campaign('status', 'fleet')).stdout || undefined);
    expect(last).toContain('Campaign fleet to 1.32, complete: Every ring is complete. 3 of 3 clusters have arrived.');
    expect(decided).not.toContain('dev-1 before:pre-checks@1.32#1');
    expect(decided).toContain('dev-1 before:control-plane@1.32#1');
    expect(decided).toContain('fleet ring:production@1.32#1');
    expect(decided).toContain('production-1 before:pre-checks@1.32#1');
    const upgraded = stage.clusters.map(({ built }) => [built.scenario.cluster.name, built.world.eks.cluster.version]);
    expect(upgraded).toEqual([
      ['dev-1', '1.32'],
      ['staging-1', '1.31'],
      ['production-1', '1.32'],
      ['production-2', '1.32'],
    ]);
    const connection = await Connection.connect({ address: belay.temporal.address });
    const query = `BelayCampaign = 'fleet' AND BelayRing = 'production' AND WorkflowType = 'upgradeCluster'`;
    expect((await new Client({ connection }).workflow.count(query)).count).toBe(2);
    await connection.close();
    return [];
  };
  try {
    await performFleet(given, backstage, drive);
  } catch (error) {
    const log = readFileSync(join(directory, 'worker.log'), 'utf8').slice(-3_000);
    throw new Error(`${String(error)}\nThe worker said:\n${log}`, { cause: error });
  } finally {
    await backstage.tearDown();
  }
}, 400_000);
