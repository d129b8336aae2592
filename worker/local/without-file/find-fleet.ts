/** Every cluster of an account in some regions, where no belay.yaml names them. */
import { defined } from '../../../domain/core/defined.ts';
import { type Config, validateConfig } from '../../../domain/policy/config/config.ts';
import { inRegion, useProfile, useProfileOfContext, usualRegion } from './account.ts';
import type { Wanted } from './find-cluster.ts';
import { clusterOfContext, readKubeconfigs } from './kubeconfigs.ts';
import { ClusterProblemError } from './problems.ts';

export interface FleetWanted extends Pick<Wanted, 'profile' | 'role' | 'context' | 'kubeconfig'> {
  /** Absent: the usual one, else that of the current context. */
  regions?: readonly string[];
}

/** One that is in two regions is called NAME.REGION. Throws ClusterProblemError, or a failure in our words. */
export async function findFleet(wanted: FleetWanted, env: NodeJS.ProcessEnv = process.env): Promise<Config> {
  useProfile(wanted.profile, env);
  const { regions, role } = await whereOf(wanted, env);
  const found = await Promise.all(
    regions.map((region) =>
      inRegion(region, defined({ role }), async (account) => ({
        region,
        account: (await account.caller()).account,
        names: await account.clusterNames(),
      })),
    ),
  );
  const all = found.flatMap(({ region, account, names }) => names.map((name) => ({ name, region, account })));
  if (all.length === 0) throw new ClusterProblemError({ kind: 'no-clusters', regions, account: found[0]?.account ?? '' });
  const keyOf = (name: string, region: string): string =>
    all.filter((other) => other.name === name).length > 1 ? `${name}.${region}` : name;
  const clusters = all.map(({ name, region, account }) => [keyOf(name, region), { name, region, account, ...defined({ role }) }]);
  return validateConfig({ clusters: Object.fromEntries(clusters) }, { fileName: 'belay.yaml' });
}

async function whereOf(wanted: FleetWanted, env: NodeJS.ProcessEnv): Promise<{ regions: readonly string[]; role?: string }> {
  const { regions, role, profile } = wanted;
  const own = defined({ role });
  if (regions !== undefined) return { regions: [...new Set(regions)], ...own };
  const isAsked = wanted.context !== undefined || wanted.kubeconfig !== undefined;
  const usual = isAsked ? undefined : await usualRegion(env);
  if (usual !== undefined) return { regions: [usual], ...own };
  let found: ReturnType<typeof clusterOfContext>;
  try {
    found = clusterOfContext(readKubeconfigs(wanted.kubeconfig, env), wanted.context);
  } catch (error) {
    throw isAsked || !(error instanceof ClusterProblemError) ? error : new ClusterProblemError({ kind: 'no-region' }, { cause: error });
  }
  if (profile === undefined) useProfileOfContext(found.profile, env);
  return { regions: [found.region], ...defined({ role: role ?? found.role }) };
}
