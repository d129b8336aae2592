/** Every cluster of an account in some regions, where no belay.yaml names them. */
import { ApplicationFailure } from '@temporalio/common';
import { defined } from '../../../domain/core/defined.ts';
import { type Config, validateConfig } from '../../../domain/policy/config/config.ts';
import type { UnreadRegion } from '../../../domain/run/fleet-view/reading.ts';
import { inRegion, type SignIn, useProfile, useProfileOfContext, usualRegion } from './account.ts';
import type { Wanted } from './find-cluster.ts';
import { clusterOfContext, readKubeconfigs } from './kubeconfigs.ts';
import { ClusterProblemError } from './problems.ts';

export interface FleetWanted extends Pick<Wanted, 'profile' | 'role' | 'context' | 'kubeconfig'> {
  /** Absent: the usual one, else that of the current context. */
  regions?: readonly string[];
}

export interface FoundFleet {
  config: Config;
  /** Regions that refused, beside others that have clusters. */
  unreadRegions: UnreadRegion[];
}

/** What AWS answers where the account has not enabled a region, as for a key that is not valid. https://docs.aws.amazon.com/general/latest/gr/rande-manage.html */
const NOT_ENABLED: ReadonlySet<string> = new Set(['InvalidClientTokenId', 'UnrecognizedClientException']);

/**
 * A cluster that is in two regions is called NAME.REGION. Throws ClusterProblemError, or a failure in our words; that of a region only where no other one
 * has clusters.
 */
export async function findFleet(wanted: FleetWanted, env: NodeJS.ProcessEnv = process.env): Promise<FoundFleet> {
  useProfile(wanted.profile, env);
  const { regions, role } = await whereOf(wanted, env);
  const looked = await Promise.all(regions.map((region) => lookIn(region, defined({ role }))));
  const found = looked.flatMap((each) => ('error' in each ? [] : each));
  const all = found.flatMap(({ region, account, names }) => names.map((name) => ({ name, region, account })));
  const refused = looked.flatMap((each) => ('error' in each ? each : []));
  if (all.length === 0 && refused[0] !== undefined) throw refused[0].error;
  if (all.length === 0) throw new ClusterProblemError({ kind: 'no-clusters', regions, account: found[0]?.account ?? '' });
  const keyOf = (name: string, region: string): string =>
    all.filter((other) => other.name === name).length > 1 ? `${name}.${region}` : name;
  const clusters = all.map(({ name, region, account }) => [keyOf(name, region), { name, region, account, ...defined({ role }) }]);
  const unreadRegions = refused.map(({ region, error }) => ({ region, why: whyUnread(region, error, found[0]?.region ?? '') }));
  return { config: validateConfig({ clusters: Object.fromEntries(clusters) }, { fileName: 'belay.yaml' }), unreadRegions };
}

type Looked = { region: string; account: string; names: string[] } | { region: string; error: ApplicationFailure };

/** Credentials that there are not concern every region. */
async function lookIn(region: string, signIn: SignIn): Promise<Looked> {
  try {
    return await inRegion(region, signIn, async (account) => ({
      region,
      account: (await account.caller()).account,
      names: await account.clusterNames(),
    }));
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return { region, error };
  }
}

/** `other`: a region in which AWS accepts the same credentials. */
function whyUnread(region: string, { message, cause }: ApplicationFailure, other: string): string {
  const leaveOut = 'or leave the region out of --region';
  if (!NOT_ENABLED.has(cause?.name ?? '')) return `${message}; ${leaveOut}`;
  return `AWS accepts these credentials in ${other}, and not there (${cause?.name}): enable the region for the account, such as by "aws account enable-region --region-name ${region}", ${leaveOut}`;
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
