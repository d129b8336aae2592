/** Which of Karpenter's pods leads: only that one provisions and disrupts, whatever the Deployment says of its replicas. */
import type { KarpenterPlace } from '../../contract/delivery.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { toQuery } from '../../../domain/core/label-selectors.ts';
import { isLive, isTrue, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { controllerVersion } from '../../kubernetes/objects/kubelet-versions.ts';

type Lease = KubeObject<{ holderIdentity?: string; renewTime?: string }>;

/** karpenter, pkg/operator/options: --leader-election-name, --disable-leader-election. */
const DEFAULT_NAME = 'karpenter-leader-election';

export type Leading =
  /** A Ready pod of the version has renewed the Lease since the first look. */
  | { kind: 'leads' }
  | { kind: 'not-yet'; why: string }
  /** Somebody renews the Lease, and nothing in the cluster says which pod that is: waiting longer would not tell. */
  | { kind: 'unknown'; why: string };

export interface LeaderWatch {
  look(): Promise<Leading>;
}

/** `version`: what the leader's image has to be. */
export function watchLeader(port: KubernetesPort, { namespace, deployment, version }: KarpenterPlace & { version: string }): LeaderWatch {
  let first: { holder: string; renewed: string } | undefined;
  const renewedSince = ({ holder, renewed }: { holder: string; renewed: string }): boolean => {
    if (first?.holder !== holder) first = { holder, renewed };
    return first.renewed !== renewed;
  };
  const notYet = (why: string): Leading => ({ kind: 'not-yet', why });
  return {
    async look() {
      const found = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name: deployment });
      const env = new Map(
        found?.spec?.template?.spec?.containers?.flatMap(({ env: list = [] }) => list.map((one) => [one.name, one.value ?? ''])),
      );
      if (env.get('DISABLE_LEADER_ELECTION') === 'true') return { kind: 'leads' };
      const name = env.get('LEADER_ELECTION_NAME') ?? DEFAULT_NAME;
      const lease = await port.get<Lease>({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace, name });
      const { holderIdentity: holder = '', renewTime: renewed = '' } = lease?.spec ?? {};
      if (holder === '') return notYet(`no pod of Karpenter holds Lease ${namespace}/${name}`);
      const pod = await podOf(port, holder, found, namespace);
      if (pod === undefined) {
        const nobody = `${holder}, which is not a pod of Deployment ${namespace}/${deployment}`;
        return renewedSince({ holder, renewed })
          ? { kind: 'unknown', why: `Lease ${namespace}/${name} is renewed by ${nobody}` }
          : notYet(`Lease ${namespace}/${name} is held by ${nobody}`);
      }
      const runs = controllerVersion({ ...pod, spec: { template: { spec: pod.spec ?? {} } } });
      if (runs !== version)
        return notYet(`Lease ${namespace}/${name} is held by ${pod.metadata.name}, which runs ${runs ?? 'an image without a version'}`);
      if (!isTrue(pod, 'Ready')) return notYet(`Karpenter's leader ${pod.metadata.name} is not Ready`);
      return renewedSince({ holder, renewed })
        ? { kind: 'leads' }
        : notYet(`${pod.metadata.name} has not renewed Lease ${namespace}/${name} yet`);
    },
  };
}

/**
 * controller-runtime's identity is os.Hostname() and a uuid (pkg/leaderelection). The host's name is the pod's, but with hostNetwork it is that of
 * the node's operating system, whose domain may differ from the one in the Node's name.
 */
async function podOf(port: KubernetesPort, holder: string, deployment: Workload | undefined, namespace: string): Promise<Pod | undefined> {
  const host = holder.replace(/_[^_]*$/, '');
  const pods = { apiVersion: 'v1', plural: 'pods', namespace };
  const named = await port.get<Pod>({ ...pods, name: host });
  const labelSelector = toQuery(deployment?.spec?.selector ?? {});
  if (named !== undefined || labelSelector === undefined) return named;
  const own = (await port.list<Pod>({ ...pods, labelSelector })) ?? [];
  return own.find((pod) => isLive(pod) && pod.spec?.hostNetwork === true && sameHost(pod.spec.nodeName, host));
}

const sameHost = (one: string | undefined, other: string): boolean => one !== undefined && shortName(one) === shortName(other);
const shortName = (host: string): string | undefined => host.toLowerCase().split('.')[0];
