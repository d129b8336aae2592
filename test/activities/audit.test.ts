/** The audit record on the disk: appended once, chained, and every later change of a line is found. */
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAuditActivities, createDirectoryAudit, readChain } from '../../activities/audit.ts';
import { AUDIT_START, type AuditEvent } from '../../domain/audit.ts';
import { CLUSTER } from '../support/facts.ts';

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
  createAuditActivities({ audit: createDirectoryAudit(directory) }).appendAudit({ cluster: CLUSTER, runId: 'run-1', head, events });

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
      broken: "its first 2 entries are not on this worker's disk",
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
