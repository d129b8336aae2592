/**
 * Workloads of a mesh's namespaces that istiod leaves without a proxy although nothing in their template declines one: it has them in its
 * neverInjectSelector, or injects nothing that does not ask for it (policy disabled). Source: istio/istio, pkg/kube/inject, injectRequired.
 */
import type { IstioFact, UninjectedFact } from '../../../domain/facts/facts.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { isLive, type Pod } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { optsOut, proxyImage } from '../../istio/mesh/inventory.ts';
import { rollerOf } from '../../istio/waves/restart.ts';
import { slimPod } from '../../kubernetes/objects/lists.ts';
import type { Reader } from '../../runtime/reader.ts';

/** By what runs: none of their pods has a proxy. One that has no pods now is not among them. */
export async function readUninjected(
  kubernetes: KubernetesPort,
  { namespaces }: IstioFact,
  reader: Reader,
): Promise<Pick<IstioFact, 'uninjected'>> {
  const inMesh = new Set(namespaces.map(({ name }) => name));
  const keep = (pod: Pod): Pod | undefined =>
    inMesh.has(pod.metadata.namespace ?? '') && isLive(pod) && !optsOut(pod) ? slimPod(pod) : undefined;
  const pods = await reader.attempt(
    { part: 'uninjected', what: 'workloads without a proxy in the mesh’s namespaces' },
    'list on pods',
    async () => (await kubernetes.list<Pod>({ apiVersion: 'v1', plural: 'pods' }, keep)) ?? [],
    [],
  );
  const found = new Map<string, { workload: UninjectedFact; hasProxy: boolean }>();
  for (const pod of pods) {
    const roller = rollerOf(pod);
    if (roller === undefined) continue;
    const workload = { ...roller, namespace: pod.metadata.namespace ?? '' };
    const hasProxy = proxyImage(pod) !== undefined || found.get(objectTitle(workload))?.hasProxy === true;
    found.set(objectTitle(workload), { workload, hasProxy });
  }
  const uninjected = [...found.values()].flatMap(({ workload, hasProxy }) => (hasProxy ? [] : [workload]));
  return uninjected.length === 0 ? {} : { uninjected };
}
