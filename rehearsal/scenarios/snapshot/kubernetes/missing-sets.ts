/** ReplicaSets of a cluster whose ReplicaSets could not be read: without them its Deployments would make all their pods a second time. */
import { objectsOf, type Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import { controllerOf } from '../../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';

const HASH = 'pod-template-hash';

/** None where ReplicaSets were read: a pod whose ReplicaSet is missing then has none. */
export function missingSets(snapshot: Snapshot): KubeObject[] {
  if (objectsOf(snapshot, 'apps/v1', 'replicasets') !== undefined) return [];
  const deployments = new Map(
    (objectsOf(snapshot, 'apps/v1', 'deployments') ?? []).map((one) => [
      `${one.metadata.namespace}/${one.metadata.name}`,
      one as KubeObject,
    ]),
  );
  const sets = new Map<string, KubeObject>();
  for (const pod of objectsOf(snapshot, 'v1', 'pods') ?? []) {
    const owner = controllerOf(pod);
    const hash = pod.metadata.labels?.[HASH];
    if (owner?.kind !== 'ReplicaSet' || hash === undefined) continue;
    const deployment = deployments.get(`${pod.metadata.namespace}/${owner.name.replace(`-${hash}`, '')}`);
    const known = sets.get(owner.uid);
    if (known !== undefined) known.spec.replicas += 1;
    else if (deployment !== undefined) sets.set(owner.uid, setOf(deployment, owner, hash));
  }
  return [...sets.values()];
}

function setOf(deployment: KubeObject, { name, uid }: { name: string; uid: string }, hash: string): KubeObject {
  const { template, selector } = deployment.spec;
  const { namespace, creationTimestamp } = deployment.metadata;
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment.metadata.name, uid: deployment.metadata.uid ?? '' };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace, uid, creationTimestamp, generation: 1, labels, ownerReferences: [{ ...owner, controller: true }] },
    spec: {
      replicas: 1,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
