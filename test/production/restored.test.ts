/** Temporal's databases are restored from a backup that is older than what the upgrade has done. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { type Play, SAM } from '../end-to-end/support/play.ts';
import { expectRestored } from '../end-to-end/support/promises.ts';
import { Theatre } from '../end-to-end/support/theatre.ts';
import { eventually } from '../support/eventually.ts';
import { wordsOf } from '../end-to-end/support/words.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

const CLUSTER = 'forgetful';
const CODEC_KEYS = `first:${Buffer.alloc(32, 7).toString('base64')}`;
const BEFORE = 'before:control-plane@1.32#1';
const AFTER = 'before:node-groups@1.32#1';
const RESTORED = 'restored:control-plane@1.32/1#1';
/** Decided by the test itself; Sam approves the others. */
const HELD = [BEFORE, AFTER, RESTORED];
const PEOPLE = { [SAM]: { aws: ['arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_PlatformEngineer_*/sam@example.com'] } };
const OTHER = { DBNAME: 'temporal_b', VISIBILITY_DBNAME: 'temporal_visibility_b' };

describeOnPostgreSql('a backup', () => {
  const backups = mkdtempSync(join(tmpdir(), 'belay-backups-'));
  let temporal: ProductionTemporal;
  let theatre: Theatre;
  let play: Play;
  let folder: string;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open();
    process.env['TEMPORAL_ADDRESS'] = temporal.address;
    theatre = await Theatre.open({ [CLUSTER]: { scenario: small } }, { speed: 300, env: { BELAY_CODEC_KEYS: CODEC_KEYS }, people: PEOPLE });
    play = await theatre.play(CLUSTER, { decide: (gate) => (HELD.includes(gate) ? 'ignore' : undefined) });
    await play.start();
    await play.gate(BEFORE);
  }, 1_800_000);
  afterAll(async () => {
    delete process.env['TEMPORAL_ADDRESS'];
    await theatre?.close();
    await temporal?.close();
    rmSync(backups, { recursive: true, force: true });
  });

  test('O17: is made while Belay works, of both databases, records and belay.yaml, and names keys by their ids alone', async () => {
    const said = await temporal.backupScript('backup.sh', [], {
      BACKUPS: backups,
      RECORDS: theatre.recordsDirectory,
      BELAY_YAML: join(theatre.directory, 'belay.yaml'),
      BELAY_CODEC_KEYS: `${CODEC_KEYS},c2VjcmV0LXdpdGhvdXQtYW4taWQ=`,
    });
    folder = said.trim();
    expect(readdirSync(folder).toSorted()).toEqual([
      'SHA256SUMS',
      'backup.txt',
      'belay.yaml',
      'records.tar.gz',
      'temporal.dump',
      'temporal_visibility.dump',
    ]);
    expect(readFileSync(join(folder, 'backup.txt'), 'utf8')).toMatch(
      /^taken: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\ndatabase: temporal\nvisibility: temporal_visibility\nschema: 1\.\d+ \/ 1\.\d+\ncodec keys: first\nrecords: records\.tar\.gz\n$/,
    );
  });

  test('O18: a restore under other names leaves what is there alone, and Temporal starts on it', async () => {
    // What the backup does not know: the control plane moves.
    await play.press(SAM, BEFORE, 'approve');
    await play.gate(AFTER);
    expect(play.controlPlaneUpdates()).toHaveLength(1);
    await theatre.stop('slack');
    await theatre.stop('worker');
    await temporal.kill();
    await expect(temporal.backupScript('restore.sh', [folder], {})).rejects.toThrow(
      /database temporal is there already and is left alone; set DBNAME and VISIBILITY_DBNAME/,
    );
    const said = await temporal.backupScript('restore.sh', [folder], OTHER);
    expect(said).toMatch(/export BELAY_AFTER_RESTORE=\d{4}-/);
    // Under the name of the backup the server refuses to start: https://github.com/temporalio/temporal/blob/v1.31.2/common/persistence/schema
    temporal.postgresql.query(OTHER.DBNAME, "update schema_version set db_name = 'temporal'");
    await expect(temporal.start(OTHER)).rejects.toThrow(/has ended[\s\S]+temporal_b/);
    temporal.postgresql.query(OTHER.DBNAME, `update schema_version set db_name = '${OTHER.DBNAME}'`);
    await temporal.start();
    await eventually('Temporal answers', () => theatre.watcher.answers());
  });

  test('O17: the run asks before its next change, shows what it has forgotten, and continues without doing anything twice', async () => {
    theatre.start('worker');
    theatre.start('slack');
    await theatre.ready();
    const decided = await theatre.belayAs(SAM, 'decide', CLUSTER, BEFORE, 'approve', '--reason', 'once more');
    expect(decided).toMatchObject({ code: 0 });
    const gate = wordsOf(await play.gate(RESTORED));
    expect(gate).toContain('Temporal was restored from a backup: continue with Control plane 1.31 → 1.32?');
    expect(gate).toMatch(/startControlPlaneUpdate of control-plane@1\.32/);
    expect(play.controlPlaneUpdates()).toHaveLength(1);
    await play.press(SAM, RESTORED, 'continue', 'nobody else has changed it');
    await eventually('the control plane is said to be done', async () => (await theatre.belay('status', CLUSTER)).stdout.includes(AFTER));
    await play.press(SAM, AFTER, 'approve');
    expect(await play.closed(120_000)).toBe('COMPLETED');
    expect(play.controlPlaneUpdates()).toHaveLength(1);
    const tokens = play.accepted().flatMap(({ token }) => (token === undefined ? [] : [token]));
    expect(new Set(tokens).size).toBe(tokens.length);
    await expectRestored(play);
    const audit = await theatre.belay('audit', CLUSTER);
    expect(audit.stdout).toMatch(/Temporal's database was restored from a backup: entr(?:y|ies) \d+/);
  });
});
