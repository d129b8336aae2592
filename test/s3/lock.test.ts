/** RS12: what Object Lock keeps of an audit record shows what was done to it since, whoever did it. */
import { DeleteObjectCommand, GetObjectRetentionCommand, ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { BucketSettings } from '../../activities/clients/aws/s3.ts';
import { createAuditActivities } from '../../activities/run/records/audit.ts';
import { readChain } from '../../activities/run/records/audit-chain.ts';
import { createDirectoryStorage } from '../../activities/run/records/storage/directory.ts';
import { createS3Storage } from '../../activities/run/records/storage/s3.ts';
import { AUDIT_START, type AuditEvent, type AuditHead } from '../../domain/gates/audit.ts';
import { verifyAudits } from '../../worker/local/audit/verify.ts';
import { parseConfig } from '../../worker/config/config.ts';
import { S3Server } from './support/server.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLUSTER = { name: 'staging', account: '111122223333', region: 'eu-west-1' };
const CONFIG = parseConfig('clusters: { staging: { region: eu-west-1, account: "111122223333" } }', 'belay.yaml');

let server: S3Server;
let settings: BucketSettings;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.close());
beforeEach(async () => {
  settings = { ...(await server.bucket({ lock: true })), lock: { mode: 'compliance', days: 30 } };
  await append('b', await append('a'));
});

const event = (id: string): AuditEvent => ({ id, at: '2026-03-03T12:00:00.000Z', kind: 'vote', what: `approve ${id}` });

async function append(id: string, after: AuditHead = AUDIT_START): Promise<AuditHead> {
  const storage = createS3Storage(settings);
  const { head } = await createAuditActivities({ audit: storage.audit }).appendAudit({
    cluster: CLUSTER,
    runId: 'run-1',
    head: after,
    events: [event(id)],
  });
  storage.close();
  return head;
}

async function verdict(change: Partial<BucketSettings> = {}): Promise<string> {
  const storage = createS3Storage({ ...settings, ...change });
  const [verified] = await verifyAudits(CONFIG, storage, {});
  storage.close();
  return `${verified?.kind}: ${verified?.lines.join('; ')}`;
}

async function versions(): Promise<{ Key: string; VersionId: string }[]> {
  const { Versions = [] } = await server.admin.send(new ListObjectVersionsCommand({ Bucket: settings.bucket, Prefix: 'belay/audit/' }));
  return Versions.map(({ Key = '', VersionId = '' }) => ({ Key, VersionId }));
}

test('RS12: each entry is locked as it is written, for the days of belay.yaml, and the record holds', async () => {
  const [{ Key, VersionId } = { Key: '', VersionId: '' }] = await versions();
  const { Retention } = await server.admin.send(new GetObjectRetentionCommand({ Bucket: settings.bucket, Key, VersionId }));
  expect(Retention?.Mode).toBe('COMPLIANCE');
  const days = ((Retention?.RetainUntilDate?.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(await verdict()).toMatch(/^holds: 2 entries; Object Lock \(until \d{4}-\d\d-\d\d\) knows of entry 2/);
});

test('RS12: not even root deletes a version that is locked', async () => {
  const [version = { Key: '', VersionId: '' }] = await versions();
  await expect(server.admin.send(new DeleteObjectCommand({ Bucket: settings.bucket, ...version }))).rejects.toMatchObject({
    name: 'AccessDenied',
  });
});

test('RS12: a tail that was deleted is named', async () => {
  const keys = (await versions()).map(({ Key }) => Key).toSorted();
  await server.admin.send(new DeleteObjectCommand({ Bucket: settings.bucket, Key: keys.at(-1) }));
  expect(await verdict()).toMatch(
    /^wrong: its tail is cut off: it ends with entry 1, and Object Lock \(until [\d-]+\) knows of entry 2; s3:\S+00000002\.jsonl was replaced or deleted after it was written/,
  );
});

test('RS12: a record that was written anew from its first line on, locked as well, is named', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'belay-forged-'));
  const forged = createDirectoryStorage(directory);
  await createAuditActivities({ audit: forged.audit }).appendAudit({
    cluster: CLUSTER,
    runId: 'run-1',
    head: AUDIT_START,
    events: ['a', 'x', 'c'].map(event),
  });
  const [name = ''] = await forged.audit.names('');
  const lines = (await forged.audit.read(name)).trimEnd().split('\n');
  rmSync(directory, { recursive: true });
  for (const [index, line] of lines.entries())
    await server.admin.send(
      new PutObjectCommand({
        Bucket: settings.bucket,
        Key: `belay/audit/${name}/0000000${index + 1}.jsonl`,
        Body: `${line}\n`,
        ObjectLockMode: 'COMPLIANCE',
        ObjectLockRetainUntilDate: new Date(Date.now() + 86_400_000),
      }),
    );
  const storage = createS3Storage(settings);
  expect(readChain(await storage.audit.read(name))).toMatchObject({ entries: [{ id: 'a' }, { id: 'x' }, { id: 'c' }] });
  storage.close();
  expect(await verdict()).toMatch(/^wrong: .*00000002\.jsonl was replaced or deleted after it was written; its first version is kept/);
});

test('RS12: a lock that may not be read is no anchor', async () => {
  const actions = { bucket: ['s3:ListBucket'], objects: ['s3:GetObject'] };
  const other = await server.bucket({ actions });
  const { profile } = other;
  const { bucket } = settings;
  await server.allow(bucket, profile ?? '', actions);
  expect(await verdict(profile === undefined ? {} : { profile })).toMatch(
    /^unknown: 2 entries; NO ANCHOR.*Object Lock cannot be read: listing the versions of .*s3:ListBucketVersions/,
  );
});

test('a record of which nothing was locked has no anchor', async () => {
  settings = { ...(await server.bucket()), lock: { mode: 'compliance', days: 30 } };
  const storage = createS3Storage({ ...settings, lock: undefined });
  await createAuditActivities({ audit: storage.audit }).appendAudit({
    cluster: CLUSTER,
    runId: 'run-1',
    head: AUDIT_START,
    events: [event('a')],
  });
  storage.close();
  expect(await verdict()).toMatch(/^unknown: 1 entry; NO ANCHOR.*Object Lock cannot be read: .*Bucket is missing Object Lock/);
});
