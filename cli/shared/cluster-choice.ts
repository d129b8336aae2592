/** Which cluster the arguments of a command mean: pure, and what contradicts itself is refused. */
import { clusterNamedTwice, clusterOrKubeconfig, fileSaysSo, notWithConfig, regionOfContext } from '../messages/without-file.ts';
import { CliError } from './errors.ts';

export interface ClusterFlags {
  cluster?: string;
  context?: string;
  kubeconfig?: string;
  region?: string;
  profile?: string;
  role?: string;
}

export interface ClusterArguments extends ClusterFlags {
  /** As an argument. */
  named?: string;
  /** --config */
  config?: string;
  /** belay.yaml, where one lies there or BELAY_CONFIG names one. */
  file?: string;
}

/** `file`: by belay.yaml, under its name there. `name`: as EKS calls it. Neither: by the current context, or chosen from a list. */
export type ClusterChoice = { from: 'file'; name?: string } | { from: 'aws'; name?: string };

/** Flags that say which cluster; the others say how it is reached. */
const WHICH = ['cluster', 'context', 'kubeconfig'] as const;
const HOW = ['region', 'profile', 'role'] as const;

/** Throws a CliError that names the two that contradict each other. */
export function clusterChoice({ named, config, file, ...flags }: ClusterArguments): ClusterChoice {
  const { cluster, context, kubeconfig, region } = flags;
  if (named !== undefined && cluster !== undefined) throw new CliError(clusterNamedTwice(named, cluster));
  const inKubeconfig = context !== undefined ? '--context' : kubeconfig !== undefined ? '--kubeconfig' : undefined;
  const given = named ?? (cluster === undefined ? undefined : `--cluster ${cluster}`);
  if (given !== undefined && inKubeconfig !== undefined) throw new CliError(clusterOrKubeconfig(given, inKubeconfig));
  if (inKubeconfig !== undefined && region !== undefined) throw new CliError(regionOfContext());
  const which = WHICH.find((flag) => flags[flag] !== undefined);
  if (which !== undefined) {
    if (config !== undefined) throw new CliError(notWithConfig(`--${which}`));
    return { from: 'aws', ...(cluster === undefined ? {} : { name: cluster }) };
  }
  const used = config ?? file;
  const name = named === undefined ? {} : { name: named };
  if (used === undefined) return { from: 'aws', ...name };
  const how = HOW.find((flag) => flags[flag] !== undefined);
  if (how !== undefined) throw new CliError(fileSaysSo(`--${how}`, used));
  return { from: 'file', ...name };
}

/** The first of the flags that is given, as it is typed; undefined: none. */
export function flagGiven(flags: ClusterFlags): string | undefined {
  const flag = [...WHICH, ...HOW].find((each) => flags[each] !== undefined);
  return flag === undefined ? undefined : `--${flag}`;
}
