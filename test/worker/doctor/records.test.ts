/** What the doctor says of where records are kept. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordStorage } from '../../../activities/contract/records.ts';
import { createDirectoryStorage } from '../../../activities/run/records/storage/directory.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { examineRecords } from '../../../worker/doctor/records.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-doctor-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const CLUSTERS = 'clusters: { prod: { region: eu-west-1, account: "111122223333" } }';

/** A bucket as a directory would be one, but for `change`. */
async function examined(change: (storage: RecordStorage) => Partial<RecordStorage> = () => ({}), lock = ''): Promise<string[]> {
  const config = parseConfig(`records: { s3: { bucket: example-records, region: eu-west-1${lock} } }\n${CLUSTERS}`, 'belay.yaml');
  const storage = createDirectoryStorage(directory);
  const open = () => ({ ...storage, where: 's3://example-records/', ...change(storage) });
  return (await examineRecords(config, open)).map(({ status, message }) => `${status}: ${message}`);
}

test('a directory can be written or not', async () => {
  const at = async (path: string) => await examineRecords(parseConfig(`records: { directory: ${path} }\n${CLUSTERS}`, 'belay.yaml'));
  expect(await at(directory)).toEqual([{ area: 'Records', status: 'ok', message: `${directory} can be written from here` }]);
  writeFileSync(join(directory, 'file'), '');
  expect(await at(join(directory, 'file'))).toEqual([
    {
      area: 'Records',
      status: 'failed',
      message: expect.stringMatching(/^writing to .*file: /),
      fix: 'make records.directory in belay.yaml writable, with free disk space; without it Belay changes nothing',
    },
  ]);
});

test('a bucket that does what it has to', async () => {
  const ok = 'ok: s3://example-records/ is written, read back, listed, written by one worker alone';
  expect(await examined()).toEqual([`${ok}; no lock: who may write there can alter records`]);
  const locking = ({ audit }: RecordStorage) => ({ audit: { ...audit, tryLock: async () => undefined } });
  expect(await examined(locking, ', lock: { days: 1 }')).toEqual([`${ok}, locked (compliance)`]);
});

test('O31: a server that ignores conditions fails: two workers would overwrite each other', async () => {
  const ignoring = ({ texts }: RecordStorage) => ({ texts: { ...texts, write: (name: string, text: string) => texts.write(name, text) } });
  expect(await examined(ignoring)).toEqual([
    'failed: s3://example-records/ cannot be written by one worker alone: it accepts a second first write',
  ]);
  const onlyFirst = ({ texts }: RecordStorage) => ({
    texts: {
      ...texts,
      write: (name: string, text: string, onlyIf?: Parameters<typeof texts.write>[2]) =>
        texts.write(name, text, onlyIf === 'absent' ? onlyIf : undefined),
    },
  });
  expect(await examined(onlyFirst)).toEqual([
    'failed: s3://example-records/ cannot be written by one worker alone: it replaces a text that has changed since it was read',
  ]);
});

test('a server that answers with something older fails', async () => {
  const stale = ({ texts }: RecordStorage) => ({
    texts: { ...texts, read: async () => ({ text: '{}', stamp: '1', location: '' }), list: async () => [] },
  });
  expect(await examined(stale)).toEqual([
    'failed: s3://example-records/ cannot be read back: it does not answer with what was written a moment before',
    'failed: s3://example-records/ cannot be listed: it does not list what was just written',
    'unknown: s3://example-records/ cannot be written by one worker alone: writing '.concat(
      `${join(directory, 'doctor-first.json')}: somebody else wrote it meanwhile`,
    ),
  ]);
});

test.each([
  ['AccessDenied', 'failed'],
  ['NotFound', 'failed'],
  ['NoCredentials', 'failed'],
  ['Unavailable', 'unknown'],
  ['Throttled', 'unknown'],
  ['Unknown', 'unknown'],
] as const)('%s is %s, said once, and never ok', async (type, status) => {
  const refusing = ({ texts }: RecordStorage) => ({ texts: { ...texts, write: () => Promise.reject(failureOf(type, 'writing: why')) } });
  expect(await examined(refusing)).toEqual([`${status}: s3://example-records/ cannot be written: writing: why`]);
});

test('a lock that is not kept fails', async () => {
  const open = ({ audit }: RecordStorage) => ({ audit: { ...audit, tryLock: async () => 'it takes the lock and does not keep it' } });
  expect(await examined(open, ', lock: { days: 1 }')).toEqual([
    'failed: s3://example-records/ cannot be locked: it takes the lock and does not keep it',
  ]);
});
