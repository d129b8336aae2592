/** Readiness of every cluster of belay.yaml, each for its own target, without Temporal. */
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import { describeCluster } from '../../activities/clients/aws/eks-api.ts';
import { listOfferedVersions } from '../../activities/observe/inspect/eks.ts';
import { translateError } from '../../activities/runtime/translate-errors.ts';
import { compareKubernetesVersions, parseKubernetesVersion } from '../../domain/core/version.ts';
import type { SupportedVersion } from '../../domain/facts/facts.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { defaultTarget, policyOf } from '../../domain/policy/config/of-cluster.ts';
import type { ClusterCheck, ManyChecks } from '../../domain/readiness/many.ts';
import { targetsFrom } from '../../domain/run/fleet.ts';
import { openClients } from '../config/clients.ts';
import { type CheckRequest, checkWith } from './check.ts';
import { inPlaces } from './in-places.ts';

/** A check makes a few hundred calls, and EKS limits them for each account and region. */
export const CHECKS_PER_PLACE = 2;
export const CHECKS_AT_ONCE = 6;

export interface CheckAllRequest extends Omit<CheckRequest, 'cluster' | 'target' | 'onRead' | 'described'> {
  /** For all of them; absent: the target of each in the file, else the next minor. */
  target?: string;
  /** Called as each is done. */
  onChecked?: (check: ClusterCheck) => void;
}

/** Reads only, and never fails because of one cluster. */
export async function checkAll(config: Config, { onChecked, ...request }: CheckAllRequest): Promise<ManyChecks> {
  const clients = openClients(config, 'check');
  const offers = createOffers(clients);
  try {
    const limits = { place: (name: string) => placeOf(config, name), perPlace: CHECKS_PER_PLACE, atOnce: CHECKS_AT_ONCE };
    const clusters = await inPlaces(config.clusterNames, limits, async (name) => {
      const check = await checkOne({ clients, config, offers }, name, request);
      onChecked?.(check);
      return check;
    });
    return { schemaVersion: 1, clusters };
  } finally {
    await clients.close();
  }
}

interface Reading {
  clients: ClusterClients;
  config: Config;
  offers: Offers;
}

async function checkOne({ clients, config, offers }: Reading, name: string, request: CheckAllRequest): Promise<ClusterCheck> {
  const ref = policyOf(config, name).cluster;
  const cluster = { name, account: ref.account, region: ref.region };
  try {
    const described = await describeCluster(clients.aws(ref), ref);
    const version = described.version ?? '';
    const current = parseKubernetesVersion(version);
    const target = request.target ?? defaultTarget(config, name) ?? targetsFrom(version, await offers(name, config))[0]?.minor;
    if (target === undefined) return { cluster, kind: 'newest', version };
    if (compareKubernetesVersions(current, parseKubernetesVersion(target)) >= 0) return { cluster, kind: 'there', version, target };
    return { cluster, kind: 'report', report: await checkWith(clients, config, { ...request, cluster: name, target, described }) };
  } catch (error) {
    return { cluster, kind: 'unread', why: translateError(error, `checking ${name}`).message.slice(0, 500) };
  }
}

type Offers = (name: string, config: Config) => Promise<SupportedVersion[]>;

/** What EKS offers, asked once for each account and region; the calendar of domain/tables counts where it does not say. */
function createOffers(clients: ClusterClients): Offers {
  const known = new Map<string, Promise<SupportedVersion[]>>();
  return async (name, config) => {
    const place = placeOf(config, name);
    const asked = known.get(place) ?? listOfferedVersions(clients.aws(policyOf(config, name).cluster)).catch(() => []);
    known.set(place, asked);
    return await asked;
  };
}

function placeOf(config: Config, name: string): string {
  const { account, region } = policyOf(config, name).cluster;
  return `${account}/${region}`;
}
