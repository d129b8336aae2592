/** Runs the `helm` binary (Helm has no JavaScript engine) against one cluster, with credentials in a private file that goes away. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterRef } from '../../domain/facts.ts';
import { currentSignal } from '../context.ts';
import { failureOf } from '../translate-errors.ts';
import { heartbeating } from './heartbeating.ts';

export interface HelmResult {
  stdout: string;
  stderr: string;
  code: number;
}

export interface HelmRunner {
  /** Runs helm with these arguments against the cluster. A non-zero code is a result, not an error. */
  run(args: string[], options: { cluster: ClusterRef; signal: AbortSignal }): Promise<HelmResult>;
}

export interface HelmOptions {
  /** The binary; default `helm` on the PATH. */
  binary?: string;
  /** Text of a kubeconfig for the cluster, with a token that lives as long as a helm call. */
  kubeconfig: (cluster: ClusterRef) => Promise<string>;
}

const OUTPUT_LIMIT = 200_000;

/** Never uses the kubeconfig that happens to lie around: it may belong to another cluster. */
export function createHelmRunner({ binary = 'helm', kubeconfig }: HelmOptions): HelmRunner {
  return {
    async run(args, { cluster, signal }) {
      return await withPrivateFile('kubeconfig', await kubeconfig(cluster), (path) =>
        execute(binary, [...args, '--kubeconfig', path], signal),
      );
    },
  };
}

/** A kubeconfig (JSON is YAML) for one cluster and one token, as HelmOptions.kubeconfig wants it. */
export function kubeconfigText(cluster: { name: string; endpoint: string; caData: string; token: string }): string {
  const { name, endpoint, caData, token } = cluster;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: endpoint, 'certificate-authority-data': caData } }],
    users: [{ name: 'belay', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'belay' } }],
    'current-context': name,
  });
}

/** Runs helm, heartbeating meanwhile; a failure of helm becomes a failure with the last lines that it said. */
export async function runHelm(runner: HelmRunner | undefined, cluster: ClusterRef, args: string[], doing: string): Promise<void> {
  if (runner === undefined) throw failureOf('Configuration', `${doing}: this worker has no helm; install it, or set managedBy for istio`);
  const { code, stderr, stdout } = await heartbeating(doing, () => runner.run(args, { cluster, signal: currentSignal() }));
  if (code === 0) return;
  const said = (stderr.trim() === '' ? stdout : stderr).trim().split('\n').slice(-3).join(' ').slice(0, 400);
  // Servers that cannot be reached may come back; all else is for people.
  const weather = /timed out|timeout|connection refused|unreachable|EOF|i\/o/i.test(said);
  throw failureOf(weather ? 'Unavailable' : 'InvalidRequest', `${doing}: helm ended with code ${code}: ${said}`);
}

/** A file that only this user can read, deleted when `work` is over, however it ends. */
export async function withPrivateFile<T>(name: string, content: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'belay-'));
  try {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function execute(binary: string, args: string[], signal: AbortSignal): Promise<HelmResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-OUTPUT_LIMIT)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-OUTPUT_LIMIT)));
    child.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT';
      reject(missing ? failureOf('Configuration', `running ${binary}: it is not installed on this worker`, { cause: error }) : error);
    });
    child.on('close', (code) => resolve({ stdout, stderr, code: code ?? 1 }));
  });
}
