/** Gathers the report when a run has closed: what the stand-ins saw, what the run's record says, what Temporal counted. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GateObserver } from './gate-observer.ts';
import { upgradeId } from './names.ts';
import type { KillRecord } from './processes/kills.ts';
import { gatesOf, mutationsOf, parseRecord, type RehearsalReport, type RunRecord, stepsOf } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { Stage } from './stage.ts';
import type { Watcher } from './watch.ts';

export interface ConcludeInput {
  scenario: Scenario;
  stage: Stage;
  watcher: Watcher;
  recordsDirectory: string;
  since: Date;
  /** performance.now(), and the world's elapsed time, when the people began. */
  startedAt: { wallMs: number; worldMs: number };
  killed: KillRecord[];
  gates: GateObserver;
}

export async function conclude(input: ConcludeInput): Promise<{ report: RehearsalReport; headline: string | undefined }> {
  const { scenario, stage, watcher, since } = input;
  const wallSeconds = Math.round((performance.now() - input.startedAt.wallMs) / 100) / 10;
  const { world } = stage.built;
  const worldSeconds = Math.round((world.clock.elapsedMs() - input.startedAt.worldMs) / 1000);
  const workflowId = upgradeId(scenario.cluster);
  const record = newestRecord(input.recordsDirectory, workflowId);
  const { account, region, name } = scenario.cluster;
  const family = await watcher.family([workflowId, `eks-rollback-window/${account}/${region}/${name}`], since);
  const parent = family.find(({ id }) => id === workflowId);
  return {
    headline: record?.status.headline,
    report: {
      outcome: record?.outcome ?? `unknown (the run wrote no record; Temporal says ${parent?.status ?? 'nothing'})`,
      scenario: scenario.name,
      cluster: name,
      from: scenario.from,
      to: scenario.to,
      workflowId,
      wallSeconds,
      worldSeconds,
      steps: stepsOf(record),
      gates: input.gates.complete(gatesOf(record)),
      mutations: mutationsOf(world.journal.mutations),
      killed: input.killed,
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
  return files
    .map((name) => join(directory, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
    .map((file) => parseRecord(readFileSync(file, 'utf8')))
    .find((record) => record?.status.workflowId === workflowId);
}
