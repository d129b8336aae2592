/** One `helm upgrade` with explicit values, marked as Belay's: what a killed worker left half-way is known by the mark. */
import { type HelmRunner, runHelm } from './runner.ts';
import { TOKEN_LABEL } from './release.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface HelmDeps {
  helm?: HelmRunner;
  /** How long an operation that is under way is waited for: a killed worker's helm may still be running to its end. */
  pendingWaitMs?: number;
}

export interface ReleaseUpgrade {
  cluster: ClusterRef;
  name: string;
  namespace: string;
  /** The chart's place and exact version, as arguments of helm. */
  chart: string[];
  /** All of them, as with --reset-values: what the chart of before had as defaults is not carried over. */
  values: Record<string, unknown>;
  token: string;
  /** Creates the release where there is none. */
  install?: boolean;
  doing: string;
}

export async function upgradeRelease(helm: HelmRunner | undefined, upgrade: ReleaseUpgrade): Promise<void> {
  const { cluster, name, namespace, chart, values, token, install = false, doing } = upgrade;
  const verb = install ? ['upgrade', '--install'] : ['upgrade'];
  await runHelm(helm, cluster, {
    // Values may hold secrets: helm reads them from its standard input.
    args: [
      ...verb,
      name,
      ...chart,
      '--namespace',
      namespace,
      '--values',
      '-',
      '--description',
      token,
      '--labels',
      `${TOKEN_LABEL}=${token}`,
    ],
    input: JSON.stringify(values),
    doing,
  });
}
