/** A node takes no new pods once one of its own is deleted so that it can be replaced, and takes them again where it stays. */
import type { WorkloadActivities } from '../../contract/belay-activities.ts';
import type { KubeObject, KubernetesDeps } from '../../contract/ports.ts';
import { NODES } from './lists.ts';
import { annotate, type JsonOperation, lookThenPatch } from './patch-object.ts';

type Node = KubeObject<{ unschedulable?: boolean | undefined }>;

/** On the Node: Belay has cordoned it. One that people had cordoned before carries no such mark, and stays cordoned. */
export const CORDONED = 'belay.dev/cordoned';

export function createCordonActivities(deps: KubernetesDeps): Pick<WorkloadActivities, 'cordonNode' | 'uncordonNode'> {
  return {
    async cordonNode({ cluster, node }) {
      await lookThenPatch<Node>((await deps.clusterPorts(cluster)).kubernetes, { ...NODES, name: node }, cordon);
    },
    async uncordonNode({ cluster, node }) {
      await lookThenPatch<Node>((await deps.clusterPorts(cluster)).kubernetes, { ...NODES, name: node }, uncordon);
    },
  };
}

/** None where it is cordoned already. */
export function cordonOperations({ spec }: Node): JsonOperation[] {
  return spec?.unschedulable === true ? [] : [{ op: 'add', path: '/spec/unschedulable', value: true }];
}

function cordon(node: Node): JsonOperation[] {
  const operations = cordonOperations(node);
  return operations.length === 0 ? [] : [...annotate(node, { [CORDONED]: 'true' }), ...operations];
}

function uncordon(node: Node): JsonOperation[] {
  if (node.metadata.annotations?.[CORDONED] === undefined) return [];
  const unmarked = annotate(node, { [CORDONED]: null });
  return node.spec?.unschedulable === true ? [...unmarked, { op: 'remove', path: '/spec/unschedulable' }] : unmarked;
}
