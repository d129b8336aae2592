/**
 * Series from the records of runs that have ended, and about the disk that they are on. Each record counts once; after a restart all of them count again
 * from nothing, and the totals are what they were.
 */
import { statfs } from 'node:fs/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { phaseOf } from '../../../domain/core/phases.ts';
import { CHOICE_CLASSES } from '../../../domain/gates/choices.ts';
import type { GateState } from '../../../domain/gates/gate.ts';
import { gateKind } from '../../../workflows/contract/ids.ts';
import type { RecordStorage } from '../../../activities/contract/records.ts';
import { newRecords } from '../../local/new-records.ts';
import type { StepState, UpgradeReport } from '../../../domain/run/record/status.ts';

/** 30 s to 4 h. */
const STEP_BUCKETS_S = [30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];
const OUTCOMES: readonly string[] = ['completed', 'stopped', 'aborted', 'failed', 'refused'] satisfies UpgradeReport['outcome'][];
const ENDED: readonly string[] = ['completed', 'skipped', 'failed', 'aborted'] satisfies StepState[];

/** Reads what has been added since the last call, and gives those runs. Never throws: records that cannot be read now are tried again. */
export function recordSeries(
  registry: Registry,
  { texts, directory }: Pick<RecordStorage, 'texts' | 'directory'>,
): () => Promise<UpgradeReport[]> {
  const registers = [registry];
  const closed = new Counter({
    name: 'belay_runs_closed_total',
    help: 'Runs that have a record, by outcome. A run that was terminated has none.',
    labelNames: ['outcome'],
    registers,
  });
  const steps = new Histogram({
    name: 'belay_step_seconds',
    help: 'How long steps of recorded runs took from begin to end, gates within them included.',
    labelNames: ['phase', 'outcome'],
    buckets: STEP_BUCKETS_S,
    registers,
  });
  const answers = new Counter({
    name: 'belay_gate_answers_total',
    help: 'How gates of recorded runs ended. by: slack or cli, timer where the deadline passed, run where it no longer asked.',
    labelNames: ['decision', 'gate', 'by'],
    registers,
  });
  // Shown from the first scrape on: an increase from nothing would be missed.
  for (const outcome of OUTCOMES) closed.inc({ outcome }, 0);
  const lookAtDisk = diskSeries(registry, directory);
  const read = newRecords(texts);
  const add = (report: UpgradeReport): void => {
    if (!OUTCOMES.includes(report.outcome)) return;
    closed.inc({ outcome: report.outcome });
    for (const state of report.decisions) {
      const answer = answerOf(state);
      if (answer !== undefined) answers.inc(answer);
    }
    for (const { id, state, startedAt, endedAt } of report.status.steps) {
      const phase = phaseOf(id);
      const seconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
      if (phase !== undefined && ENDED.includes(state) && seconds >= 0) steps.observe({ phase, outcome: state }, seconds);
    }
  };
  return async () => {
    await lookAtDisk();
    const fresh = await read();
    for (const report of fresh) add(report);
    return fresh;
  };
}

/** undefined where it is still open, or nothing that Belay writes. */
function answerOf(state: GateState): { decision: string; gate: string; by: string } | undefined {
  let gate: string;
  try {
    gate = gateKind(state.gate.id);
  } catch {
    return undefined;
  }
  if (state.kind === 'expired') return { decision: 'expired', gate, by: 'timer' };
  if (state.kind === 'withdrawn') return { decision: 'withdrawn', gate, by: 'run' };
  if (state.kind !== 'decided') return undefined;
  const { choice, actor } = state.decision;
  return { decision: Object.hasOwn(CHOICE_CLASSES, choice) ? choice : 'unknown', gate, by: actor.kind === 'slack' ? 'slack' : 'cli' };
}

/** Absent where there is no directory, or none yet: nothing is not the same as no room. */
function diskSeries(registry: Registry, directory: string | undefined): () => Promise<void> {
  const registers = [registry];
  const free = new Gauge({ name: 'belay_records_bytes_free', help: 'Room for records that Belay may still use, in bytes.', registers });
  const size = new Gauge({ name: 'belay_records_size_bytes', help: 'Size of the file system that records are on, in bytes.', registers });
  const forget = (): void => [free, size].forEach((gauge) => gauge.remove());
  forget();
  return async () => {
    if (directory === undefined) return;
    try {
      // bavail, not bfree: without what is kept for root.
      const { bavail, blocks, bsize } = await statfs(directory);
      free.set(bavail * bsize);
      size.set(blocks * bsize);
    } catch {
      forget();
    }
  };
}
