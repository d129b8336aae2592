/** Before each change the worker compares Temporal's history with what it has written down outside of it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChangeLedger } from '../../../../activities/run/records/change-ledger.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { keptIn, requireHistory, type RestoreDeps } from '../../../../worker/temporal/interceptors/restored.ts';

const RUN = { workflowId: 'eks-upgrade/111122223333/eu-central-1/prod', runId: 'run-1' };
const T0 = Date.parse('2026-03-03T10:00:00Z');
type Info = Parameters<typeof requireHistory>[0];
const step = (runId: string, seq: number, seconds: number): Info => ({
  workflowExecution: { workflowId: `${RUN.workflowId}/control-plane@1.33`, runId },
  workflowNamespace: 'default',
  activityType: 'startControlPlaneUpdate',
  activityId: String(seq),
  scheduledTimestampMs: T0 + seconds * 1000,
});

let directory: string;
let gone: Set<string>;
let startedAt: Date;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-ledger-'));
  gone = new Set();
  startedAt = new Date(T0);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const deps = (more: Partial<RestoreDeps> = {}): RestoreDeps => ({
  ledger: createChangeLedger(createDirectoryStorage(directory).changes),
  record: async () => [],
  startOf: async ({ runId }) => (gone.has(runId) ? undefined : startedAt),
  keptMs: async () => undefined,
  ...more,
});
const change = (info: Info, input: unknown = {}, run = RUN, more: Partial<RestoreDeps> = {}): Promise<void> =>
  requireHistory(info, input, run, deps(more));
/** When the restore was noticed; '' where the change was made. */
const refused = async (work: Promise<void>): Promise<string> => {
  try {
    await work;
    return '';
  } catch (error) {
    expect(error).toMatchObject({ type: 'Restored', nonRetryable: true });
    return (error as { details: [{ at: string }] }).details[0].at;
  }
};

test('a run whose history is whole changes what it likes, also after attempts and retries of its steps', async () => {
  for (const info of [step('a', 1, 0), step('a', 1, 0), step('a', 4, 30), step('b', 1, 60), step('a', 3, 29)]) await change(info);
});

test('O17: a step whose last change is not in its history any more is refused, until people accept it, once', async () => {
  await change(step('a', 1, 0));
  await change(step('a', 3, 10));
  const at = await refused(change(step('a', 3, 900)));
  expect(at).not.toBe('');
  // Asked again it is the same restore; what is accepted holds for the run, whichever step goes on.
  expect(await refused(change(step('a', 3, 900)))).toBe(at);
  await change(step('a', 3, 900), { restored: at });
  await change(step('a', 5, 950));
  await change(step('c', 1, 960));
});

test('O17: a step that Temporal does not know any more is found by the next one', async () => {
  await change(step('a', 1, 0));
  gone.add('a');
  await expect(change(step('b', 1, 900))).rejects.toMatchObject({
    message: expect.stringContaining("Temporal's database was restored from a backup"),
    details: [expect.objectContaining({ forgotten: ['2026-03-03T10:00:00Z startControlPlaneUpdate of control-plane@1.33'] })],
  });
});

test('O17: a step that ended longer ago than the namespace keeps has left it by that: no restore, and a younger one is one all the same', async () => {
  const days = (count: number): number => count * 24 * 3_600;
  const nowS = (Date.now() - T0) / 1000;
  const keptMs = async (): Promise<number> => days(3) * 1000;
  await change(step('friday', 1, nowS - days(3.5)));
  await change(step('saturday', 1, nowS - days(2.5)));
  gone.add('friday');
  await change(step('monday', 1, nowS), {}, RUN, { keptMs });
  gone.add('saturday');
  await expect(change(step('monday', 2, nowS), {}, RUN, { keptMs })).rejects.toMatchObject({
    details: [expect.objectContaining({ forgotten: [expect.stringContaining('startControlPlaneUpdate of control-plane@1.33')] })],
  });
  await expect(change(step('monday', 2, nowS), {}, RUN, { keptMs: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
});

test('how long a namespace keeps is not known to a worker that may not read it', async () => {
  const asked = (describeNamespace: () => Promise<unknown>): Promise<number | undefined> =>
    keptIn({ workflowService: { describeNamespace } } as unknown as Parameters<typeof keptIn>[0], 'default');
  expect(await asked(async () => ({ config: { workflowExecutionRetentionTtl: { seconds: 259_200 } } }))).toBe(259_200_000);
  expect(await asked(() => Promise.reject(Object.assign(new Error('no'), { code: 7 })))).toBeUndefined();
  await expect(asked(() => Promise.reject(Object.assign(new Error('away'), { code: 14 })))).rejects.toThrow('away');
});

test('O17: once one run has noticed, every open run asks, and no run that began afterwards', async () => {
  await change(step('a', 1, 0));
  gone.add('a');
  const at = await refused(change(step('b', 1, 900)));
  const other = { workflowId: 'eks-upgrade/111122223333/eu-central-1/dev', runId: 'run-2' };
  const info: Info = { ...step('d', 1, 5), workflowExecution: { workflowId: `${other.workflowId}/node-groups@1.33`, runId: 'd' } };
  expect(await refused(change(info, {}, other))).toBe(at);
  startedAt = new Date(Date.now() + 60_000);
  await change(info, {}, other);
});

test('O17: BELAY_AFTER_RESTORE holds every run that began before, until it is accepted', async () => {
  const afterRestore = { at: '2026-03-03T10:05:00.000Z', why: 'BELAY_AFTER_RESTORE says that it was restored at 2026-03-03T10:05:00Z' };
  expect(await refused(change(step('a', 1, 400), {}, RUN, { afterRestore }))).toBe(afterRestore.at);
  await change(step('a', 1, 400), { restored: afterRestore.at }, RUN, { afterRestore });
  await change(step('a', 2, 410), {}, RUN, { afterRestore });
});

test('what cannot be asked or written is no yes: nothing is changed', async () => {
  await change(step('a', 1, 0));
  const away = async (): Promise<never> => Promise.reject(new Error('Temporal is away'));
  await expect(change(step('b', 1, 60), {}, RUN, { startOf: away })).rejects.toThrow('Temporal is away');
  rmSync(join(directory, 'changes'), { recursive: true });
  writeFileSync(join(directory, 'changes'), 'in the way');
  await expect(change(step('a', 3, 90))).rejects.toMatchObject({ type: 'Unavailable' });
});

test('a line that a crash cut off hides no other', async () => {
  await change(step('a', 1, 0));
  const [file = ''] = readdirSync(join(directory, 'changes'));
  writeFileSync(join(directory, 'changes', file), '{"workflowId":"eks-upgr', { flag: 'a' });
  await change(step('a', 3, 10));
  expect(await refused(change(step('a', 3, 900)))).not.toBe('');
});
