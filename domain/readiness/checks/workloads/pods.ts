/** Pods that a drain meets, and how things stand before anything is changed. */
import { agree, count } from '../../../core/text.ts';
import { type Check, check, type Resource } from '../../model/check.ts';
import { resourceOf } from '../../model/names.ts';
import type { PodSeen } from '../../model/evidence-workloads.ts';

const CRASHES = new Set(['CrashLoopBackOff', 'ImagePullBackOff', 'ErrImagePull', 'CreateContainerConfigError', 'CreateContainerError']);
/** A pod may be pending for as long as a node takes to come. */
const PENDING_MS = 5 * 60_000;

/** Of the Cluster Autoscaler alone: neither EKS's update of a node group nor Karpenter knows it (cluster-autoscaler FAQ, "safe-to-evict"). */
export const NOT_SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict=false';

const isOver = ({ phase }: PodSeen): boolean => phase === 'Succeeded' || phase === 'Failed';

export const podChecks: readonly Check[] = [
  check({
    code: 'K8S025',
    area: 'Kubernetes',
    title: 'Every pod has a controller that recreates it',
    severity: 'recommended',
    reads: ['pods'],
    remediation: 'Use a Deployment, or accept losing it with its node.',
    source: 'https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/',
    look({ pods }) {
      const naked = pods.filter((pod) => pod.controller === undefined && !isOver(pod));
      if (naked.length === 0) return { pass: 'Every pod has a controller.' };
      return {
        fail: `${count(naked.length, 'pod')} without a controller: nothing brings ${agree(naked.length, 'it', 'them')} back.`,
        resources: naked.map((pod) => resourceOf('Pod', pod)),
      };
    },
  }),
  check({
    code: 'K8S026',
    area: 'Kubernetes',
    title: 'No pod is marked do-not-disrupt',
    severity: 'recommended',
    reads: ['pods'],
    remediation: 'Remove the annotation after the work; otherwise Belay asks at its node.',
    source: 'https://karpenter.sh/docs/concepts/disruption/#pod-level-controls',
    look({ pods }) {
      const marked = pods.filter((pod) => pod.doNotDisrupt !== undefined && !isOver(pod));
      const { held = [], evicted = [] } = Object.groupBy(marked, (pod) => (pod.doNotDisrupt === NOT_SAFE_TO_EVICT ? 'evicted' : 'held'));
      const resources = (own: readonly PodSeen[]): Resource[] =>
        own.map((pod): Resource => ({ ...resourceOf('Pod', pod), note: `${pod.doNotDisrupt}` }));
      const looks = [
        {
          fail: `${count(held.length, 'pod')} that may not be disrupted: Karpenter leaves ${agree(held.length, 'its node as it is', 'their nodes as they are')}.`,
          resources: resources(held),
        },
        {
          fail: `${count(evicted.length, 'pod')} that only the Cluster Autoscaler spares: ${agree(evicted.length, 'it is evicted when its node is', 'they are evicted when their nodes are')} replaced.`,
          remediation: 'Give what must not be interrupted a PodDisruptionBudget, or start when it is done.',
          resources: resources(evicted),
        },
      ].filter((look) => look.resources.length > 0);
      return looks.length > 0 ? looks : { pass: 'No pod forbids its disruption.' };
    },
  }),
  check({
    code: 'K8S036',
    area: 'Kubernetes',
    title: 'Pods run before anything changes',
    severity: 'recommended',
    reads: ['pods'],
    remediation: 'Repair or remove them first: afterwards nobody can tell what the upgrade broke.',
    source: 'https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/',
    look({ pods }, { now }) {
      const sick = pods.flatMap((pod): Resource[] => {
        const why = ailmentOf(pod, Date.parse(now));
        return why === undefined ? [] : [{ ...resourceOf('Pod', pod), note: why }];
      });
      if (sick.length === 0) return { pass: 'No pod is pending or crash-looping.' };
      return { fail: `${count(sick.length, 'pod')} pending or crashing already.`, resources: sick };
    },
  }),
];

function ailmentOf({ phase, waiting, createdAt }: PodSeen, nowMs: number): string | undefined {
  if (waiting !== undefined && CRASHES.has(waiting)) return waiting;
  return phase === 'Pending' && nowMs - Date.parse(createdAt) > PENDING_MS ? 'Pending' : undefined;
}
