/** One look at a cluster: bounded lists of which only what is not well is kept, so that 50,000 pods are never held. */
import type { ClusterLook } from '../../../domain/health/cluster-trouble.ts';
import { type LookFacts, sightingsIn } from '../../../domain/health/sightings.ts';
import { NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { type ClusterNode, isTrue, type NodeClaim, nameOf, type Workload } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';
import { availableOf, eventOf, type ListedEvent, type ListedPod, sinceOf, timeOf, unwellPod } from './facts.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

const WORKLOADS = { deployments: 'Deployment', statefulsets: 'StatefulSet', daemonsets: 'DaemonSet' } as const;
/** The newest first: a server that knows several serves the same claims under each. */
const CLAIM_VERSIONS = ['karpenter.sh/v1', 'karpenter.sh/v1beta1'];
const NODE_GROUP = 'eks.amazonaws.com/nodegroup';

/** Throws where the API server does not answer; what it refuses is part of the look. */
export async function lookAt(kubernetes: KubernetesPort): Promise<ClusterLook> {
  const unseen: string[] = [];
  const facts: LookFacts = { pods: [], events: [], nodes: [], claims: [], workloads: [], groups: new Map(), nowMs: 0 };
  const groups = new Map<string, string>();
  /** Calls `add` with each object and keeps none. False: the server does not know the type. */
  const each = async <T extends KubeObject>(query: ListQuery, add: (object: T) => void): Promise<boolean> => {
    try {
      const found = await kubernetes.list<T>(query, (object) => {
        add(object);
        return undefined;
      });
      return found !== undefined;
    } catch (error) {
      const failure = translateError(error, `listing ${query.plural}`);
      if (failureType(failure) !== 'AccessDenied') throw failure;
      unseen.push(`${query.plural} cannot be watched: Belay may not list them`);
      return true;
    }
  };
  const events = (fieldSelector: string): Promise<boolean> =>
    each<ListedEvent>({ apiVersion: 'v1', plural: 'events', fieldSelector }, (event) => void facts.events.push(eventOf(event)));
  await Promise.all([
    each<ListedPod>({ apiVersion: 'v1', plural: 'pods' }, (pod) => void facts.pods.push(...unwellPod(pod))),
    // Karpenter's word for a node that it may not take away is a Normal event.
    events('type=Warning').then(() => events('reason=DisruptionBlocked')),
    each<ClusterNode>(NODES, (node) => addNode(slimNode(node), facts, groups)),
    listClaims((claim) => addClaim(claim, facts, groups), each),
    ...Object.entries(WORKLOADS).map(([plural, kind]) =>
      each<Workload>({ apiVersion: 'apps/v1', plural }, (workload) => {
        const { wanted, available } = availableOf(workload);
        if (available < wanted) facts.workloads.push({ owner: `${kind} ${nameOf(workload)}`, wanted, available });
      }),
    ),
  ]);
  const nowMs = nowOf(kubernetes);
  return { sightings: sightingsIn({ ...facts, groups, nowMs }), unseen: [...new Set(unseen)], nowMs };
}

async function listClaims(
  add: (claim: NodeClaim) => void,
  each: (query: ListQuery, add: (claim: NodeClaim) => void) => Promise<boolean>,
): Promise<void> {
  for (const apiVersion of CLAIM_VERSIONS) if (await each({ apiVersion, plural: 'nodeclaims' }, add)) return;
}

function addNode(node: ClusterNode, facts: LookFacts, groups: Map<string, string>): void {
  const { name, labels = {}, deletionTimestamp } = node.metadata;
  const group = labels[NODE_GROUP] !== undefined ? `Node group ${labels[NODE_GROUP]}` : poolOf(labels, `Node ${name}`);
  groups.set(name, group);
  // One that is going need not be Ready.
  if (deletionTimestamp !== undefined || isTrue(node, 'Ready')) return;
  facts.nodes.push({ name, group, sinceMs: sinceOf(node, 'Ready') });
}

function addClaim(claim: NodeClaim, facts: LookFacts, groups: Map<string, string>): void {
  const { name, labels = {}, deletionTimestamp, creationTimestamp } = claim.metadata;
  const group = poolOf(labels, `NodeClaim ${name}`);
  groups.set(name, group);
  if (deletionTimestamp !== undefined || (isTrue(claim, 'Registered') && isTrue(claim, 'Initialized'))) return;
  facts.claims.push({ name, group, sinceMs: timeOf(creationTimestamp) ?? 0 });
}

const poolOf = (labels: Record<string, string>, other: string): string => (labels[POOL] === undefined ? other : `NodePool ${labels[POOL]}`);
