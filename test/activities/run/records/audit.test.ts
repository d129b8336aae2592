/** The audit record on the disk: appended once, chained, and every later change of a line is found. */
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { createAuditActivities } from '../../../../activities/run/records/audit.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { readChain } from '../../../../activities/run/records/audit-chain.ts';
import type { AuditStore } from '../../../../activities/contract/records.ts';
import { AUDIT_START, type AuditEvent } from '../../../../domain/gates/audit.ts';
import { idempotencyToken } from '../../../../domain/core/idempotency-token.ts';
import { processSeries } from '../../../../worker/telemetry/metrics/process-series.ts';
import { CLUSTER } from '../../../support/facts.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'belay-audit-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const event = (id: string, change: Partial<AuditEvent> = {}): AuditEvent => ({
  id,
  at: '2026-03-03T12:00:00.000Z',
  kind: 'vote',
  what: `Control plane to 1.33: approve ${id}`,
  actor: { kind: 'slack', id: 'U0SAM' },
  ...change,
});

const append = (events: AuditEvent[], head = AUDIT_START) =>
  createAuditActivities({ audit: createDirectoryStorage(directory).audit }).appendAudit({ cluster: CLUSTER, runId: 'run-1', head, events });

async function file(): Promise<string> {
  const [name] = await readdir(join(directory, 'audit'));
  return join(directory, 'audit', name ?? '');
}
const text = async (): Promise<string> => readFile(await file(), 'utf8');

describe('the audit record', () => {
  test('appends in order, and what is told again stands once', async () => {
    const first = await append([event('a'), event('b')]);
    expect(first).toEqual({ head: { seq: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    // A worker that died after it wrote: the same and one more.
    const again = await append([event('a'), event('b', { at: '2026-03-03T12:00:01.000Z' }), event('c')]);
    expect(again.head.seq).toBe(3);
    const { entries, broken } = readChain(await text());
    expect(broken).toBeUndefined();
    expect(entries.map(({ seq, id }) => `${seq} ${id}`)).toEqual(['1 a', '2 b', '3 c']);
    expect(entries[2]?.previous).toBe(first.head.hash);
  });

  test('holds a hash of what people were shown, and no secret', async () => {
    const shown = { title: 'Control plane', next: 'token: k8s-aws-v1.abcdef', undo: 'for seven days', evidence: [] };
    await append([event('gate', { kind: 'gate', shown })]);
    const [entry] = readChain(await text()).entries;
    expect(entry?.evidenceHash).toMatch(/^[0-9a-f]{64}$/);
    expect(await text()).not.toContain('abcdef');
  });

  test('RS3: a reason that looks like a key is redacted, and every line is JSON still', async () => {
    const press = event('press', { kind: 'refused', reason: '-----BEGIN PRIVATE KEY-----', what: 'decide was refused: no such choice' });
    await append([press, event('b', { reason: 'Bearer abcdefgh and "quotes"\nsecond line' }), event('c')]);
    const lines = (await text()).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    const { entries, broken } = readChain(await text());
    expect(broken).toBeUndefined();
    expect(entries.map(({ id, reason }) => [id, reason])).toEqual([
      ['press', '[redacted]'],
      ['b', 'Bearer [redacted] and "quotes"\nsecond line'],
      ['c', undefined],
    ]);
    expect(entries[0]).toMatchObject({ what: 'decide was refused: no such choice', actor: { id: 'U0SAM' } });
  });

  test('RS3: an event that cannot be written stands as a stub that says so, and those after it are written', async () => {
    const round: AuditEvent = event('round', { kind: 'change' });
    Object.assign(round, { result: { itself: round } });
    await append([event('a'), round, event('long', { what: 'x'.repeat(100_000) }), event('d')]);
    const { entries, broken } = readChain(await text());
    expect(broken).toBeUndefined();
    expect(entries.map(({ id, what }) => `${id}: ${what.slice(0, 47)}`)).toEqual([
      'a: Control plane to 1.33: approve a',
      'round: NOT RECORDED: this event could not be written (',
      'long: NOT RECORDED: this event could not be written (',
      'd: Control plane to 1.33: approve d',
    ]);
    expect(entries[2]?.what).toContain('it has 100');
  });

  test('RS13: the token of a change is in the record; what is secret by its kind is not', async () => {
    const token = idempotencyToken({ firstRunId: 'r', step: 's', operation: 'UpdateClusterVersion', resource: 'prod', round: 1 });
    const secret = { token: 'k8s-aws-v1.aHR0cHM6Ly9zdHM' };
    await append([event('change', { kind: 'change', token, what: `sent with token: ${token}` }), event('other', secret)]);
    const { entries } = readChain(await text());
    expect(entries.map((entry) => entry.token)).toEqual([token, '[redacted]']);
    expect(entries[0]?.what).toBe(`sent with token: ${token}`);
  });

  test('RS9: the record is read once, however often is appended, and anew where somebody else has touched it', async () => {
    const store = createDirectoryStorage(directory).audit;
    let readCount = 0;
    const audit: AuditStore = { ...store, read: (name) => ((readCount += 1), store.read(name)) };
    const { appendAudit } = createAuditActivities({ audit });
    let head = AUDIT_START;
    for (let count = 1; count <= 50; count += 1)
      ({ head } = await appendAudit({ cluster: CLUSTER, runId: 'run-1', head, events: [event(`e${count}`), event('again')] }));
    expect(readCount).toBe(1);
    expect(readChain(await text()).entries).toHaveLength(51);
    await writeFile(await file(), (await text()).replace('approve e7', 'approve e8'));
    expect(await appendAudit({ cluster: CLUSTER, runId: 'run-1', head, events: [event('next')] })).toMatchObject({
      broken: 'entry 8 was changed after it was written',
    });
    expect(readCount).toBe(2);
  });

  test('an append that fails, and a record that was altered, count in the metrics of this process', async () => {
    const registry = new Registry();
    const series = processSeries(registry, { component: 'worker', polledAtS: () => undefined });
    const counted = async (): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('belay_audit_append_failures_total{'));
    const total = (unwritten: number, altered: number): string[] => [
      `belay_audit_append_failures_total{what="unwritten"} ${unwritten}`,
      `belay_audit_append_failures_total{what="altered"} ${altered}`,
    ];
    try {
      const { head } = await append([event('a')]);
      expect(await counted()).toEqual(total(0, 0));
      const full: AuditStore = {
        ...createDirectoryStorage(directory).audit,
        append: () => Promise.reject(new Error('no space left on device')),
      };
      const { appendAudit } = createAuditActivities({ audit: full });
      await expect(appendAudit({ cluster: CLUSTER, runId: 'run-1', head, events: [event('b')] })).rejects.toThrow('no space');
      expect(await counted()).toEqual(total(1, 0));
      await writeFile(await file(), (await text()).replace('approve a', 'reject a'));
      await append([event('b')], head);
      expect(await counted()).toEqual(total(1, 1));
    } finally {
      series.end();
    }
  });

  test('RS9: what is refused at the door is begun anew in another file before it grows large, and stands once all the same', async () => {
    const { appendRefusals } = createAuditActivities({ audit: createDirectoryStorage(directory).audit });
    const large = (id: string): AuditEvent => event(id, { kind: 'refused', what: 'x'.repeat(60_000) });
    const tell = (events: AuditEvent[]): Promise<unknown> => appendRefusals({ month: '2026-11', runId: 'door-1', events });
    const many = Array.from({ length: 17 }, (_none, count) => large(`first/${count}`));
    await tell(many);
    // The answer was lost: the same again.
    await tell(many);
    await tell([event('second')]);
    const names = (await readdir(join(directory, 'audit'))).toSorted();
    expect(names).toEqual(['front-door_2026-11.jsonl', 'front-door_2026-11_2.jsonl']);
    const found = await Promise.all(names.map(async (name) => readChain(await readFile(join(directory, 'audit', name), 'utf8'))));
    expect(found.map(({ broken }) => broken)).toEqual([undefined, undefined]);
    expect(found.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual([...many.map(({ id }) => id), 'second']);
  });

  test('P10: a directory that cannot be written is named with the fix', async () => {
    await writeFile(join(directory, 'audit'), 'a file where the folder should be');
    await expect(append([event('a')])).rejects.toThrow(/audit.*make records\.directory in belay\.yaml writable/);
  });

  test('a line that a crash cut off is no break, and swallows nothing', async () => {
    const { head } = await append([event('a')]);
    await appendFile(await file(), '{"cluster":{"name":"pro');
    await append([event('b')], head);
    const { entries, broken } = readChain(await text());
    expect(broken).toBeUndefined();
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    ['a changed word', ([a = '', ...rest]) => [a.replace('approve', 'reject'), ...rest], 'entry 1 was changed after it was written'],
    ['a line left out', ([a = '', , ...rest]) => [a, ...rest], 'entry 3 does not follow entry 1'],
    ['lines in another order', ([a = '', b = '', c = '']) => [a, c, b], 'entry 3 does not follow entry 1'],
    ['a line of somebody else', ([a = '', ...rest]) => [a, 'hello', ...rest], 'line 2 is not an entry'],
  ])('finds %s', async (_what, change, broken) => {
    const { head } = await append([event('a'), event('b'), event('c')]);
    const path = await file();
    await writeFile(path, `${change((await text()).trimEnd().split('\n')).join('\n')}\n`);
    expect(readChain(await text()).broken).toBe(broken);
    // The run that goes on says so, and its chain goes on from what it knows.
    const next = await append([event('d')], head);
    expect(next).toEqual({ head: { seq: 4, hash: expect.any(String) }, broken });
  });

  test('the last entries taken away are missed by the run that wrote them', async () => {
    const { head } = await append([event('a'), event('b')]);
    const [a = ''] = (await text()).split('\n');
    await writeFile(await file(), `${a}\n`);
    expect(await append([], head)).toMatchObject({ broken: 'entry 2, which this run has written, is not in it as it was' });
    await rm(await file());
    expect(await append([event('c')], head)).toMatchObject({
      head: { seq: 3 },
      broken: 'its first 2 entries are not where this worker keeps records',
    });
  });

  test('no single character can be changed unnoticed', async () => {
    await append([event('a', { reason: 'we watched it' }), event('b')]);
    const whole = await text();
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.constantFrom('x', '0', '"', '}'), (at, other) => {
        fc.pre(whole[at] !== other && whole[at] !== '\n');
        const { entries, broken } = readChain(`${whole.slice(0, at)}${other}${whole.slice(at + 1)}`);
        expect(broken !== undefined || entries.length < 2).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
