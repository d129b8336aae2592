/** A directory as a place for records. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDirectoryStorage } from '../../../../../activities/run/records/storage/directory.ts';
import { promisesOfStorage } from '../../../../support/record-storage-contract.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-records-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

promisesOfStorage(async () => ({ open: () => createDirectoryStorage(directory), where: `${directory}/` }));

test('there is nothing before the first run, which is not the same as no record', async () => {
  const { texts, audit } = createDirectoryStorage(join(directory, 'later'));
  expect(await texts.list('')).toBeUndefined();
  expect(await texts.read('x')).toBeUndefined();
  await expect(audit.names('')).rejects.toThrow('ENOENT');
});

test('O32: what cannot be written is said with the setting and may be tried again; mended, it is ready, and nothing is left of the look', async () => {
  const place = join(directory, 'records');
  writeFileSync(place, 'a file where the directory should be');
  const storage = createDirectoryStorage(place);
  await expect(storage.ready()).rejects.toMatchObject({
    type: 'Unavailable',
    nonRetryable: false,
    message: expect.stringMatching(/records: .*make records\.directory in belay\.yaml writable/),
  });
  rmSync(place);
  await storage.ready();
  expect(readdirSync(place)).toEqual(['audit']);
  expect(readdirSync(join(place, 'audit'))).toEqual([]);
});
