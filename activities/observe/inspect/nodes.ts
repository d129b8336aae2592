/** Facts of nodes: how many kubelets of which minor, by who owns them. */
import type { KubeletFact } from '../../../domain/facts/facts.ts';
import { NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import type { ClusterNode } from '../../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Reader } from '../../runtime/reader.ts';
import { ownerOfNode } from '../../kubernetes/objects/node-owner.ts';

/** undefined: they cannot be read. Nodes that are being deleted are left out. */
export function readNodes(kubernetes: KubernetesPort, reader: Reader): Promise<ClusterNode[] | undefined> {
  return reader.attempt<ClusterNode[] | undefined>(
    { part: 'nodes', what: 'the nodes' },
    'list on nodes',
    async () => {
      const nodes = (await kubernetes.list<ClusterNode>(NODES, slimNode)) ?? [];
      return nodes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    undefined,
  );
}

export function kubeletFacts(nodes: readonly ClusterNode[], reader: Reader): KubeletFact[] {
  const facts: KubeletFact[] = [];
  for (const node of nodes) {
    const minor = kubeletMinor(node);
    if (minor === undefined) {
      reader.doubt(
        { part: 'kubelet-versions', what: `the kubelet version of node ${node.metadata.name}` },
        `it reports "${node.status?.nodeInfo?.kubeletVersion ?? ''}"`,
      );
      continue;
    }
    const owner = ownerOfNode(node);
    const known = facts.find((fact) => fact.minor === minor && fact.owner === owner);
    if (known === undefined) facts.push({ minor, count: 1, owner });
    else known.count += 1;
  }
  return facts;
}
