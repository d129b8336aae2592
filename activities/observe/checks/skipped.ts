/** What people have skipped in this run is behind at its end: findings about that alone are accepted, and what else is behind still fails. */
import type { Finding, Skipped } from '../../../domain/core/findings.ts';
import { agree, someOf } from '../../../domain/core/text.ts';
import type { ClusterFacts, KubeletFact, NodeGroupFact } from '../../../domain/facts/facts.ts';
import { isMovableGroup } from '../../../domain/plan/state/nodes.ts';
import type { ClusterNode } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import { listServed, NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { OLD_POOL, ownerOfNode, POOL } from '../../kubernetes/objects/node-owner.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';
import { finding } from './catalogue.ts';
import { isForeign, sayKubelets } from './nodes.ts';

export interface LeftBehind {
  skipped: readonly Skipped[];
  /** Nodes at another minor that a skip is about. */
  nodes: readonly { of: Skipped; name: string; owner: KubeletFact['owner']; minor: string }[];
}

export const NOTHING_LEFT: LeftBehind = { skipped: [], nodes: [] };

/** Nodes are known by name, NodePool or node group: the same number of others would be another matter. */
export async function leftBehind(
  kubernetes: KubernetesPort,
  { to, skipped }: { to: string; skipped: readonly Skipped[] },
): Promise<LeftBehind> {
  if (skipped.length === 0) return NOTHING_LEFT;
  const nodes = (await readNodes(kubernetes)).flatMap((node) => {
    const minor = kubeletMinor(node);
    const of = skipped.find((each) => isAbout(each, node));
    return minor === undefined || minor === to || of === undefined
      ? []
      : [{ of, name: node.metadata.name, owner: ownerOfNode(node), minor }];
  });
  return { skipped, nodes };
}

/** Where they may not be listed nothing is accepted; another check says so. */
async function readNodes(kubernetes: KubernetesPort): Promise<ClusterNode[]> {
  try {
    return await listServed<ClusterNode>(kubernetes, NODES, slimNode);
  } catch (error) {
    const failure = translateError(error, 'listing nodes');
    if (failureType(failure) === 'AccessDenied') return [];
    throw failure;
  }
}

function isAbout({ nodes = [], nodePools = [], nodeGroups = [], owners = [] }: Skipped, node: ClusterNode): boolean {
  const { metadata } = node;
  const { [POOL]: pool, [OLD_POOL]: provisioner, 'eks.amazonaws.com/nodegroup': group = '' } = metadata.labels ?? {};
  return (
    nodes.includes(metadata.name) ||
    nodePools.includes(pool ?? provisioner ?? '') ||
    nodeGroups.includes(group) ||
    owners.includes(ownerOfNode(node))
  );
}

/** Of the facts, which count nodes, those that a skip explains. */
export function withoutNodes(kubelets: readonly KubeletFact[], { nodes }: LeftBehind): KubeletFact[] {
  return kubelets
    .map((fact) => ({
      ...fact,
      count: fact.count - nodes.filter(({ owner, minor }) => owner === fact.owner && minor === fact.minor).length,
    }))
    .filter(({ count }) => count > 0);
}

export function acceptedNodes({ nodes }: LeftBehind, to: string): Finding[] {
  const own = Map.groupBy(
    nodes.filter((node) => !isForeign(node)),
    ({ of }) => of,
  );
  const foreign = Map.groupBy(nodes.filter(isForeign), ({ of }) => of);
  return [...[...own].map(saying('K8S104', to)), ...[...foreign].map(saying('K8S106', to))];
}

const saying =
  (code: 'K8S104' | 'K8S106', to: string) =>
  ([of, left]: [Skipped, LeftBehind['nodes'][number][]]): Finding => {
    const kinds = Map.groupBy(left, ({ owner, minor }) => `${owner} ${minor}`);
    const said = [...kinds.values()].flatMap((same) => {
      const [first] = same;
      return first === undefined ? [] : [sayKubelets({ count: same.length, owner: first.owner, minor: first.minor })];
    });
    const message = `These nodes are not at ${to}: ${someOf(said)}.`;
    return accepted(of, finding(code, { status: 'fail', message, resources: left.map(({ name }) => name) }));
  };

const isLeft = ({ name }: NodeGroupFact, skipped: readonly Skipped[]): boolean =>
  skipped.some(({ nodeGroups = [] }) => nodeGroups.includes(name));

export function withoutGroups<Facts extends Pick<ClusterFacts, 'nodeGroups'>>(facts: Facts, { skipped }: LeftBehind): Facts {
  return { ...facts, nodeGroups: facts.nodeGroups.filter((group) => !isLeft(group, skipped)) };
}

/** Left while EKS updates it: that goes on by itself. One that EKS finds ill is not what people left. */
const isUpdating = ({ status, healthIssues }: Pick<NodeGroupFact, 'status' | 'healthIssues'>): boolean =>
  status === 'UPDATING' && healthIssues.length === 0;

/** Without those that people left and EKS still updates. */
export function withoutUpdating(facts: ClusterFacts, { skipped }: LeftBehind): ClusterFacts {
  const isAddOnLeft = (name: string): boolean => skipped.some(({ addOns = [] }) => addOns.includes(name));
  return {
    ...facts,
    nodeGroups: facts.nodeGroups.filter((group) => !(isUpdating(group) && isLeft(group, skipped))),
    addOns: facts.addOns.filter((addOn) => !(isUpdating(addOn) && isAddOnLeft(addOn.name))),
  };
}

export function acceptedUpdates({ nodeGroups, addOns }: ClusterFacts, { skipped }: LeftBehind): Finding[] {
  return skipped.flatMap((of) => [
    ...stillUpdating(of, 'EKS009', 'node group', namesLeft(nodeGroups, of.nodeGroups)),
    ...stillUpdating(of, 'EKS012', 'add-on', namesLeft(addOns, of.addOns)),
  ]);
}

const namesLeft = (all: readonly Pick<NodeGroupFact, 'name' | 'status' | 'healthIssues'>[], left: readonly string[] = []): string[] =>
  all.filter((each) => left.includes(each.name) && isUpdating(each)).map(({ name }) => name);

function stillUpdating(of: Skipped, code: 'EKS009' | 'EKS012', kind: string, names: string[]): Finding[] {
  if (names.length === 0) return [];
  const message = `EKS still updates ${agree(names.length, kind, `${kind}s`)} ${someOf(names)}.`;
  return [accepted(of, finding(code, { status: 'fail', message, resources: names }))];
}

export function acceptedGroups({ nodeGroups }: ClusterFacts, to: string, { skipped }: LeftBehind): Finding[] {
  return skipped.flatMap((of) => {
    const left = nodeGroups.filter(
      (group) => of.nodeGroups?.includes(group.name) === true && isMovableGroup(group) && group.version !== to,
    );
    if (left.length === 0) return [];
    const message = `Not at ${to}: ${someOf(left.map(({ name, version }) => `${name} (${version})`))}.`;
    return [accepted(of, finding('EKS102', { status: 'fail', message, resources: left.map(({ name }) => name) }))];
  });
}

/** Of an add-on, Karpenter or a revision of Istio. Unknown stays unknown: nobody has seen whether its version is valid. */
export function acceptedVersion(found: Finding, { skipped }: LeftBehind): Finding {
  const of = skipped.find(({ addOns = [], components = [] }) =>
    found.resources.some((name) => addOns.includes(name) || components.some((end) => name.endsWith(end))),
  );
  return of === undefined || found.status !== 'fail' ? found : accepted(of, found);
}

export const accepted = ({ what, by, reason }: Skipped, found: Finding): Finding => ({ ...found, accepted: { what, by, reason } });
