/** The audit record after Temporal's database was restored: it says so once, and goes on, also with what happens a second time. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { auditName, createAuditActivities } from '../../../../activities/run/records/audit.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { readChain } from '../../../../activities/run/records/audit-chain.ts';
import { type AuditEntry, type AuditEvent, AUDIT_START } from '../../../../domain/gates/audit.ts';
import { CLUSTER } from '../../../support/facts.ts';

let directory: string;
let notices: { why: string; lostAt: string }[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'belay-audit-'));
  notices = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const event = (id: string): AuditEvent => ({ id, at: '2026-03-03T12:00:00.000Z', kind: 'vote', what: id });
const activities = () =>
  createAuditActivities({ audit: createDirectoryStorage(directory).audit, onRestored: async (notice) => void notices.push(notice) });
type Appended = Parameters<ReturnType<typeof activities>['appendAudit']>[0];
const append = (worker: ReturnType<typeof activities>, ids: string[], more: Partial<Appended> = {}) =>
  worker.appendAudit({ cluster: CLUSTER, runId: 'run-1', head: AUDIT_START, events: ids.map(event), ...more });
async function entries(): Promise<AuditEntry[]> {
  const text = await readFile(join(directory, 'audit', `${auditName(CLUSTER, 'run-1')}.jsonl`), 'utf8');
  const { entries: found, broken } = readChain(text);
  expect(broken).toBeUndefined();
  return found;
}

test('O17: a run that knows less than its record says so in it, and what happens again is written again', async () => {
  const worker = activities();
  const { head } = await append(worker, ['start', 'plan']);
  const later = await append(worker, ['vote', 'closed', 'step'], { head });
  expect(notices).toEqual([]);
  // The run of the backup knows of two entries.
  const after = await append(worker, ['vote', 'other'], { head });
  expect(after).toEqual({ head: { seq: 8, hash: expect.any(String) }, newerCount: 2 });
  expect((await entries()).map(({ seq, id }) => `${seq} ${id}`)).toEqual([
    '1 start',
    '2 plan',
    '3 vote',
    '4 closed',
    '5 step',
    '6 restored/2/5',
    '7 vote',
    '8 other',
  ]);
  expect((await entries())[5]?.what).toBe(
    "Temporal's database was restored from a backup: entries 3 to 5 happened, and the run does not know of them. What follows is after the restore.",
  );
  expect(notices).toEqual([
    { why: `the audit record of ${CLUSTER.name} continues to entry ${later.head.seq}, but its run knows only 2`, lostAt: event('x').at },
  ]);
  // An answer that was lost: another worker is asked the same.
  expect(await append(activities(), ['vote', 'other'], { head })).toEqual({ head: after.head });
  expect(await append(activities(), ['end'], { head: after.head })).toMatchObject({ head: { seq: 9 } });
  expect(notices).toHaveLength(1);
});

test('an append that was written and not answered is no restore, even where the next one is shorter', async () => {
  const { head } = await append(activities(), ['a', 'b', 'c']);
  expect(await append(activities(), ['a', 'b', 'c', 'd'])).toEqual({ head: { seq: 4, hash: expect.any(String) } });
  expect(await append(activities(), ['b'], { head: (await entries())[0] ?? AUDIT_START, waiting: ['b', 'c', 'd'] })).toMatchObject({
    head: { seq: 4 },
  });
  expect([head.seq, notices]).toEqual([3, []]);
});

test('an attempt that comes back from a pause takes what was written meanwhile for no restore', async () => {
  const worker = activities();
  const { head } = await append(worker, ['a']);
  await append(worker, ['b', 'c'], { head });
  const late = await runWithin({ scheduledAtMs: Date.parse(event('b').at) - 5_000 }, () => append(worker, ['b'], { head }));
  expect(late).not.toHaveProperty('newerCount');
  expect(notices).toEqual([]);
  expect((await entries()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('a step that outlives its run takes what others have written for no restore', async () => {
  await append(activities(), ['start', 'end']);
  const guard = activities();
  const { head } = await append(guard, ['kept'], { shared: true });
  await append(activities(), ['of another step'], { shared: true });
  expect(await append(guard, ['lifted'], { head, shared: true })).toEqual({ head: { seq: 5, hash: expect.any(String) } });
  expect(notices).toEqual([]);
  expect((await entries()).map(({ id }) => id)).toEqual(['start', 'end', 'kept', 'of another step', 'lifted']);
});
