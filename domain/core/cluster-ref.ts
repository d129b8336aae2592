/** Which cluster: the key by which everything of one cluster is found. */

/** Identity of a cluster. Together with the account and region it is also the lock's key. */
export interface ClusterRef {
  /** By which belay.yaml, people, ids and records know it. */
  name: string;
  /** As EKS calls it, where that is another name: two accounts may each have a "main". Commands of AWS and names of its resources have this one. */
  eksName?: string;
  account: string;
  region: string;
  /** Which cluster of this name it is (activities/clients/aws/identity). A run has it from its plan on: one that was made anew under the name is refused. */
  identity?: string;
  /** Only workers of this network reach it: what touches it goes to their task queue. Absent: every worker does. A run keeps what it began with. */
  network?: string;
}

/** The name by which AWS knows the cluster. */
export const eksNameOf = ({ name, eksName = name }: Pick<ClusterRef, 'name' | 'eksName'>): string => eksName;

const PLACE = ['account', 'region', 'name'] as const;

/** Which fields of belay.yaml tell the one from the other; none: it is the same cluster, whatever either side calls it. */
export function differencesOf(one: ClusterRef, other: ClusterRef): (typeof PLACE)[number][] {
  const placeOf = (cluster: ClusterRef) => ({ account: cluster.account, region: cluster.region, name: eksNameOf(cluster) });
  const [its, others] = [placeOf(one), placeOf(other)];
  return PLACE.filter((field) => its[field] !== others[field]);
}

/** A region as it is written: eu-west-1, us-gov-west-1. */
export const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d$/;

/** A role that is assumed for a cluster. */
export const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/\S+$/;
