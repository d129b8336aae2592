/** Gathers the report when a run has closed: what the stand-ins saw, what the run's record says, what Temporal counted. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { rollbackWindowId, upgradeId } from './stage/names.ts';
import type { Play } from './play.ts';
import type { Stage } from './stage/stage.ts';
import { gatesOf, mutationsOf, parseRecord, type RehearsalReport, type RunRecord, stepsOf } from './report.ts';

/** When the people began: performance.now(), and the world's elapsed time. */
export interface Beginning {
  wallMs: number;
  worldMs: number;
}

/** What of a play says what became of its cluster. */
export type Played = Pick<Play, 'scenario' | 'watcher' | 'recordsDirectory' | 'gates'> & {
  stage: Pick<Stage, 'built'>;
  kills: Pick<Play['kills'], 'records'>;
};

/** `since`: runs that began before do not count. */
export async function conclude(
  play: Played,
  since: Date,
  startedAt: Beginning,
): Promise<{ report: RehearsalReport; headline: string | undefined }> {
  const { scenario, stage, watcher } = play;
  const wallSeconds = Math.round((performance.now() - startedAt.wallMs) / 100) / 10;
  const { world } = stage.built;
  const worldSeconds = Math.round((world.clock.elapsedMs() - startedAt.worldMs) / 1000);
  const workflowId = upgradeId(scenario.cluster);
  const record = newestRecord(play.recordsDirectory, workflowId);
  const family = await watcher.family([workflowId, rollbackWindowId(scenario.cluster)], since);
  const parent = family.find(({ id }) => id === workflowId);
  return {
    headline: record?.status.headline,
    report: {
      outcome: record?.outcome ?? `unknown (the run wrote no record; Temporal says ${parent?.status ?? 'nothing'})`,
      scenario: scenario.name,
      cluster: scenario.cluster.name,
      from: scenario.from,
      to: scenario.to,
      workflowId,
      wallSeconds,
      worldSeconds,
      steps: stepsOf(record),
      gates: play.gates.complete(gatesOf(record)),
      mutations: mutationsOf(world.journal.mutations),
      killed: play.kills.records,
      faults: world.faults.records,
      leftBehind: stage.built.diff(),
      unmet: stage.built.unmet(),
      ...(await watcher.totals(family)),
    },
  };
}

/** What the newest run of a workflow wrote when it ended; undefined: nothing yet. */
export function newestRecord(directory: string, workflowId: string): RunRecord | undefined {
  let files: string[];
  try {
    files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  } catch {
    return undefined;
  }
  const newestFirst = files
    .map((name) => join(directory, name))
    .map((file) => ({ file, atMs: statSync(file).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs);
  for (const { file } of newestFirst) {
    const record = parseRecord(readFileSync(file, 'utf8'));
    if (record?.status.workflowId === workflowId) return record;
  }
  return undefined;
}
