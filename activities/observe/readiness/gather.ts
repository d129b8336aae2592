/** Gathers the evidence for readiness checks: EKS's side and the API server's at the same time. Reads only. */
import type { Cluster } from '@aws-sdk/client-eks';
import type { Timing } from '../../../domain/policy/policy.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import type { Check } from '../../../domain/readiness/model/check.ts';
import type { Evidence, Seen, Unseen } from '../../../domain/readiness/model/evidence.ts';
import { SOURCE_IDS, type SourceId, SOURCES } from '../../../domain/readiness/model/sources.ts';
import type { KubernetesVersion } from '../../../domain/core/version.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { unlessAway, whyAway } from './away.ts';
import { readEksSide } from './aws/aws-evidence.ts';
import { readKubernetesSide } from './kubernetes/kubernetes-evidence.ts';
import { SWITCHED_OFF, type OnTransient } from '../../runtime/see.ts';
import { sharingLists } from '../../kubernetes/objects/shared-lists.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface Gathering {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  ref: ClusterRef;
  timing: Timing;
  target: KubernetesVersion;
  /** Only what these read is read. Default: the whole catalogue. */
  checks?: readonly Check[];
  /** Reads also what needs an optional role. */
  optional?: boolean;
  /** Default: `unknown`. */
  onTransient?: OnTransient;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId, seen: Seen<unknown>) => void;
}

/** Throws when the cluster itself cannot be described, and on transient failures where that is wanted; everything else that cannot be read is unseen, with the reason. */
export async function gatherEvidence(gathering: Gathering): Promise<Evidence> {
  return await gather(gathering, Promise.resolve(await describeCluster(gathering.aws, gathering.ref)));
}

/**
 * Reads at once what needs no description of the cluster, which takes EKS a while. What is given reads the rest; else as `gatherEvidence`. What is tried
 * again as a whole waits for the description: each try would ask for everything.
 */
export function startGathering(gathering: Gathering): (cluster: Cluster) => Promise<Evidence> {
  if (gathering.onTransient === 'throw') return (cluster) => gather(gathering, Promise.resolve(cluster));
  const { promise: described, resolve } = Promise.withResolvers<Cluster>();
  const evidence = gather(gathering, described);
  // Whoever cannot describe the cluster does not wait for it.
  evidence.catch(() => {});
  return (cluster) => {
    resolve(cluster);
    return evidence;
  };
}

async function gather(gathering: Gathering, described: Promise<Cluster>): Promise<Evidence> {
  const { aws, kubernetes, ref, checks = CATALOGUE, optional = false, onTransient = 'unknown', onRead } = gathering;
  const wanted = new Set(checks.flatMap(({ reads }) => reads));
  const progress = onRead === undefined ? {} : { onRead };
  const asks = [...wanted].some((id) => 'rbac' in SOURCES[id]);
  const away = asks && onTransient === 'unknown' ? whyAway(kubernetes, ref.name) : Promise.resolve(undefined);
  away.catch(() => {});
  const port = sharingLists(unlessAway(kubernetes, away));
  const nowMs = described.then(() => Date.parse(aws.eksDate() ?? new Date().toISOString()));
  const [eks, inside] = await Promise.all([
    readEksSide({ ...gathering, kubernetes: port, described, wanted, onTransient, ...progress }),
    readKubernetesSide({ port, ref, nowMs, wanted, optional, onTransient, ...progress }),
  ]);
  const unread = Object.fromEntries(SOURCE_IDS.map((id) => [id, SWITCHED_OFF])) as unknown as Evidence;
  return { ...unread, ...sharing(await away, { ...eks, ...inside }) };
}

/** What needs the server is unseen for one reason, said once. */
function sharing<T extends Partial<Evidence>>(away: Unseen | undefined, seen: T): T {
  if (away === undefined) return seen;
  const whole = Object.entries(seen).map(([id, each]) => [
    id,
    !each.ok && each.unseen.why === away.why ? { ok: false, unseen: away } : each,
  ]);
  return Object.fromEntries(whole) as T;
}
