/**
 * Records in a bucket, for any number of workers. A text is an object; an audit record is a folder of objects, one for each append, none of which is
 * ever written twice: two workers that append at once cannot both have the next one, and each can be locked from its first moment on.
 */
import { createHash } from 'node:crypto';
import type { BucketSettings } from '../../../clients/aws/s3.ts';
import type { AuditStore, LockedPart, RecordStorage, TextStore } from '../../../contract/records.ts';
import { fileName } from '../file-name.ts';
import { Bucket, type Listed } from './bucket.ts';
import { eachOf } from './each-of.ts';
import { onceAMoment } from './once-a-moment.ts';

const AUDIT = 'audit/';
const CHANGES = 'changes/';
/** Written before what changes a cluster. No record: it does not end in .json. */
const READY = 'ready';
/** Locked for a minute by the doctor. */
const LOCK_PROBE = 'doctor-lock';
const PROBE_MS = 60_000;

export function createS3Storage(settings: BucketSettings): RecordStorage {
  const bucket = new Bucket(settings);
  return {
    where: bucket.where,
    texts: textsIn(bucket),
    audit: { ...growingIn(bucket, AUDIT), ...(settings.lock === undefined ? {} : locksIn(bucket)) },
    changes: growingIn(bucket, CHANGES),
    // A real write: only that tells of a key that is disabled, or of a disk that is full.
    ready: onceAMoment(async () => void (await bucket.write(READY, new Date().toISOString()))),
    close: () => bucket.close(),
  };
}

function textsIn(bucket: Bucket): TextStore {
  const keyOf = (name: string): string => `${fileName(name)}.json`;
  return {
    async read(name) {
      const found = await bucket.read(keyOf(name));
      return found && { text: found.text, stamp: found.etag, location: bucket.locationOf(keyOf(name)) };
    },
    async write(name, text, onlyIf) {
      await bucket.write(keyOf(name), text, { onlyIf });
      return { location: bucket.locationOf(keyOf(name)) };
    },
    async list(prefix) {
      const { objects } = await bucket.list(prefix);
      return objects.filter(({ key }) => key.endsWith('.json')).map(({ key }) => key.slice(0, -'.json'.length));
    },
  };
}

function growingIn(bucket: Bucket, folder: string): AuditStore {
  return {
    async names(prefix) {
      const { folders } = await bucket.list(`${folder}${prefix}`);
      return folders.map((each) => each.slice(folder.length, -1));
    },
    async look(name) {
      const parts = await partsOf(bucket, folder, name);
      return { bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), stamp: parts.reduce(grown, '') };
    },
    async read(name) {
      const parts = await partsOf(bucket, folder, name);
      const texts = await eachOf(parts, async ({ key }) => (await bucket.read(key))?.text ?? '');
      return texts.join('');
    },
    async append(name, text, stamp) {
      const key = partKey(folder, name, numberIn(stamp) + 1);
      const { etag } = await bucket.write(key, text, { onlyIf: 'absent', lockMs: folder === AUDIT ? bucket.lockMs : undefined });
      return { stamp: grown(stamp, { key, etag }) };
    },
  };
}

/** Digits enough that keys sort as numbers do. */
const partKey = (folder: string, name: string, number: number): string =>
  `${folder}${fileName(name)}/${String(number).padStart(8, '0')}.jsonl`;

/** S3 lists by key; other servers need not. What else lies there is no part. */
async function partsOf(bucket: Bucket, folder: string, name: string): Promise<Listed[]> {
  const { objects } = await bucket.list(`${folder}${fileName(name)}/`);
  return objects.filter(({ key }) => isPart(key)).toSorted((a, b) => a.key.localeCompare(b.key));
}

const isPart = (key: string): boolean => /\/\d{8}\.jsonl$/.test(key);

/** "3:9f86d0…": the number of the last part, and all parts by their ETags, so that a change of any is a change of it. */
function grown(stamp: string, { key, etag }: Pick<Listed, 'key' | 'etag'>): string {
  const number = Number(/(\d{8})\.jsonl$/.exec(key)?.[1]);
  return `${number}:${createHash('sha256').update(`${stamp}\n${key}\n${etag}`).digest('hex')}`;
}

const numberIn = (stamp: string): number => (stamp === '' ? 0 : Number.parseInt(stamp, 10));

const locksIn = (bucket: Bucket): Pick<AuditStore, 'locked' | 'tryLock'> => ({
  locked: (name) => lockedPart(bucket, name),
  async tryLock() {
    await bucket.write(LOCK_PROBE, new Date().toISOString(), { lockMs: PROBE_MS });
    return (await bucket.lockedUntil(LOCK_PROBE)) === undefined ? 'it takes the lock and does not keep it' : undefined;
  },
});

/** A version that is locked stays as it was written, whatever was put over it and whoever deleted it. */
async function lockedPart(bucket: Bucket, name: string): Promise<LockedPart | undefined> {
  const versions = await bucket.versions(`${AUDIT}${fileName(name)}/`);
  const parts = [...versions].filter(([key]) => isPart(key)).toSorted(([a], [b]) => b.localeCompare(a));
  const replaced = parts.filter(([, { isReplaced }]) => isReplaced).map(([key]) => bucket.locationOf(key));
  for (const [key, { first }] of parts) {
    const until = await bucket.lockedUntil(key, first);
    if (until === undefined || until.getTime() <= Date.now()) continue;
    const part = await bucket.read(key, first);
    if (part !== undefined) return { text: part.text, until: until.toISOString(), replaced };
  }
  return undefined;
}
