/** Which of Karpenter's pods leads: only that one provisions and disrupts, whatever the Deployment says of its replicas. */
import type { KarpenterPlace } from '../../contract/delivery.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { isTrue, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { controllerVersion } from '../../kubernetes/objects/kubelet-versions.ts';

type Lease = KubeObject<{ holderIdentity?: string; renewTime?: string }>;

/** karpenter, pkg/operator/options: --leader-election-name, --disable-leader-election. */
const DEFAULT_NAME = 'karpenter-leader-election';

export interface LeaderWatch {
  /** undefined: a Ready pod of the version has renewed the Lease since the first look. Else why not yet. */
  look(): Promise<string | undefined>;
}

/** `version`: what the leader's image has to be. */
export function watchLeader(port: KubernetesPort, { namespace, deployment, version }: KarpenterPlace & { version: string }): LeaderWatch {
  let first: { holder: string; renewed: string } | undefined;
  return {
    async look() {
      const found = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name: deployment });
      const env = new Map(
        found?.spec?.template?.spec?.containers?.flatMap(({ env: list = [] }) => list.map((one) => [one.name, one.value ?? ''])),
      );
      if (env.get('DISABLE_LEADER_ELECTION') === 'true') return undefined;
      const name = env.get('LEADER_ELECTION_NAME') ?? DEFAULT_NAME;
      const lease = await port.get<Lease>({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace, name });
      const { holderIdentity: holder = '', renewTime: renewed = '' } = lease?.spec ?? {};
      if (holder === '') return `no pod of Karpenter holds Lease ${namespace}/${name}`;
      // controller-runtime's identity is the host's name, which is the pod's, and a uuid.
      const pod = await port.get<Pod>({ apiVersion: 'v1', plural: 'pods', namespace, name: holder.split('_')[0] ?? holder });
      if (pod === undefined) return `Lease ${namespace}/${name} is held by ${holder}, which is no pod any more`;
      const runs = controllerVersion({ ...pod, spec: { template: { spec: pod.spec ?? {} } } });
      if (runs !== version)
        return `Lease ${namespace}/${name} is held by ${pod.metadata.name}, which runs ${runs ?? 'an image without a version'}`;
      if (!isTrue(pod, 'Ready')) return `Karpenter's leader ${pod.metadata.name} is not Ready`;
      if (first?.holder !== holder) first = { holder, renewed };
      return first.renewed === renewed ? `${pod.metadata.name} has not renewed Lease ${namespace}/${name} yet` : undefined;
    },
  };
}
