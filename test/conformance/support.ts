/** A scenario's twin, and the conformance checks against it as `belay conformance` runs them. */
import { parseConfig } from '../../worker/config/config.ts';
import { configFile } from '../../rehearsal/play/config-file.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { setStage, type Stage } from '../../rehearsal/play/stage/stage.ts';
import { type ConformanceResult, runConformance } from '../../worker/local/conformance.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';

/** World minutes take a second. */
const SPEED = 60;

export interface ConformanceTwin {
  stage: Stage;
  run(options?: { only?: string[]; disposable?: boolean; record?: boolean }): Promise<ConformanceResult>;
  close(): Promise<void>;
}

/** A scenario by its name, or one of the tests' own. */
export async function openTwin(named: string | Scenario, faults: string[] = []): Promise<ConformanceTwin> {
  const scenario = typeof named === 'string' ? findScenario(named) : named;
  const stage = await setStage({ scenario, speed: SPEED, faults, temporalUi: () => undefined });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_ACCESS_KEY_ID: 'AKIAALEXREHEARSAL',
    AWS_SECRET_ACCESS_KEY: 'rehearsal-ALEX',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
  const text = configFile({
    scenario,
    speed: SPEED,
    channel: 'C0UPGRADES',
    approvers: { users: ['U0SAM'], groups: [] },
    prometheusUrl: stage.prometheusUrl,
    recordsDirectory: 'records',
    publicKeys: {},
  });
  const config = parseConfig(text, 'belay.yaml');
  const cluster = scenario.cluster.name;
  return {
    stage,
    run: ({ only, disposable = false, record = false } = {}) =>
      runConformance(config, { cluster, disposable, record, ...(only === undefined ? {} : { only }) }),
    close: () => stage.close(),
  };
}

/** "EKS-ARN: arn:…": for failures that say what was seen. */
export function lines(tried: readonly Tried[], kind: 'held' | 'broken' | 'untried'): string[] {
  return tried.flatMap(({ id, verdict }) => {
    if (verdict.kind !== kind) return [];
    return [`${id}: ${verdict.kind === 'untried' ? `${verdict.because}, ${verdict.why}` : verdict.saw}`];
  });
}
