/** A scenario's world behind HTTP, checked as `belay check` does: with the real clients, as an administrator. */
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { setStage, type Stage } from '../../rehearsal/play/stage/stage.ts';
import { configFile } from '../../rehearsal/play/config-file.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import type { World } from '../../rehearsal/world/world.ts';
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import { checkCluster } from '../../worker/local/check.ts';
import { parseConfig } from '../../worker/config/config.ts';

/** An insights refresh, a world minute, takes a second. */
const SPEED = 60;
const LOOK_MS = 100;
const LOOKS_AT_REST = 10;
const MOST_LOOKS = 300;

/** Reports of the same world for several targets, with the world as it then is. */
export async function checkScenario(name: string, targets: readonly string[]): Promise<{ world: World; reports: ReadinessReport[] }> {
  const scenario = findScenario(name);
  const stage = await setStage({ scenario, speed: SPEED, faults: [], temporalUi: () => undefined });
  try {
    await atRest(stage.built.world);
    const reports: ReadinessReport[] = [];
    for (const target of targets) reports.push(await checkOnStage(stage, scenario, target));
    return { world: stage.built.world, reports };
  } finally {
    await stage.close();
  }
}

/** Until its controllers have brought up what the scenario begins with: what is not ready then is meant not to be. */
async function atRest({ store }: World): Promise<void> {
  const seen = (): string => JSON.stringify(['deployments', 'pods'].map((plural) => store.list(plural).map(({ status }) => status)));
  let last = seen();
  for (let sameLooks = 0, looks = 0; sameLooks < LOOKS_AT_REST && looks < MOST_LOOKS; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = seen();
    sameLooks = now === last ? sameLooks + 1 : 0;
    last = now;
  }
}

/** By the scenario's own belay.yaml, with the optional role. */
export function checkOnStage(stage: Stage, scenario: Scenario, target: string): Promise<ReadinessReport> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000',
    AWS_SECRET_ACCESS_KEY: 'administrator',
  });
  const text = configFile({
    scenario,
    speed: SPEED,
    channel: 'C0UPGRADES',
    approvers: { users: ['U0SAM'], groups: [] },
    publicKeys: {},
    prometheusUrl: stage.prometheusUrl,
    recordsDirectory: 'records',
  });
  const file = z
    .object({ clusters: z.record(z.string(), z.looseObject({})) })
    .loose()
    .parse(parse(text));
  Object.assign(file.clusters[scenario.cluster.name] ?? {}, { optionalRole: true });
  return checkCluster(parseConfig(stringify(file), 'belay.yaml'), { cluster: scenario.cluster.name, target });
}
