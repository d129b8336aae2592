/** The cluster that a command is for where no belay.yaml says it: looked up in AWS, reached, and given Belay's defaults. */
import type { Cluster } from '@aws-sdk/client-eks';
import { defined } from '../../../domain/core/defined.ts';
import { type EksContext, isOtherCluster, tunnelTo } from '../../../domain/facts/kubeconfig/eks-cluster.ts';
import { type Config, validateConfig } from '../../../domain/policy/config/config.ts';
import { type Account, inRegion, type SignIn, useProfile, useProfileOfContext, usualRegion } from './account.ts';
import { clusterOfContext, placesOf, readKubeconfigs } from './kubeconfigs.ts';
import { ClusterProblemError } from './problems.ts';
import { tryKubernetes } from './try-kubernetes.ts';

export interface Wanted extends SignIn {
  /** As EKS calls it. */
  name?: string;
  region?: string;
  context?: string;
  kubeconfig?: string;
  /** Asks for one of several; absent: there is nobody to ask. */
  choose?: (region: string, names: readonly string[]) => Promise<string>;
}

export interface FoundCluster {
  config: Config;
  cluster: string;
  region: string;
  account: string;
  version: string;
  /** The context that said so. */
  context?: string;
}

interface Place extends SignIn {
  name: string;
  region: string;
  account?: string;
  context?: string;
  server?: string;
}

/** Reads only. Throws ClusterProblemError, or a failure in our words where AWS cannot be asked. */
export async function findCluster(wanted: Wanted, env: NodeJS.ProcessEnv = process.env): Promise<FoundCluster> {
  useProfile(wanted.profile, env);
  const place = await placeOf(wanted, env);
  return await inRegion(place.region, place, async (account) => {
    const described = await account.describe(place.name);
    if (described === undefined) throw await notFound(account, place, wanted, env);
    const [, , , , actual = ''] = (described.arn ?? '').split(':');
    if (place.account !== undefined && place.account !== actual)
      throw new ClusterProblemError({ kind: 'other-account', name: place.name, wanted: place.account, actual });
    if (isOtherCluster(described.endpoint ?? '', place.server)) throw otherCluster(place, actual);
    const tunnel = tunnelTo(described.endpoint ?? '', place.server);
    const config = configOf(place, actual, tunnel);
    await tryKubernetes({ config, place: { name: place.name, region: place.region, ...defined({ tunnel }) }, described, account });
    return {
      config,
      cluster: place.name,
      region: place.region,
      account: actual,
      version: versionOf(described),
      ...defined({ context: place.context }),
    };
  });
}

function otherCluster({ name, region, context, server = '', profile }: Place, account: string): ClusterProblemError {
  return new ClusterProblemError({ kind: 'other-cluster', name, region, account, server, ...defined({ context, profile }) });
}

const versionOf = ({ version = '' }: Cluster): string => version;

async function placeOf(wanted: Wanted, env: NodeJS.ProcessEnv): Promise<Place> {
  const { name, region } = wanted;
  if (name !== undefined) return await placeOfName(name, wanted, env);
  if (region !== undefined) return await chosenIn(region, wanted);
  const kubeconfigs = readKubeconfigs(wanted.kubeconfig, env);
  try {
    return placeOfContext(clusterOfContext(kubeconfigs, wanted.context), wanted, env);
  } catch (error) {
    // Who names a context means it; else the account's clusters are there to choose from.
    const isAsked = wanted.context !== undefined || wanted.kubeconfig !== undefined;
    if (isAsked || wanted.choose === undefined || !(error instanceof ClusterProblemError)) throw error;
    const usual = await usualRegion(env);
    if (usual === undefined) throw error;
    return await chosenIn(usual, wanted);
  }
}

function placeOfContext(found: EksContext, { profile, role }: SignIn, env: NodeJS.ProcessEnv): Place {
  if (profile === undefined) useProfileOfContext(found.profile, env);
  return { ...found, ...defined({ role: role ?? found.role }) };
}

/** By AWS in the usual region. A kubeconfig is asked where nothing says a region, and knows of clusters of that name elsewhere. */
async function placeOfName(name: string, wanted: Wanted, env: NodeJS.ProcessEnv): Promise<Place> {
  const { region, profile, role } = wanted;
  const given = { name, ...defined({ role }) };
  if (region !== undefined) return { ...given, region };
  const places = knownPlaces(name, env);
  if (places.length > 1 && profile === undefined && role === undefined) throw new ClusterProblemError({ kind: 'several', name, places });
  const usual = await usualRegion(env);
  if (usual !== undefined) return { ...given, region: usual };
  const [only] = places;
  if (only === undefined || places.length > 1) throw new ClusterProblemError({ kind: 'no-region', cluster: name });
  return placeOfContext({ ...only, name }, wanted, env);
}

/** A kubeconfig that cannot be read says nothing here. */
function knownPlaces(name: string, env: NodeJS.ProcessEnv): ReturnType<typeof placesOf> {
  try {
    return placesOf(readKubeconfigs(undefined, env), name);
  } catch {
    return [];
  }
}

async function chosenIn(region: string, { role, choose }: Wanted): Promise<Place> {
  return await inRegion(region, defined({ role }), async (account) => {
    const names = await account.clusterNames();
    if (names.length === 0)
      throw new ClusterProblemError({ kind: 'no-clusters', regions: [region], account: (await account.caller()).account });
    if (choose === undefined) throw new ClusterProblemError({ kind: 'which', region, names });
    return { name: await choose(region, names), region, ...defined({ role }) };
  });
}

async function notFound(account: Account, place: Place, { kubeconfig }: Wanted, env: NodeJS.ProcessEnv): Promise<ClusterProblemError> {
  const { name, region } = place;
  const names = await account.clusterNames().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const caller = await account.caller().catch(() => undefined);
  const elsewhere = kubeconfig === undefined ? knownPlaces(name, env).filter((each) => each.region !== region) : [];
  return new ClusterProblemError({ kind: 'not-found', name, region, names, elsewhere, ...defined({ account: caller?.account }) });
}

/** Belay's defaults for one cluster, as a belay.yaml with nothing else would have them. */
function configOf({ name, region, role }: Place, account: string, tunnel: string | undefined): Config {
  const config = validateConfig({ clusters: { [name]: { region, account, ...defined({ role }) } } }, { fileName: 'belay.yaml' });
  const found = config.clusters.get(name);
  if (found === undefined) return config;
  const access = { ...found.access, ...defined({ tunnel }) };
  return { ...config, clusters: new Map([[name, { ...found, access, readiness: { ...found.readiness, withoutFile: true } }]]) };
}
