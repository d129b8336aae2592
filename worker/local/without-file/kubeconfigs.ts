/** Reads the kubeconfigs that kubectl would read. Nothing in them is run. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { type Kubeconfig, type KubeContext, mergeKubeconfigs } from '../../../domain/facts/kubeconfig/contexts.ts';
import { type EksContext, eksClusterOf } from '../../../domain/facts/kubeconfig/eks-cluster.ts';
import { ClusterProblemError, type KnownPlace } from './problems.ts';

export interface Kubeconfigs extends Kubeconfig {
  /** Those that were looked for. */
  paths: string[];
  /** None of them is there. */
  isMissing: boolean;
}

/** `file`, else those of KUBECONFIG, else ~/.kube/config. Throws ClusterProblemError where one is there and cannot be read. */
export function readKubeconfigs(file: string | undefined, env: NodeJS.ProcessEnv): Kubeconfigs {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((each) => each !== '');
  const paths = file === undefined ? (named.length > 0 ? named : [join(env['HOME'] ?? homedir(), '.kube', 'config')]) : [file];
  const documents = paths.map(read);
  return { ...mergeKubeconfigs(documents), paths, isMissing: documents.every((each) => each === undefined) };
}

/** undefined: it is not there, which kubectl passes over. */
function read(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8')) ?? null;
  } catch (error) {
    if (field(error, 'code') === 'ENOENT') return undefined;
    const [why = ''] = messageOf(error).split('\n');
    throw new ClusterProblemError({ kind: 'kubeconfig-unreadable', path, why }, { cause: error });
  }
}

/** The cluster of `context`, or of the current one. Throws ClusterProblemError where it says none. */
export function clusterOfContext({ current, contexts, paths, isMissing }: Kubeconfigs, context: string | undefined): EksContext {
  if (isMissing) throw new ClusterProblemError({ kind: 'no-kubeconfig', paths });
  const names = contexts.map(({ name }) => name);
  const wanted = context ?? current;
  if (wanted === undefined) throw new ClusterProblemError({ kind: 'no-current-context', paths, contexts: names });
  const found = contexts.find(({ name }) => name === wanted);
  if (found === undefined) throw new ClusterProblemError({ kind: 'no-such-context', context: wanted, paths, contexts: names });
  const cluster = eksClusterOf(found);
  if (cluster === undefined) throw new ClusterProblemError({ kind: 'not-eks', context: wanted, isCurrent: context === undefined });
  return cluster;
}

/** Contexts of clusters that EKS calls `name`; the first of each place. */
export function placesOf({ contexts }: Pick<Kubeconfig, 'contexts'>, name: string): (KnownPlace & Pick<EksContext, 'profile' | 'role'>)[] {
  const places = new Map<string, EksContext>();
  for (const found of contexts.map((each: KubeContext) => eksClusterOf(each))) {
    if (found === undefined || found.name !== name) continue;
    // One context may say the account, and another of the same cluster not.
    const key = `${found.region}/${found.account ?? ''}`;
    if (!places.has(key)) places.set(key, found);
  }
  const all = [...places.values()];
  return all.filter(
    ({ region, account }) => account !== undefined || !all.some((other) => other.region === region && other.account !== undefined),
  );
}
