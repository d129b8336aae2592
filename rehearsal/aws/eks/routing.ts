/**
 * Which clusters a request is about. As AWS does it: by the account of whoever signs, the region it is signed for, and what it names. So any client finds
 * its cluster by credentials and region alone.
 */
import type { Part } from '../merged.ts';
import { ownedBy } from '../owned.ts';
import type { World } from '../../world/world.ts';
import { accountOfKey } from './identities.ts';
import { assumedBy } from './sts.ts';

export interface Caller {
  accessKeyId: string;
  /** Of the signature's scope. */
  region: string;
  /** Of the signature's scope: eks, ec2, … */
  service: string;
}

/** Signed for us-east-1, wherever the caller is: https://docs.aws.amazon.com/general/latest/gr/iam-service.html */
const GLOBAL = new Set(['iam']);

/** Of a session, the account of its role; of any key that does not say, the first cluster's: there Belay is at home. */
export function accountOf(home: World, accessKeyId: string): string {
  const role = assumedBy(home, accessKeyId)?.role;
  return role?.split(':')[4] ?? accountOfKey(accessKeyId) ?? home.eks.cluster.account;
}

/** Clusters of the caller's account in the region. One alone is the whole of AWS that there is, whatever account and region are asked. */
export function clustersSeen(worlds: readonly [World, ...World[]], { accessKeyId, region, service }: Caller): World[] {
  if (worlds.length === 1) return [...worlds];
  const account = accountOf(worlds[0], accessKeyId);
  return worlds.filter(({ eks: { cluster } }) => cluster.account === account && (GLOBAL.has(service) || cluster.region === region));
}

/** The name of the cluster that a request of EKS is about, by its path or by the ARN in it; undefined: it is about none. */
export function clusterNamed(pathname: string): string | undefined {
  const [, kind, second] = pathname.split('/');
  if (second === undefined) return undefined;
  if (kind === 'clusters') return decodeURIComponent(second);
  // arn:aws:eks:eu-central-1:111122223333:nodegroup/CLUSTER/GROUP/ID
  return kind === 'tags' ? decodeURIComponent(pathname).split(':')[5]?.split('/')[1] : undefined;
}

/** Of the clusters that are seen, those that the values name something of; all of them where the values name nothing. */
export function partsOf(worlds: readonly World[], values: readonly string[]): Part[] {
  if (worlds.length === 1) return worlds.map((world) => ({ world, mine: () => true }));
  const all = worlds.map((world) => ({ world, owned: ownedBy(world) }));
  const named = all.filter(({ owned }) => values.some((value) => owned.has(value)));
  const foreign = (value: string, own: Set<string>): boolean => !own.has(value) && all.some(({ owned }) => owned.has(value));
  return (named.length > 0 ? named : all).map(({ world, owned }) => ({ world, mine: (value) => !foreign(value, owned) }));
}
