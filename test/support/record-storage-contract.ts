/** What every place for records promises, played alike on a directory and on S3. */
import { beforeEach, describe, expect, test } from 'vitest';
import { runWithin } from '../../activities/runtime/context.ts';
import { createAuditActivities } from '../../activities/run/records/audit.ts';
import { readChain } from '../../activities/run/records/audit-chain.ts';
import { createRecordStore } from '../../activities/run/records/records.ts';
import { createStartLedger } from '../../activities/run/authorization/start-ledger.ts';
import type { RecordStorage, WriteIf } from '../../activities/contract/records.ts';
import { AUDIT_START, type AuditEvent } from '../../domain/gates/audit.ts';
import { CLUSTER } from './facts.ts';

export interface Place {
  /** As a worker that has just begun opens it. */
  open: () => RecordStorage;
  /** What a location begins with. */
  where: string;
}

const event = (id: string): AuditEvent => ({ id, at: '2026-03-03T12:00:00.000Z', kind: 'vote', what: `approve ${id}` });

/** `place`: an empty one for each test. */
export function promisesOfStorage(place: () => Promise<Place>): void {
  let storage: RecordStorage;
  let other: RecordStorage;
  let where: string;
  beforeEach(async () => {
    const found = await place();
    ({ where } = found);
    storage = found.open();
    other = found.open();
  });
  const refused = {
    type: 'Conflict',
    nonRetryable: false,
    message: expect.stringMatching(/^writing .*: somebody else wrote it meanwhile/),
  };
  const write = async (text: string, onlyIf?: WriteIf): Promise<string> => (await storage.texts.write('starts_x', text, onlyIf)).location;

  describe('texts', () => {
    test('are read by another worker as they were written, and replaced whole', async () => {
      const text = '{"who":"Zoë 🦉","line":"a\\nb"}';
      const location = await write(`${text}${' '.repeat(10_000)}`);
      expect(location).toBe(`${where}starts_x.json`);
      expect(await write(text)).toBe(location);
      expect(await other.texts.read('starts_x')).toEqual({ text, location, stamp: expect.stringMatching(/./) });
      expect(await other.texts.read('starts_y')).toBeUndefined();
    });

    test('are written once where they may be there once alone', async () => {
      await write('first', 'absent');
      await expect(write('second', 'absent')).rejects.toMatchObject(refused);
      expect((await storage.texts.read('starts_x'))?.text).toBe('first');
    });

    test('O31: of several workers that are first, one is', async () => {
      const all = await Promise.allSettled(
        ['a', 'b', 'c', 'd', 'e'].map((text, index) => (index % 2 ? other : storage).texts.write('once', text, 'absent')),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = ['a', 'b', 'c', 'd', 'e'][all.findIndex(({ status }) => status === 'fulfilled')];
      expect((await storage.texts.read('once'))?.text).toBe(winner);
    });

    test('are replaced where they are as they were read, and not where they have changed since or are gone', async () => {
      await write('1');
      const stamp = (await storage.texts.read('starts_x'))?.stamp ?? '';
      await write('2', { stamp });
      await expect(write('3', { stamp })).rejects.toMatchObject(refused);
      await expect(storage.texts.write('starts_gone', '3', { stamp })).rejects.toMatchObject({ type: 'Conflict' });
      expect((await storage.texts.read('starts_x'))?.text).toBe('2');
    });

    test('are listed by how their names begin, without what is no text', async () => {
      for (const name of ['1_eu_prod_a', '1_eu_prod_b', '1_eu_staging_c']) await storage.texts.write(name, '{}');
      await storage.audit.append('1_eu_prod_a', 'line\n', '');
      await storage.ready();
      expect((await other.texts.list('1_eu_prod_'))?.toSorted()).toEqual(['1_eu_prod_a', '1_eu_prod_b']);
      expect((await other.texts.list(''))?.toSorted()).toEqual(['1_eu_prod_a', '1_eu_prod_b', '1_eu_staging_c']);
      expect(await other.texts.list('2_')).toEqual([]);
    });

    test('stay where they belong, whatever their names are', async () => {
      const { location } = await storage.texts.write('../../etc/passwd', '{}');
      expect(location).toBe(`${where}..-..-etc-passwd.json`);
      expect((await storage.texts.read('../../etc/passwd'))?.text).toBe('{}');
    });
  });

  describe('audit records', () => {
    test('grow, and are read by another worker as they were appended', async () => {
      expect(await storage.audit.look('run')).toEqual({ bytes: 0, stamp: '' });
      expect(await storage.audit.read('run')).toBe('');
      const one = await storage.audit.append('run', 'one é\n', '');
      const two = await storage.audit.append('run', 'two\n', one.stamp);
      expect(await other.audit.read('run')).toBe('one é\ntwo\n');
      expect(await other.audit.look('run')).toEqual({ bytes: 11, stamp: two.stamp });
      expect(await other.audit.names('ru')).toEqual(['run']);
      expect(await other.audit.names('ran')).toEqual([]);
    });

    test('take nothing from who has not read what was appended since', async () => {
      const { stamp } = await storage.audit.append('run', 'one\n', '');
      await other.audit.append('run', 'two\n', stamp);
      await expect(storage.audit.append('run', 'three\n', stamp)).rejects.toMatchObject({ type: 'Conflict' });
      await expect(storage.audit.append('run', 'three\n', '')).rejects.toMatchObject({ type: 'Conflict' });
      expect(await storage.audit.read('run')).toBe('one\ntwo\n');
    });

    test('O31: what one worker appended the next one goes on from, and what is told again stands once', async () => {
      const [first, next] = [storage, other].map((each) => createAuditActivities({ audit: each.audit }).appendAudit);
      const told = { cluster: CLUSTER, runId: 'run-1', head: AUDIT_START };
      const head = (await first?.({ ...told, events: [event('a'), event('b')] }))?.head;
      expect(await next?.({ ...told, events: [event('a'), event('b'), event('c')] })).toEqual({
        head: { seq: 3, hash: expect.any(String) },
      });
      // The first one comes back from a pause, and knows nothing of the other.
      const late = (): Promise<unknown> | undefined => first?.({ ...told, head: head ?? AUDIT_START, events: [event('d')] });
      expect(await runWithin({ scheduledAtMs: Date.parse(event('c').at) - 1 }, async () => await late())).toEqual({
        head: { seq: 4, hash: expect.any(String) },
      });
      const [name = ''] = await storage.audit.names('');
      const { entries, broken } = readChain(await storage.audit.read(name));
      expect([entries.map(({ id }) => id), broken]).toEqual([['a', 'b', 'c', 'd'], undefined]);
    });
  });

  test('RS1: a start that one worker has taken no other gives to another run', async () => {
    const [one, two] = [storage, other].map(({ texts }) => createStartLedger(createRecordStore(texts)));
    const workflowId = 'eks-upgrade/1/eu/prod';
    expect(await one?.take('signed', { workflowId, runId: 'first' })).toBe(true);
    expect(await two?.take('signed', { workflowId, runId: 'second' })).toBe(false);
    expect(await two?.take('signed', { workflowId, runId: 'first' })).toBe(true);
    expect(await two?.take('signed too', { workflowId, runId: 'second' })).toBe(true);
    expect(await one?.take('signed too', { workflowId, runId: 'third' })).toBe(false);
  });

  test('change records are found by cluster, the newest first; rollback points, starts and what the doctor wrote are none', async () => {
    const store = createRecordStore(storage.texts);
    const named = (name: string, day: number): string => `${CLUSTER.account}_${CLUSTER.region}_${name}_2026-01-0${day}T08-00-00-000Z_run`;
    for (const [name, day] of [
      [CLUSTER.name, 1],
      [CLUSTER.name, 3],
      ['else', 2],
    ] as const)
      await store.write(named(name, day), JSON.stringify({ day }));
    for (const name of [`rollback-point_${named('x', 4)}`, 'starts_x', 'doctor', 'doctor-first']) await store.write(name, '{"day":0}');
    expect(await store.newest(2)).toEqual([{ day: 3 }, { day: 2 }]);
    expect(await store.newest(9, CLUSTER)).toEqual([{ day: 3 }, { day: 1 }]);
  });
}
