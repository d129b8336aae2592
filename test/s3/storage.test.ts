/** S3 as a place for records: the same promises as a directory, and those that only a bucket can give. */
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { BucketSettings } from '../../activities/clients/aws/s3.ts';
import type { RecordStorage } from '../../activities/contract/records.ts';
import { runWithin } from '../../activities/runtime/context.ts';
import { createAuditActivities } from '../../activities/run/records/audit.ts';
import { readChain } from '../../activities/run/records/audit-chain.ts';
import { eachOf } from '../../activities/run/records/storage/each-of.ts';
import { createS3Storage } from '../../activities/run/records/storage/s3.ts';
import { AUDIT_START, type AuditEvent } from '../../domain/gates/audit.ts';
import { CLUSTER } from '../support/facts.ts';
import { promisesOfStorage } from '../support/record-storage-contract.ts';
import { S3Server } from './support/server.ts';

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.close());

const opened: RecordStorage[] = [];
function open(settings: BucketSettings): RecordStorage {
  const storage = createS3Storage(settings);
  opened.push(storage);
  return storage;
}
afterEach(() => {
  for (const storage of opened.splice(0)) storage.close();
});

const event = (id: string): AuditEvent => ({ id, at: '2026-03-03T12:00:00.000Z', kind: 'vote', what: `approve ${id}` });

describe.each([
  ['a bucket', false],
  ['a bucket with Object Lock', true],
])('%s', (_what, lock) => {
  let bucket: BucketSettings;
  let count = 0;
  beforeAll(async () => {
    bucket = { ...(await server.bucket({ lock })), ...(lock ? { lock: { mode: 'governance' as const, days: 1 } } : {}) };
  });
  promisesOfStorage(async () => {
    count += 1;
    const settings = { ...bucket, prefix: `belay/${count}/` };
    return { open: () => open(settings), where: `s3://${bucket.bucket}/belay/${count}/` };
  });
});

test('O31: three workers that append at once to one record leave one chain, with each event once', async () => {
  const settings = await server.bucket();
  const workers = [1, 2, 3].map(() => createAuditActivities({ audit: open(settings).audit }));
  const told = { cluster: CLUSTER, runId: 'run-1', head: AUDIT_START };
  const ids = Array.from({ length: 9 }, (_none, index) => `e${index}`);
  // Each is told to two of them, as where an answer was lost.
  const twice = ids.flatMap((id, index) =>
    [index, index + 1].map((of) =>
      runWithin(
        { scheduledAtMs: Date.parse(event(id).at) },
        async () => await workers[of % 3]?.appendAudit({ ...told, events: [event(id)] }),
      ),
    ),
  );
  await Promise.all(twice);
  const { audit } = open(settings);
  const [name = ''] = await audit.names('');
  const { entries, broken } = readChain(await audit.read(name));
  expect(broken).toBeUndefined();
  expect(entries.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test('a record of more parts than one answer of a list holds is read whole, and goes on', async () => {
  const settings = await server.bucket();
  const key = (number: number): string => `belay/audit/long/${String(number).padStart(8, '0')}.jsonl`;
  await eachOf(
    Array.from({ length: 1_001 }, (_none, index) => index + 1),
    (number) => server.admin.send(new PutObjectCommand({ Bucket: settings.bucket, Key: key(number), Body: `${number}\n` })),
  );
  const { audit } = open(settings);
  const { stamp } = await audit.look('long');
  await audit.append('long', '1002\n', stamp);
  expect((await audit.read('long')).trim().split('\n')).toEqual(Array.from({ length: 1_002 }, (_none, index) => String(index + 1)));
});

test('what somebody else put over a part, took away or left beside is read anew, and seen', async () => {
  const settings = await server.bucket();
  const { appendAudit } = createAuditActivities({ audit: open(settings).audit });
  const told = { cluster: CLUSTER, runId: 'run-1' };
  const { head } = await appendAudit({ ...told, head: AUDIT_START, events: [event('a')] });
  const next = await appendAudit({ ...told, head, events: [event('b')] });
  const { Contents = [] } = await server.admin.send(new ListObjectsV2Command({ Bucket: settings.bucket, Prefix: 'belay/audit/' }));
  const [first] = Contents.map(({ Key }) => Key ?? '');
  const folder = first?.replace(/[^/]*$/, '') ?? '';
  await server.admin.send(new PutObjectCommand({ Bucket: settings.bucket, Key: `${folder}notes.txt`, Body: 'no part' }));
  expect(await appendAudit({ ...told, head: next.head, events: [] })).toEqual({ head: next.head });
  await server.admin.send(new DeleteObjectCommand({ Bucket: settings.bucket, Key: first }));
  expect(await appendAudit({ ...told, head: next.head, events: [event('c')] })).toMatchObject({ head: { seq: 3 } });
  const others = await createAuditActivities({ audit: open(settings).audit }).appendAudit({ ...told, head, events: [] });
  expect(others.broken).toMatch(/entry 1, which this run has written, is not in it/);
});

test('O32: a store that is away is told apart from an empty one, and is ready again when it is back', async () => {
  const settings = await server.bucket();
  const storage = open(settings);
  await storage.texts.write('x', '{}');
  await server.stop();
  const where = `s3://${settings.bucket}/belay/`;
  // Jest's own realm: the SDK does not take the socket's error for an Error, and wraps it without its code. Outside it is Unavailable.
  const away = (doing: string) => ({
    nonRetryable: false,
    message: expect.stringMatching(`^${doing} ${where}.*ECONNREFUSED`),
  });
  await expect(storage.ready()).rejects.toMatchObject(away('writing'));
  await expect(storage.texts.read('x')).rejects.toMatchObject(away('reading'));
  await expect(storage.texts.list('')).rejects.toMatchObject(away('listing'));
  await expect(storage.audit.look('x')).rejects.toMatchObject(away('listing'));
  await server.run();
  await storage.ready();
  expect((await storage.texts.read('x'))?.text).toBe('{}');
});

test('O32: a bucket that is not there, or is another account’s, is not an empty one', async () => {
  const settings = await server.bucket();
  const gone = open({ ...settings, bucket: 'no-such-bucket' });
  const missing = { type: 'NotFound', message: expect.stringContaining('create the bucket, or correct records.s3 in belay.yaml') };
  await expect(gone.texts.read('x')).rejects.toMatchObject(missing);
  await expect(gone.ready()).rejects.toMatchObject(missing);
  await expect(gone.texts.write('x', '{}', { stamp: '"abc"' })).rejects.toMatchObject(missing);
  await expect(open({ ...settings, account: '999999999999' }).texts.list('')).rejects.toMatchObject({ type: 'AccessDenied' });
});
