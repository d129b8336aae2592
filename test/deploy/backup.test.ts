/** Records in a backup, and how they return: backup.sh beside a run that goes on writing, and the pod that has the chart's claim. What a restore asks for. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeWithHelm } from '../support/tools.ts';
import { root, textOf, yamlOf } from './files.ts';
import { type Pod, podsOf, rendered } from './helm.ts';

/** PostgreSQL's programs, as far as backup.sh needs an answer of them. */
const PSQL = '#!/bin/sh\ncase "$*" in *" -c "*) echo 1.18 ;; *) while read -r line; do echo 00000003-1; done ;; esac\n';
const PG_DUMP = '#!/bin/sh\nfor each; do case "$each" in --file=*) echo dump >"${each#--file=}" ;; esac; done\n';

/** Runs backup.sh on a folder of records. `tar`: the exit code that it ends with when it has written its archive. */
function backup({ tar = 0, records }: { tar?: number; records?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'belay-backup-'));
  const bin = join(folder, 'bin');
  for (const name of ['bin', 'records', 'records/audit', 'records/lost+found', 'backups']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'records/audit/run.jsonl'), '{}\n');
  writeFileSync(join(folder, 'records/run.json'), '{}\n');
  writeFileSync(join(folder, 'belay.yaml'), 'clusters: {}\n');
  const real = spawnSync('sh', ['-c', 'command -v tar'], { encoding: 'utf8' }).stdout.trim();
  for (const [name, text] of Object.entries({ psql: PSQL, pg_dump: PG_DUMP, tar: `#!/bin/sh\n${real} "$@" || exit\nexit ${tar}\n` })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  // Relative, as people name them.
  const { status, stderr } = spawnSync('sh', [join(root, 'deploy/backup/backup.sh')], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, BACKUPS: 'backups', RECORDS: records ?? 'records', BELAY_YAML: 'belay.yaml' },
  });
  const [made, ...more] = readdirSync(join(folder, 'backups'));
  const archive = made === undefined ? undefined : join(folder, 'backups', made, 'records.tar.gz');
  const listed = archive === undefined ? '' : spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout;
  return { status, stderr, more, members: listed.split('\n').filter(Boolean).sort() };
}

describe('records in backup.sh', () => {
  test('the archive holds the records alone: of a volume, folder and lost+found are root’s, and whoever unpacks may not set them', () => {
    expect(backup()).toEqual({ status: 0, stderr: '', more: [], members: ['./audit/', './audit/run.jsonl', './run.json'] });
  });

  test('a record that grows while it is read is no reason for no backup', () => {
    expect(backup({ tar: 1 })).toMatchObject({ status: 0, members: expect.arrayContaining(['./run.json']) });
  });

  test.each([
    ['an archive that could not be written', { tar: 2 }, ''],
    ['records that are not there', { records: 'nowhere' }, 'RECORDS: nowhere is no folder that can be read'],
  ])('%s: there is no backup that looks whole', (_, how, says) => {
    const { status, stderr, members } = backup(how);
    expect(status).not.toBe(0);
    expect(stderr).toContain(says);
    expect(members).toEqual([]);
  });
});

describeWithHelm('records-pod.yaml', () => {
  test('has the claim, the user and the place of the chart’s worker, and is as restricted', () => {
    const worker = podsOf(rendered())['worker'] as unknown as Pod & { securityContext: unknown };
    const pod = Object(yamlOf('deploy/backup/records-pod.yaml')[0]).spec as Pod & { securityContext: unknown };
    const [container] = pod.containers;
    expect(pod.securityContext).toEqual(worker.securityContext);
    expect(container?.securityContext).toEqual(worker.containers[0]?.securityContext);
    expect(worker.containers[0]?.volumeMounts).toContainEqual(container?.volumeMounts[0]);
    // The release is called ours here, and belay in the documents.
    expect(JSON.stringify(worker.volumes)).toContain(JSON.stringify(pod.volumes[0]).replace('belay-records', 'ours-records'));
  });
});

test('what restore.sh has people set for the worker reaches it from .env of compose: runs that the restore set back would not ask', () => {
  const printed = [...textOf('deploy/backup/restore.sh').matchAll(/^ *export (\w+)=/gm)].map(([, name = '']) => name);
  expect(printed).toEqual(['BELAY_AFTER_RESTORE']);
  const { services } = Object(yamlOf('docker-compose.yml')[0]);
  expect(services.worker.environment).toMatchObject({ BELAY_AFTER_RESTORE: '${BELAY_AFTER_RESTORE:-}' });
});
