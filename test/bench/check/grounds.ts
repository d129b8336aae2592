/** What is checked: one twin's AWS, with the twin's API server or with a real one that holds the same objects. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFile } from '../../../rehearsal/config-file.ts';
import { writeKubeconfig } from '../../../rehearsal/endpoints.ts';
import { cleanEnvironment } from '../../../rehearsal/processes/environment.ts';
import { Api } from '../../../rehearsal/real/api.ts';
import { startHooks } from '../../../rehearsal/real/hooks.ts';
import { scenarioNamed } from '../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../rehearsal/stage.ts';
import { startControlPlane } from '../../contract/real/control-plane.ts';
import { TOKENS } from '../../contract/server.ts';
import { populate } from './populate.ts';

/** Divides the polls of Belay: what EKS takes minutes for is not what is measured. */
const SPEED = 600;
const INSIGHTS_EVERY_MS = 50;

/** Which API server: the twin's, or a real one. */
export type GroundName = 'twin' | 'real';

export interface Ground {
  cluster: string;
  target: string;
  /** Of an administrator: AWS by the twin, Kubernetes by a kubeconfig for those who need one. */
  env: NodeJS.ProcessEnv;
  /** For files of a run; its belay.yaml is there. */
  directory: string;
  close(): Promise<void>;
}

export interface GroundOptions {
  nodeCount: number;
  /** On a real API server; on the twin there are ten for each node. */
  podCount: number;
  say: (line: string) => void;
}

export async function openGround(name: GroundName, options: GroundOptions): Promise<Ground> {
  const scenario = scenarioNamed(`scale-${options.nodeCount}`);
  if (scenario === undefined) throw new RangeError(`there is no scenario of ${options.nodeCount} nodes`);
  const directory = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const stage = await setStage({ scenario, speed: SPEED, faults: [], temporalUi: () => undefined });
  const closing: (() => Promise<void> | void)[] = [() => rmSync(directory, { recursive: true, force: true }), () => stage.close()];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  try {
    closing.push(standStill(stage));
    const kubernetes = name === 'twin' ? { ...stage.kubernetes, token: stage.kubernetesToken } : await realServer(stage, options, closing);
    const kubeconfig = join(directory, 'kubeconfig');
    writeKubeconfig(kubeconfig, { cluster: scenario.cluster.name, ...kubernetes });
    const belayYaml = join(directory, 'belay.yaml');
    const approvers = { users: ['U012AB3CD'], groups: [] };
    const { prometheusUrl } = stage;
    writeFileSync(belayYaml, configFile({ scenario, speed: SPEED, channel: '#c', approvers, prometheusUrl, recordsDirectory: directory }));
    const env = cleanEnvironment(process.env, {
      AWS_ENDPOINT_URL: stage.aws.url,
      AWS_REGION: scenario.cluster.region,
      AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000',
      AWS_SECRET_ACCESS_KEY: 'administrator',
      AWS_EC2_METADATA_DISABLED: 'true',
      KUBECONFIG: kubeconfig,
      BELAY_CONFIG: belayYaml,
      NO_PROXY: '127.0.0.1',
    });
    return { cluster: scenario.cluster.name, target: scenario.to, env, directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The twin's controllers would take part of the machine, which differs from run to run. Insights alone are refreshed, at once. Returns the end. */
function standStill({ built: { world, controllers, stop } }: Stage): () => void {
  stop();
  world.tempo.insightsRefreshMs = 0;
  const insights = controllers.find(({ name }) => name === 'insights');
  const timer = setInterval(() => insights?.tick(world), INSIGHTS_EVERY_MS);
  return () => clearInterval(timer);
}

/** A real API server in the twin's place, which believes EKS's tokens. Nothing runs on it: its nodes and pods are objects alone. */
async function realServer(
  { built: { world }, kubernetes }: Stage,
  { podCount, say }: GroundOptions,
  closing: (() => Promise<void> | void)[],
): Promise<{ url: string; caData: string; token: string }> {
  const hooks = await startHooks({ journal: world.journal, fates: world.faults });
  closing.push(() => hooks.close());
  const { url, caData, close } = await startControlPlane('1.33', { tokenHookUrl: `${hooks.url}/token` });
  closing.push(close);
  const api = new Api({ url, ca: Buffer.from(caData, 'base64').toString(), token: TOKENS.admin });
  closing.push(() => api.close());
  const { objectCount, seconds } = await populate(api, world.store, podCount);
  say(`${objectCount} objects created on a real API server in ${seconds.toFixed(0)} s (without ${kubernetes.url})`);
  Object.assign(world.eks.cluster, { endpoint: url, caData });
  return { url, caData, token: TOKENS.admin };
}
