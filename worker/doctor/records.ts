/** Looks at where records are kept: written, read back, refused where somebody else was first, and locked where belay.yaml says so. */
import { randomUUID } from 'node:crypto';
import type { RecordStorage } from '../../activities/contract/records.ts';
import { failureType } from '../../activities/runtime/translate-errors.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { openStorage } from '../config/storage.ts';
import { type Diagnosis, said } from './types.ts';

const area = 'Records';
/** Written again at each look; the second is written once and stays. */
const [PROBE, FIRST] = ['doctor', 'doctor-first'] as const;
const RIGHTS = 'attach what "belay permissions" prints as belay-records to the identity of the worker';

/** Never throws. `open` is injected by tests. */
export async function examineRecords(config: Config, open: (config: Config) => RecordStorage = openStorage): Promise<Diagnosis[]> {
  const storage = open(config);
  try {
    return config.records.kind === 'directory' ? [await writable(storage)] : await examineBucket(storage, config.records.lock?.mode);
  } finally {
    storage.close();
  }
}

/** The machine that this runs on need not be the worker's. */
async function writable(storage: RecordStorage): Promise<Diagnosis> {
  try {
    await storage.ready();
    return { area, status: 'ok', message: `${storage.where} can be written from here` };
  } catch (error) {
    const fix = 'make records.directory in belay.yaml writable, with free disk space; without it Belay changes nothing';
    return { area, status: 'failed', message: said(error), fix };
  }
}

async function examineBucket(storage: RecordStorage, lock: string | undefined): Promise<Diagnosis[]> {
  const looks: [what: string, look: (storage: RecordStorage) => Promise<string | undefined>][] = [
    ['written', writes],
    ['read back', reads],
    ['listed', lists],
    ['written by one worker alone', refusesTheSecond],
    ...(lock === undefined ? [] : [['locked', locks] as [string, typeof locks]]),
  ];
  const done: string[] = [];
  const diagnoses: Diagnosis[] = [];
  for (const [what, look] of looks) {
    const wrong = await tried(storage, what, look);
    if (wrong === undefined) done.push(what);
    else diagnoses.push(wrong);
    // All others look at what was written.
    if (look === writes && wrong !== undefined) break;
  }
  const unlocked = lock === undefined ? '; no lock: who may write there can alter records' : ` (${lock})`;
  if (diagnoses.length === 0) return [{ area, status: 'ok', message: `${storage.where} is ${done.join(', ')}${unlocked}` }];
  return diagnoses;
}

/** What is refused has failed; what cannot be known is not taken for granted. */
async function tried(
  storage: RecordStorage,
  what: string,
  look: (storage: RecordStorage) => Promise<string | undefined>,
): Promise<Diagnosis | undefined> {
  try {
    const wrong = await look(storage);
    if (wrong === undefined) return undefined;
    return { area, status: 'failed', message: `${storage.where} cannot be ${what}: ${wrong}`, fix: FIXES[what] ?? RIGHTS };
  } catch (error) {
    const message = `${storage.where} cannot be ${what}: ${said(error)}`;
    const type = failureType(error);
    if (type === 'AccessDenied') return { area, status: 'failed', message, fix: RIGHTS };
    if (type === 'NotFound' || type === 'Configuration' || type === 'NoCredentials' || type === 'InvalidRequest')
      return { area, status: 'failed', message, fix: 'correct records.s3 in belay.yaml, or the credentials of this process' };
    return { area, status: 'unknown', message, fix: 'check that this machine reaches the bucket, then run belay doctor again' };
  }
}

const FIXES: Readonly<Record<string, string>> = {
  'written by one worker alone':
    'use S3, or a server that supports conditional writes (If-None-Match, If-Match): without them two workers overwrite each other',
  locked: 'switch Object Lock on for the bucket, or remove records.s3.lock',
};

async function writes({ texts }: RecordStorage): Promise<undefined> {
  await texts.write(PROBE, JSON.stringify({ doctor: 'looked' }));
}

async function reads({ texts }: RecordStorage): Promise<string | undefined> {
  const id = randomUUID();
  await texts.write(PROBE, JSON.stringify({ doctor: id }));
  const found = await texts.read(PROBE);
  return found?.text.includes(id) === true ? undefined : 'it does not answer with what was written a moment before';
}

async function lists({ texts }: RecordStorage): Promise<string | undefined> {
  const names = await texts.list(PROBE);
  return names?.includes(PROBE) === true ? undefined : 'it does not list what was just written';
}

async function refusesTheSecond({ texts }: RecordStorage): Promise<string | undefined> {
  await writtenOrRefused(() => texts.write(FIRST, '{}', 'absent'));
  if (await writtenOrRefused(() => texts.write(FIRST, '{"second":true}', 'absent'))) return 'it accepts a second first write';
  const found = await texts.read(FIRST);
  if (found === undefined) return 'it does not answer with what was written a moment before';
  const { stamp } = found;
  await texts.write(FIRST, JSON.stringify({ looked: randomUUID() }), { stamp });
  const stale = await writtenOrRefused(() => texts.write(FIRST, '{"stale":true}', { stamp }));
  return stale ? 'it replaces a text that has changed since it was read' : undefined;
}

/** false: refused, since the condition does not hold. */
async function writtenOrRefused(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (failureType(error) === 'Conflict') return false;
    throw error;
  }
}

async function locks({ audit }: RecordStorage): Promise<string | undefined> {
  return await audit.tryLock?.();
}
