/** What `belay check` and other outside programs look at: a twin's AWS, with the twin's API server or with a real one in its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configFile } from '../../rehearsal/play/config-file.ts';
import { writeKubeconfig } from '../../rehearsal/world/core/endpoints.ts';
import { cleanEnvironment } from '../../rehearsal/processes/environment.ts';
import { Api } from '../../rehearsal/real/api.ts';
import { startHooks } from '../../rehearsal/real/hooks.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { setStage, type Stage } from '../../rehearsal/play/stage/stage.ts';
import { type ControlPlaneOptions, type Minor, startControlPlane } from '../contract/real/control-plane.ts';
import { TOKENS } from '../contract/server.ts';

/** Divides the polls of Belay; the world itself stands still. */
const SPEED = 600;
const INSIGHTS_EVERY_MS = 50;

/** As operators start it. */
export const BELAY = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url));

export interface CheckGround {
  stage: Stage;
  cluster: string;
  target: string;
  /** Of an administrator: AWS by the twin, belay.yaml, a kubeconfig for those who need one. */
  env: NodeJS.ProcessEnv;
  /** For files of a run; belay.yaml is there. */
  directory: string;
  close(): Promise<void>;
}

export interface RealGround extends CheckGround {
  /** An administrator's client of the API server. */
  api: Api;
}

/** All on the twin. */
export function openTwinGround(scenario: string | Scenario): Promise<CheckGround> {
  return openGround(scenario, async ({ kubernetes, kubernetesToken }) => ({ ...kubernetes, token: kubernetesToken, extra: {} }));
}

/** A real API server in the twin's place, empty, which believes EKS's tokens. */
export function openRealGround(
  scenario: string,
  minor: Minor,
  options: Omit<ControlPlaneOptions, 'tokenHookUrl'> = {},
): Promise<RealGround> {
  return openGround(scenario, async ({ built: { world } }, closing) => {
    const hooks = await startHooks({ journal: world.journal, fates: world.faults });
    closing.push(() => hooks.close());
    const { url, caData, close } = await startControlPlane(minor, { ...options, tokenHookUrl: `${hooks.url}/token` });
    closing.push(close);
    const api = new Api({ url, ca: Buffer.from(caData, 'base64').toString(), token: TOKENS.admin });
    closing.push(() => api.close());
    Object.assign(world.eks.cluster, { endpoint: url, caData });
    return { url, caData, token: TOKENS.admin, extra: { api } };
  });
}

type Closing = (() => Promise<void> | void)[];

async function openGround<Extra extends object>(
  named: string | Scenario,
  serve: (stage: Stage, closing: Closing) => Promise<{ url: string; caData: string; token: string; extra: Extra }>,
): Promise<CheckGround & Extra> {
  const scenario = typeof named === 'string' ? findScenario(named) : named;
  const directory = mkdtempSync(join(tmpdir(), 'belay-check-'));
  const stage = await setStage({ scenario, speed: SPEED, faults: [], temporalUi: () => undefined });
  const closing: Closing = [() => rmSync(directory, { recursive: true, force: true }), () => stage.close(), standStill(stage)];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  try {
    const { url, caData, token, extra } = await serve(stage, closing);
    const { cluster, to } = scenario;
    const kubeconfig = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfig, { cluster: cluster.name, url, caData, token });
    const belayYaml = join(directory, 'belay.yaml');
    const approvers = { users: ['U012AB3CD'], groups: [] };
    const { prometheusUrl } = stage;
    writeFileSync(
      belayYaml,
      configFile({ scenario, speed: SPEED, channel: '#c', approvers, publicKeys: {}, prometheusUrl, recordsDirectory: directory }),
    );
    const env = cleanEnvironment(process.env, {
      AWS_ENDPOINT_URL: stage.aws.url,
      AWS_REGION: cluster.region,
      AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000',
      AWS_SECRET_ACCESS_KEY: 'administrator',
      AWS_EC2_METADATA_DISABLED: 'true',
      KUBECONFIG: kubeconfig,
      BELAY_CONFIG: belayYaml,
      NO_PROXY: '127.0.0.1',
    });
    return { stage, cluster: cluster.name, target: to, env, directory, close, ...extra };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The twin's controllers would change what is looked at, and take part of the machine. Insights alone are refreshed, at once. Returns the end. */
function standStill({ built: { world, controllers, stop } }: Stage): () => void {
  stop();
  world.tempo.insightsRefreshMs = 0;
  const insights = controllers.find(({ name }) => name === 'insights');
  const timer = setInterval(() => insights?.tick(world), INSIGHTS_EVERY_MS);
  return () => clearInterval(timer);
}
