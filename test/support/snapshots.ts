/** Snapshots of the twin's scenarios, taken over the wire by the usual clients. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSnapshotFile } from '../../activities/observe/snapshot/read-file.ts';
import type { TakeSnapshot } from '../../activities/observe/snapshot/take.ts';
import type { Snapshot } from '../../domain/facts/snapshot/format.ts';
import { takeSnapshotOf, type TakenSnapshot } from '../../worker/local/snapshots/take-snapshot.ts';
import { parseConfig } from '../../worker/config/config.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { type CheckGround, openTwinGround } from './check-ground.ts';

export interface ScenarioSnapshot {
  file: string;
  taken: TakenSnapshot;
  snapshot: Snapshot;
  /** Of the scenario: the cluster's name in belay.yaml, and where its upgrade leads. */
  cluster: string;
  target: string;
  /** Takes the file away. */
  remove(): void;
}

/** One snapshot of a scenario, whose world stands still and is gone afterwards. `prepare`: changes it first. */
export async function snapshotOfScenario(
  scenario: string | Scenario,
  { prepare, ...options }: { prepare?: (ground: CheckGround) => void } & Pick<TakeSnapshot, 'rewrite'> = {},
): Promise<ScenarioSnapshot> {
  const ground = await openTwinGround(scenario);
  const directory = mkdtempSync(join(tmpdir(), 'belay-snapshot-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    prepare?.(ground);
    const file = join(directory, `${ground.cluster}.snapshot.json.gz`);
    const taken = await takeFrom(ground, file, options);
    return { file, taken, snapshot: await readSnapshotFile(file), cluster: ground.cluster, target: ground.target, remove };
  } catch (error) {
    remove();
    throw error;
  } finally {
    await ground.close();
  }
}

/** Of a ground that is open, by its belay.yaml, as its administrator. */
export async function takeFrom(ground: CheckGround, file: string, options: Pick<TakeSnapshot, 'rewrite'> = {}): Promise<TakenSnapshot> {
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, BELAY_CONFIG = '' } = ground.env;
  Object.assign(process.env, { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  return await takeSnapshotOf(parseConfig(readFileSync(BELAY_CONFIG, 'utf8'), BELAY_CONFIG), ground.cluster, file, {
    belay: '0.1.0',
    ...options,
  });
}
