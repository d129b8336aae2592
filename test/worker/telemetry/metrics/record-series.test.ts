/** Series from records: each run counts once, whatever restarts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { recordSeries } from '../../../../worker/telemetry/metrics/record-series.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-records-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const step = (id: string, state: string, minutes: number): object => ({
  id,
  state,
  startedAt: '2026-11-02T09:00:00.000Z',
  endedAt: new Date(Date.parse('2026-11-02T09:00:00.000Z') + minutes * 60_000).toISOString(),
});

const record = (outcome = 'completed', steps: object[] = [step('control-plane@1.34', 'completed', 12)]): string =>
  JSON.stringify({ format: 1, report: { outcome, decisions: [], leftBehind: [], status: { cluster: { name: 'prod' }, steps } } });

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);

/** A process that begins anew, and one look. */
async function shown(
  registry = new Registry(),
  look = recordSeries(registry, createDirectoryStorage(directory)),
): Promise<Record<string, number>> {
  await look();
  const page = await registry.metrics();
  return Object.fromEntries(
    [...page.matchAll(/^(belay_\S+(?:_total|_count|_sum)\{.*\}) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}

const closed = (outcome: string): string => `belay_runs_closed_total{outcome="${outcome}"}`;
const took = (what: 'count' | 'sum', phase: string, outcome: string): string =>
  `belay_step_seconds_${what}{phase="${phase}",outcome="${outcome}"}`;

test('outcomes are there from the first look on, at nothing', async () => {
  expect(await shown()).toEqual({
    [closed('completed')]: 0,
    [closed('stopped')]: 0,
    [closed('aborted')]: 0,
    [closed('failed')]: 0,
    [closed('refused')]: 0,
  });
});

test('O26: a run counts once: at each look, where its record is written again, and after a restart', async () => {
  write('one.json', record());
  const registry = new Registry();
  const look = recordSeries(registry, createDirectoryStorage(directory));
  await shown(registry, look);
  write('one.json', record());
  write('two.json', record('failed', [step('node-groups@1.34', 'failed', 90), step('control-plane@1.34', 'completed', 10)]));
  const expected = {
    [closed('completed')]: 1,
    [closed('failed')]: 1,
    [took('count', 'control-plane', 'completed')]: 2,
    [took('sum', 'control-plane', 'completed')]: 1_320,
    [took('count', 'node-groups', 'failed')]: 1,
  };
  expect(await shown(registry, look)).toMatchObject(expected);
  expect(await shown(registry, look)).toMatchObject(expected);
  expect(await shown()).toMatchObject(expected);
});

test('what is no record of a run counts as none, and a step that did not run or of no known phase has no length', async () => {
  write('starts_x.json', '{"used":true}');
  write('cut.json', '{"report":');
  write('other.json', record('conquered'));
  write('one.json.77.tmp', record());
  write(
    'steps.json',
    record('stopped', [{ id: 'bake@1.34', state: 'planned' }, step('tea-break@1.34', 'completed', 5), step('bake@1.34', 'running', 5)]),
  );
  const page = await shown();
  expect(page[closed('stopped')]).toBe(1);
  expect(Object.values(page).reduce((sum, value) => sum + value, 0)).toBe(1);
});

test('gates by how they ended; a choice that Belay does not know is no label', async () => {
  const gate = { id: 'before:control-plane@1.34#1' };
  const decided = (choice: string, kind: string): object => ({
    kind: 'decided',
    gate,
    votes: [],
    decision: { choice, actor: { kind, id: 'x' } },
  });
  const decisions = [
    decided('approve', 'slack'),
    decided('approve', 'slack'),
    decided('reject', 'cli'),
    decided('let me in', 'slack'),
    { kind: 'expired', gate: { id: 'window:node-groups@1.34#2' }, votes: [], at: '' },
    { kind: 'withdrawn', gate, votes: [], at: '', why: 'the run stops' },
    { kind: 'open', gate, votes: [], refused: [] },
    decided('approve', 'slack'),
  ];
  const report = { outcome: 'completed', decisions, leftBehind: [], status: { cluster: { name: 'prod' }, steps: [] } };
  write('one.json', JSON.stringify({ format: 1, report }));
  write(
    'forged.json',
    JSON.stringify({ format: 1, report: { ...report, decisions: [{ ...decided('approve', 'slack'), gate: { id: 'let me in' } }] } }),
  );
  const answers = Object.entries(await shown()).filter(([name]) => name.startsWith('belay_gate_answers_total'));
  expect(answers).toEqual([
    ['belay_gate_answers_total{decision="approve",gate="before",by="slack"}', 3],
    ['belay_gate_answers_total{decision="reject",gate="before",by="cli"}', 1],
    ['belay_gate_answers_total{decision="unknown",gate="before",by="slack"}', 1],
    ['belay_gate_answers_total{decision="expired",gate="window",by="timer"}', 1],
    ['belay_gate_answers_total{decision="withdrawn",gate="before",by="run"}', 1],
  ]);
});

test('room for records is shown where there is a directory, and not as none where there is none', async () => {
  const registry = new Registry();
  const look = recordSeries(registry, createDirectoryStorage(join(directory, 'later')));
  const room = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      [...(await registry.metrics()).matchAll(/^(belay_records_\w+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
    );
  await look();
  expect(await room()).toEqual({});
  mkdirSync(join(directory, 'later'));
  await look();
  const { belay_records_bytes_free: free = 0, belay_records_size_bytes: size = 0 } = await room();
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThanOrEqual(free);
  rmSync(join(directory, 'later'), { recursive: true });
  await look();
  expect(await room()).toEqual({});
});
