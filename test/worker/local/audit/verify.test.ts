/** `belay audit --verify`: a chain that fits is compared with what others know of it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuditActivities } from '../../../../activities/run/records/audit.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { AUDIT_START, type AuditEvent, type AuditHead } from '../../../../domain/gates/audit.ts';
import type { Config } from '../../../../domain/policy/config/config.ts';
import { readAudits } from '../../../../worker/local/read-audit.ts';
import { verifyAudits } from '../../../../worker/local/audit/verify.ts';
import { parseConfig } from '../../../../worker/config/config.ts';
import { status } from '../../../slack/fixtures.ts';

const CLUSTER = { name: 'staging', account: '111122223333', region: 'eu-west-1' };
const RUN = status().runId;

let directory: string;
let config: Config;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-verify-'));
  config = parseConfig(
    `records: { directory: ${directory} }\nclusters: { staging: { region: eu-west-1, account: "111122223333" } }`,
    join(directory, 'belay.yaml'),
  );
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const event = (id: string): AuditEvent => ({ id, at: '2026-03-03T12:00:00.000Z', kind: 'vote', what: `approve ${id}` });

async function write(...ids: string[]): Promise<AuditHead> {
  const { appendAudit } = createAuditActivities({ audit: createDirectoryStorage(directory).audit });
  return (await appendAudit({ cluster: CLUSTER, runId: RUN, head: AUDIT_START, events: ids.map(event) })).head;
}

const file = (): string => join(directory, 'audit', readdirSync(join(directory, 'audit'))[0] ?? '');

/** The run's change record, which names how far the audit record had come. */
function ended(head: AuditHead): void {
  mkdirSync(directory, { recursive: true });
  const report = { status: status({ cluster: CLUSTER }), outcome: 'completed', decisions: [], leftBehind: [], audit: { head } };
  writeFileSync(join(directory, '111122223333_eu-west-1_staging_2026-03-03T12-00-00-000Z_run.json'), JSON.stringify({ format: 1, report }));
}

const verdicts = async (head?: AuditHead): Promise<string[]> =>
  (await verifyAudits(config, createDirectoryStorage(directory), head === undefined ? {} : { head })).map(
    ({ kind, lines }) => `${kind}: ${lines[0]}`,
  );

describe('an audit record is compared with its anchors', () => {
  test('RS12: as it was written, and without anything that knows of it', async () => {
    const head = await write('a', 'b', 'c');
    expect(await verdicts()).toEqual([expect.stringMatching(/^unknown: 3 entries; NO ANCHOR/)]);
    ended(head);
    expect(await verdicts()).toEqual(['holds: 3 entries; the change record knows of entry 3']);
  });

  test('RS12: a tail that was cut off leaves a chain that fits, and is named', async () => {
    ended(await write('a', 'b', 'c'));
    writeFileSync(file(), `${readFileSync(file(), 'utf8').split('\n').slice(0, 2).join('\n')}\n`);
    expect(await verdicts()).toEqual(['wrong: its tail is cut off: it ends with entry 2, and the change record knows of entry 3']);
  });

  test('RS12: a beginning that was cut off leaves a chain that fits up to its anchor, and is named', async () => {
    ended(await write('a', 'b', 'c'));
    writeFileSync(file(), readFileSync(file(), 'utf8').split('\n').slice(1).join('\n'));
    expect(await verdicts()).toEqual(['wrong: its beginning is missing: it starts with entry 2']);
    const { broken } = await readAudits(config, createDirectoryStorage(directory), {});
    expect(broken).toEqual([expect.stringMatching(/: its beginning is missing: it starts with entry 2$/)]);
  });

  test('RS12: a record that somebody wrote anew from its first line on fits, and is named', async () => {
    ended(await write('a', 'b', 'c'));
    rmSync(file());
    await write('a', 'x', 'c');
    expect(await verdicts()).toEqual(['wrong: it was rewritten: entry 3 is not the one that the change record knows']);
  });

  test('RS12: a record that was taken away is missed', async () => {
    ended(await write('a'));
    rmSync(file());
    expect(await verdicts()).toEqual(['wrong: it is missing: the change record knows of entry 1']);
  });

  test('RS12: what the thread in Slack shows finds its entry, or says that there is none', async () => {
    const head = await write('a', 'b');
    ended(head);
    expect(await verdicts({ seq: 2, hash: head.hash.slice(0, 12) })).toContainEqual(expect.stringMatching(/^holds: it is entry 2 of/));
    expect(await verdicts({ seq: 2, hash: '0123456789ab' })).toContainEqual(expect.stringMatching(/^wrong: no record has this entry/));
  });
});

test('before the first run there is no record yet, and that is no error of reading', async () => {
  await expect(readAudits(config, createDirectoryStorage(directory), {})).rejects.toThrow(
    /: records\.directory: \S+ has no audit record yet; runs write it where their worker runs$/,
  );
});
