/** AWS Fargate: pods that a profile selects get a node each, with the kubelet of the control plane's version of that moment. */
import { latestAmi } from '../aws/eks/nodes/amis.ts';
import { isFinished, isTerminating, kubeTime, setCondition } from '../kubernetes/pods/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { Controller, World } from '../world/world.ts';
import { createNode } from './nodes.ts';

const SCHEDULER = 'fargate-scheduler';
const PROFILE = 'eks.amazonaws.com/fargate-profile';
const COMPUTE_TYPE = 'eks.amazonaws.com/compute-type';

/** As Fargate's webhook does: a pod that an ACTIVE profile selects is marked and leaves the usual scheduler (EKS user guide, "Fargate profile"). */
export function createFargateAdmission(world: () => World): (pod: KubeObject) => void {
  return (pod) => {
    const labels = pod.metadata.labels ?? {};
    const profile = world().eks.fargateProfiles.find(
      ({ status, selectors }) =>
        status === 'ACTIVE' &&
        selectors.some(
          (selector) =>
            selector.namespace === pod.metadata.namespace &&
            Object.entries(selector.labels ?? {}).every(([key, value]) => labels[key] === value),
        ),
    );
    const ofDaemonSet = pod.metadata.ownerReferences?.some(({ kind }: { kind: string }) => kind === 'DaemonSet');
    if (profile === undefined || ofDaemonSet === true) return;
    pod.metadata.labels = { ...labels, [PROFILE]: profile.name };
    pod.spec = { ...pod.spec, schedulerName: SCHEDULER };
  };
}

export function createFargate(): Controller {
  return {
    name: 'fargate',
    everyMs: 5_000,
    tick(world) {
      for (const pod of world.store.list('pods')) if (waits(world, pod)) place(world, pod);
      for (const node of world.store.list('nodes', { labels: { [COMPUTE_TYPE]: 'fargate' } })) {
        const inUse = world.store.podsOn(node.metadata.name).some((pod) => !isFinished(pod));
        if (!inUse && isOurs(node)) world.store.delete('nodes', node.metadata.name);
      }
    },
  };
}

/** Scenarios may have Fargate nodes of their own, without pods. */
const isOurs = (node: KubeObject): boolean => /\/fargate-/.test(String(node.spec?.providerID ?? ''));

function waits(world: World, pod: KubeObject): boolean {
  if (pod.spec?.schedulerName !== SCHEDULER || pod.spec.nodeName || isTerminating(pod)) return false;
  const ageMs = world.clock.nowMs() - Date.parse(pod.metadata.creationTimestamp ?? '');
  return ageMs >= (world.tempo.podStartMs === 0 ? 0 : world.tempo.nodeLaunchMs);
}

function place(world: World, pod: KubeObject): void {
  const ami = latestAmi('al2023', world.apiServerVersion(), world.clock.now(), 'x86_64', world.eks.images);
  if (ami === undefined) return;
  const taints = [{ key: COMPUTE_TYPE, value: 'fargate', effect: 'NoSchedule' }];
  const node = createNode(world, { ami, labels: { [COMPUTE_TYPE]: 'fargate' }, taints, ready: true, fargate: true });
  world.store.update('pods', pod.metadata.name, pod.metadata.namespace, (copy) => {
    copy.spec.nodeName = node.metadata.name;
    setCondition(copy, { type: 'PodScheduled', status: 'True' }, kubeTime(world.clock.nowMs()));
  });
}
