/** Watches nodes of one's own until they are at the target. */
import { compareKubernetesVersions, parseKubernetesVersion, tryKubernetesVersion } from '../../../domain/core/version.ts';
import type { OtherNodeActivities } from '../../contract/other-nodes.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { listServed, NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { type ClusterNode, isTrue } from '../../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import { ownerOfNode } from '../../kubernetes/objects/node-owner.ts';
import { count } from '../../../domain/core/text.ts';

/** Results are small: so many are named. */
const NAMED = 20;

export function createSelfManagedActivities(deps: KubernetesDeps): Pick<OtherNodeActivities, 'awaitSelfManaged'> {
  return {
    async awaitSelfManaged({ cluster, timing, to, back = false }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let left: string[] = [];
      const result = await waitUntil<true>(
        { timing, timeoutMs: timing.askTimeoutMs, doing: `waiting for self-managed nodes at ${to}` },
        async () => {
          const isOpen = (node: ClusterNode): boolean =>
            ownerOfNode(node) === 'self-managed' && (!isThere(kubeletMinor(node), to, back) || !isTrue(node, 'Ready'));
          const open = await listServed<ClusterNode>(port, NODES, (node) => (isOpen(node) ? slimNode(node) : undefined));
          left = open.map(({ metadata }) => metadata.name);
          return left.length === 0 ? { done: true, value: true } : { done: false, note: `${count(left.length, 'node')} left` };
        },
      );
      return { timedOut: result.kind === 'timed-out', left: left.slice(0, NAMED) };
    },
  };
}

/** What does not tell its version is not there. */
function isThere(minor: string | undefined, to: string, back: boolean): boolean {
  const version = tryKubernetesVersion(minor ?? '');
  return back && version !== undefined ? compareKubernetesVersions(version, parseKubernetesVersion(to)) <= 0 : minor === to;
}
