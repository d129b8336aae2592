/** Runs the `helm` binary (Helm has no JavaScript engine) against one cluster; what goes wrong becomes a failure. */
import { currentSignal } from '../../runtime/context.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { type HelmKubeconfig, withKubeconfig } from '../../clients/kubernetes/kubeconfig.ts';
import { type HelmResult, passedOn, runProcess } from './process.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface HelmRunner {
  /** Runs helm with these arguments against the cluster. A non-zero code is a result, not an error. `input`: what `--values -` reads. */
  run(args: string[], options: { cluster: ClusterRef; signal: AbortSignal; input?: string }): Promise<HelmResult>;
}

export interface HelmOptions {
  /** The binary; default `helm` on the PATH. */
  binary?: string;
  /** The worker's environment; helm gets the part of it that it needs. */
  env: Readonly<Record<string, string | undefined>>;
  kubeconfig: (cluster: ClusterRef) => Promise<HelmKubeconfig>;
  /** Longest call. */
  limitMs?: number;
}

/** Under the 15 minutes of the activity, and under the life of its token. */
const LIMIT_MS = 8 * 60_000;

export function createHelmRunner({ binary = 'helm', env, kubeconfig, limitMs = LIMIT_MS }: HelmOptions): HelmRunner {
  const passed = passedOn(env);
  return {
    async run(args, { cluster, signal, input }) {
      return await withKubeconfig(await kubeconfig(cluster), (access) =>
        runProcess({ binary, args: [...args, ...access], env: passed, signal, limitMs, ...defined({ input }) }),
      );
    },
  };
}

/** Runs helm, heartbeating meanwhile, and gives what it printed; a failure of helm becomes a failure with the last lines that it said. */
export async function runHelm(
  runner: HelmRunner | undefined,
  cluster: ClusterRef,
  { args, doing, input }: { args: string[]; doing: string; input?: string },
): Promise<string> {
  if (runner === undefined)
    throw failureOf('Configuration', `${doing}: this worker has no helm; install it, or set managedBy to who installs it`);
  const options = { cluster, signal: currentSignal(), ...defined({ input }) };
  const { code, stderr, stdout } = await heartbeating(doing, () => runner.run(args, options));
  if (code === 0) return stdout;
  const lines = (stderr.trim() === '' ? stdout : stderr).trim().split('\n').slice(-3).join(' ');
  const said = withoutSecrets(lines, input).slice(0, 400);
  if (said.includes('unknown flag: --labels'))
    throw failureOf('Configuration', `${doing}: this worker's helm is too old; install Helm 3.13 or newer`);
  // Servers that cannot be reached may come back; all else is for people.
  const isTransient =
    /timed out|timeout|connection re(?:fused|set)|unreachable|EOF|i\/o|TLS handshake|no such host|(?:50[0234]|429) /i.test(said);
  throw failureOf(isTransient ? 'Unavailable' : 'InvalidRequest', `${doing}: helm ended with code ${code}: ${said}`);
}

const SECRET_KEY = /pass|secret|token|credential|auth|key/i;

/** A chart's template may quote a value in its error: those under keys that sound secret are taken out. */
function withoutSecrets(text: string, input: string | undefined): string {
  if (input === undefined) return text;
  let clean = text;
  const visit = (value: unknown, secret: boolean): void => {
    if (typeof value === 'string' && secret && value.length >= 4) clean = clean.replaceAll(value, '[redacted]');
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, secret || SECRET_KEY.test(key));
    }
  };
  visit(JSON.parse(input), false);
  return clean;
}
