/** `belay doctor` on a bucket: each right that is missing is named, and nothing unknown is ok. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BucketSettings } from '../../activities/clients/aws/s3.ts';
import { parseConfig } from '../../worker/config/config.ts';
import { examineRecords } from '../../worker/doctor/records.ts';
import { S3Server } from './support/server.ts';

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.close());

async function examined({ bucket, prefix, region, endpoint, profile }: BucketSettings, lock = ''): Promise<string[]> {
  const config = parseConfig(
    `records: { s3: { bucket: ${bucket}, prefix: ${prefix}, region: ${region}, endpoint: "${endpoint}", profile: ${profile}${lock} } }
clusters: { staging: { region: eu-west-1, account: "111122223333" } }`,
    'belay.yaml',
  );
  return (await examineRecords(config)).map(({ status, message, fix = '' }) => `${status}: ${message} → ${fix}`);
}

const LOCK = ', lock: { mode: governance, days: 30 }';
const BUCKET = ['s3:ListBucket', 's3:ListBucketVersions'];
const OBJECTS = ['s3:GetObject', 's3:PutObject', 's3:PutObjectRetention', 's3:GetObjectRetention'];

test('everything that records need', async () => {
  const plain = await server.bucket({ actions: { bucket: BUCKET, objects: ['s3:GetObject', 's3:PutObject'] } });
  const ok = [
    expect.stringMatching(
      /^ok: s3:\S+ is written, read back, listed, written by one worker alone; no lock: who may write there can alter records/,
    ),
  ];
  expect(await examined(plain)).toEqual(ok);
  expect(await examined(plain)).toEqual(ok);
  const locked = await server.bucket({ lock: true, actions: { bucket: BUCKET, objects: OBJECTS } });
  expect(await examined(locked, LOCK)).toEqual([expect.stringMatching(/^ok: .* written by one worker alone, locked \(governance\)/)]);
});

const without = (right: string) => ({
  bucket: BUCKET.filter((each) => each !== right),
  objects: OBJECTS.filter((each) => each !== right),
});

test.each([
  ['s3:PutObject', ['written']],
  ['s3:GetObject', ['read back', 'written by one worker alone']],
  ['s3:ListBucket', ['listed']],
  ['s3:PutObjectRetention', ['locked']],
  ['s3:GetObjectRetention', ['locked']],
])('without %s it fails, and says where to find the right', async (right, cannot) => {
  const lines = await examined(await server.bucket({ lock: true, actions: without(right) }), LOCK);
  expect(lines.map((line) => /cannot be (.*?):/.exec(line)?.[1])).toEqual(cannot);
  for (const line of lines) {
    expect(line).toMatch(/^failed: .*AccessDenied/);
    expect(line).toContain('attach what "belay permissions" prints as belay-records');
  }
  expect(lines.join()).toContain(right);
});

test('a bucket without Object Lock cannot be locked, and that fails', async () => {
  expect(await examined(await server.bucket(), LOCK)).toEqual([expect.stringMatching(/^failed: s3:\S+ cannot be locked: .*/)]);
});

test('a bucket that is not there fails, and a server that is away is unknown', async () => {
  const settings = await server.bucket();
  const [first] = await examined({ ...settings, bucket: 'no-such-bucket' });
  expect(first).toMatch(/^failed: .*create the bucket, or correct records\.s3 in belay\.yaml/);
  const away = await examined({ ...settings, endpoint: 'http://127.0.0.1:9' });
  // What it says of the first look holds for all that follow it.
  expect(away.map((line) => line.slice(0, 8))).toEqual(['unknown:']);
});
