/** In a process of its own, so that its memory is the forecast's: reads a snapshot, plays its roll, and prints what that took as JSON. */
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { forecastUpgrade } from '../../../domain/plan/forecast/forecast.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { policy } from '../../support/facts.ts';
import { peakMbOf } from '../processes.ts';
import { readFileSync } from 'node:fs';

const [, , file = '', planFile = '', runs = '1'] = process.argv;
const plan: UpgradePlan = JSON.parse(readFileSync(planFile, 'utf8'));
const startMs = performance.now();
const snapshot = await readSnapshotFile(file);
const loadedMs = performance.now();
const played: number[] = [];
const forecast = forecastUpgrade({
  snapshot,
  plan,
  policy: policy(),
  runs: Number(runs),
  seed: 1,
  madeAt: '2026-09-08T10:00:00Z',
  onPlayed: () => played.push(performance.now()),
});
const { nodesReplaced, blockers, total, evictions } = forecast;
process.stdout.write(
  JSON.stringify({
    loadSeconds: (loadedMs - startMs) / 1_000,
    /** The first has the model of the cluster in it. */
    playSeconds: played.map((ms, index) => (ms - (played[index - 1] ?? loadedMs)) / 1_000),
    peakMb: Math.round(peakMbOf(process.pid)),
    total,
    replaced: nodesReplaced.reduce((sum, { count }) => sum + count.p50, 0),
    evicted: evictions.reduce((sum, { count }) => sum + count.p50, 0),
    blocked: blockers.length,
  }),
);
