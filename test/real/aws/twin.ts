/** A running twin for outside clients, and the clients pointed at it as an administrator. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '../../../rehearsal/world/core/endpoints.ts';
import { cleanEnvironment } from '../../../rehearsal/processes/environment.ts';
import { findScenario } from '../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { pythonTools } from './tools.ts';

/** One call of boto3: "eks.describe_cluster" with its arguments. */
export interface BotoCall {
  call: string;
  with?: Record<string, unknown>;
}

export interface BotoAnswer {
  call: string;
  /** Where the answer is not as the service's model has it. */
  problems: string[];
  error: string | null;
  /** The parsed answer, or the error's message. */
  answer: unknown;
}

export interface RunningTwin {
  stage: Stage;
  cluster: string;
  /** Environment of an unmodified client. */
  env: NodeJS.ProcessEnv;
  /** What `aws …` prints. Rejects with what it says on stderr. */
  aws(...args: string[]): Promise<string>;
  boto(calls: BotoCall[]): Promise<BotoAnswer[]>;
  close(): Promise<void>;
}

/** World time runs `speed` times faster. */
export async function startTwin(scenarioName: string, speed: number): Promise<RunningTwin> {
  const scenario = findScenario(scenarioName);
  const bin = pythonTools();
  const stage = await setStage({ scenario, speed, faults: [], temporalUi: () => undefined });
  const directory = mkdtempSync(join(tmpdir(), 'belay-real-aws-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const { url, caData } = stage.kubernetes;
  writeKubeconfig(kubeconfig, { cluster: scenario.cluster.name, url, caData, token: stage.kubernetesToken });
  const env = cleanEnvironment(process.env, {
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_REGION: scenario.cluster.region,
    AWS_DEFAULT_REGION: scenario.cluster.region,
    AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000',
    AWS_SECRET_ACCESS_KEY: 'administrator',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    AWS_CONFIG_FILE: join(directory, 'aws-config'),
    AWS_SHARED_CREDENTIALS_FILE: join(directory, 'aws-credentials'),
    KUBECONFIG: kubeconfig,
    NO_PROXY: '127.0.0.1',
  });
  return {
    stage,
    cluster: scenario.cluster.name,
    env,
    aws: (...args) => printed(join(bin, 'aws'), args, env),
    boto: (calls) => boto(join(bin, 'python'), calls, env),
    async close() {
      await stage.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What a program prints; rejects with its stderr. */
export function printed(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}

function boto(python: string, calls: BotoCall[], env: NodeJS.ProcessEnv): Promise<BotoAnswer[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [new URL('strict.py', import.meta.url).pathname], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`strict.py ended with ${code}`));
      resolve(out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BotoAnswer])));
    });
    child.stdin.end(JSON.stringify(calls));
  });
}
