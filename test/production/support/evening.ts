/**
 * One evening of a team that runs Belay: processes with the variables and probes of the chart, and an upgrade that goes through all that can happen to
 * them. A test for each hour; each goes on where the one before has ended.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { small } from '../../../rehearsal/scenarios/small.ts';
import { podsOf, rendered } from '../../deploy/helm.ts';
import { type Play, SAM } from '../../end-to-end/support/play.ts';
import { expectRestored } from '../../end-to-end/support/promises.ts';
import { Theatre } from '../../end-to-end/support/theatre.ts';
import { eventually } from '../../support/eventually.ts';
import { HELM } from '../../support/tools.ts';
import { NEXT_VERSION, type NextRelease, nextRelease } from './next-release.ts';
import { describeOnPostgreSql } from './describe.ts';
import { ProductionTemporal } from './temporal.ts';

const CLUSTER = 'evening';
const SPEED = 120;
const LIMIT_MS = 180_000;
/** Of the chart's Secret. */
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const [OLD_KEY, NEW_KEY] = [`spring:${keyOf(7)}`, `autumn:${keyOf(9)}`];
const BEFORE = 'before:control-plane@1.32#1';
const AFTER = 'before:node-groups@1.32#1';
const LAST = 'before:karpenter-drift@1.32#1';
const RESTORED = 'restored:control-plane@1.32/1#1';
/** Decided by the test itself; Sam approves the others. */
const HELD = [BEFORE, AFTER, LAST, RESTORED];
const PEOPLE = { [SAM]: { aws: ['arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_PlatformEngineer_*/sam@example.com'] } };
const OTHER = { DBNAME: 'temporal_b', VISIBILITY_DBNAME: 'temporal_visibility_b' };

/** What the chart sets for the worker, and the path that it asks whether it is ready. Ports are this machine's own. */
function chartWorker(): { args: string[]; env: Record<string, string>; readiness: string } {
  const pod = podsOf(rendered())['worker'];
  const [container] = pod?.containers ?? [];
  if (container === undefined) throw new Error('The chart renders no worker');
  const values = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return {
    args: container.args,
    env: { ...Object.fromEntries(values), BELAY_METRICS_ADDRESS: '127.0.0.1:0' },
    readiness: container.readinessProbe.httpGet.path,
  };
}

/** `outageMs`: how long PostgreSQL is away. */
export const playEvening = (outageMs: number): void =>
  describeOnPostgreSql('one evening', () => {
    const backups = mkdtempSync(join(tmpdir(), 'belay-backups-'));
    let chart: ReturnType<typeof chartWorker>;
    let temporal: ProductionTemporal;
    let theatre: Theatre;
    let play: Play;
    let next: NextRelease;
    let backup: string;
    beforeAll(async () => {
      if (HELM === undefined) throw new Error('Helm is missing: npm run real-parts -- helm');
      chart = chartWorker();
      next = nextRelease();
      temporal = await ProductionTemporal.open();
      process.env['TEMPORAL_ADDRESS'] = temporal.address;
      const env = { ...chart.env, BELAY_CODEC_KEYS: OLD_KEY };
      theatre = await Theatre.open(
        { [CLUSTER]: { scenario: small, timing: { gateDeadline: 3_600_000 } } },
        { speed: SPEED, env, people: PEOPLE },
      );
    }, 600_000);
    afterAll(async () => {
      delete process.env['TEMPORAL_ADDRESS'];
      await theatre?.close();
      await temporal?.close();
      next?.remove();
      rmSync(backups, { recursive: true, force: true });
    });

    const workerLog = (): string => readFileSync(join(theatre.directory, 'worker.log'), 'utf8');
    /** By the probe of the chart, at the port that the worker last had. */
    const isReady = async (): Promise<boolean> => {
      const page = [...workerLog().matchAll(/metrics at (http:\/\/[^/"]+)\/metrics/g)].at(-1)?.[1];
      if (page === undefined) return false;
      const answer = await fetch(`${page}${chart.readiness}`).catch(() => undefined);
      return answer?.status === 200;
    };
    const decisionsAt = (gateId: string) => play.record().decisions.filter(({ gate, kind }) => gate.id === gateId && kind === 'decided');

    test('six o’clock: installed with what the chart sets, ready by its probe, and an upgrade at its gate; the nightly backup is made', async () => {
      expect(chart.args).toEqual(['worker']);
      await eventually('the worker is ready', isReady, LIMIT_MS);
      play = await theatre.play(CLUSTER, { decide: (gate) => (HELD.includes(gate) ? 'ignore' : undefined) });
      await play.start();
      await play.gate(BEFORE, LIMIT_MS);
      const made = await temporal.backupScript('backup.sh', [], {
        BACKUPS: backups,
        RECORDS: theatre.recordsDirectory,
        BELAY_YAML: join(theatre.directory, 'belay.yaml'),
        BELAY_CODEC_KEYS: OLD_KEY,
      });
      backup = made.trim();
    });

    test('seven: the next release replays the run that stands at the gate, is deployed, and takes it over', async () => {
      const before = workerLog().length;
      await theatre.replace({ program: next.program });
      const checked = await theatre.belay('upgrade-self', 'check');
      expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(NEXT_VERSION)]);
      await eventually('the next release is ready', isReady, LIMIT_MS);
      await play.press(SAM, BEFORE, 'approve');
      await play.gate(AFTER, LIMIT_MS);
      expect(workerLog().slice(before)).not.toContain('TMPRL1100');
      expect(play.controlPlaneUpdates()).toHaveLength(1);
    });

    test('eight: the worker is killed between press and step, and the step is made once', async () => {
      await play.press(SAM, AFTER, 'approve');
      theatre.kill('worker');
      await play.gate(LAST, LIMIT_MS);
      expect(play.accepted().filter(({ operation }) => operation === 'UpdateNodegroupVersion')).toHaveLength(1);
    });

    test('nine: PostgreSQL is away; who presses hears that it is not recorded, and the gate is still there', async () => {
      const told = play.told(SAM).length;
      await temporal.postgresql.stop();
      try {
        await play.press(SAM, LAST, 'approve');
        await eventually('Sam is told', () => play.told(SAM)[told], 60_000);
        expect(play.told(SAM)[told]).toMatch(/^Temporal at .+ does not answer\./);
        await sleep(outageMs);
      } finally {
        await temporal.postgresql.start();
      }
      await eventually('Temporal answers', () => theatre.watcher.answers(), LIMIT_MS);
      await eventually('the worker is ready again', isReady, LIMIT_MS);
    }, 1_200_000);

    test('ten: the key is rotated: the new one behind the old one, then in front', async () => {
      await theatre.replace({ env: { BELAY_CODEC_KEYS: `${OLD_KEY},${NEW_KEY}` } });
      await theatre.replace({ env: { BELAY_CODEC_KEYS: `${NEW_KEY},${OLD_KEY}` } });
      await eventually('the worker is ready', isReady, LIMIT_MS);
      const status = await theatre.belay('status', CLUSTER);
      expect([status.code, status.stdout]).toEqual([0, expect.stringContaining(CLUSTER)]);
    });

    test('eleven: the backup of six o’clock is restored: the run asks before its next change, and nothing is done twice', async () => {
      await theatre.stop('slack');
      await theatre.stop('worker');
      await temporal.kill();
      const said = await temporal.backupScript('restore.sh', [backup], OTHER);
      const after = /BELAY_AFTER_RESTORE=(\S+)/.exec(said)?.[1] ?? '';
      await temporal.start(OTHER);
      await eventually('Temporal answers', () => theatre.watcher.answers(), LIMIT_MS);
      await theatre.replace({ env: { BELAY_AFTER_RESTORE: after } });
      const decided = await theatre.belayAs(SAM, 'decide', CLUSTER, BEFORE, 'approve', '--reason', 'as before');
      expect(decided).toMatchObject({ code: 0 });
      await play.gate(RESTORED, LIMIT_MS);
      await play.press(SAM, RESTORED, 'continue', 'nobody else has changed it');
    });

    test('midnight: the upgrade completes; nothing was done twice, and nothing is left behind', async () => {
      for (const gate of [AFTER, LAST]) {
        await eventually(
          `${gate} is decided`,
          async () => (await theatre.belayAs(SAM, 'decide', CLUSTER, gate, 'approve', '--reason', 'as before')).code === 0,
          LIMIT_MS,
        );
      }
      expect(await play.closed(LIMIT_MS)).toBe('COMPLETED');
      expect(play.record()).toMatchObject({ outcome: 'completed', leftBehind: [] });
      expect(decisionsAt(RESTORED)).toHaveLength(1);
      expect(play.controlPlaneUpdates()).toHaveLength(1);
      const tokens = play.accepted().flatMap(({ token }) => (token === undefined ? [] : [token]));
      expect(new Set(tokens).size).toBe(tokens.length);
      await expectRestored(play);
      const audit = await theatre.belay('audit', CLUSTER);
      expect(audit.stdout).toMatch(/Temporal's database was restored from a backup/);
    });
  });
