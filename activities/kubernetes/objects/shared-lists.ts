/** Readers ask for what they need without knowing of each other: what two of them ask for is read once. */
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterPorts, KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';

/** A list under way or read, and what was kept of it. */
interface Shared {
  keep: unknown;
  found: Promise<unknown>;
}

const refused = (): Promise<never> => Promise.reject(failureOf('InvalidRequest', 'one look at a cluster: nothing is changed meanwhile'));

/** The same ports for one look at a cluster: inspection, readiness and checks ask for each list once. */
export const oneLook = (ports: ClusterPorts): ClusterPorts => ({ ...ports, kubernetes: sharingLists(ports.kubernetes) });

/** The same port for one look, which only reads. A list with the same query and the same `keep` is sent once, and its failure is everybody's. */
export function sharingLists(port: KubernetesPort): KubernetesPort {
  const lists = new Map<string, Shared[]>();
  return {
    version: () => port.version(),
    readyz: () => port.readyz(),
    metrics: () => port.metrics(),
    getInPod: (pod, path) => port.getInPod(pod, path),
    scrape: (from, lines) => port.scrape(from, lines),
    get: (ref) => port.get(ref),
    list<T extends KubeObject>(query: ListQuery, keep?: (object: T) => T | undefined) {
      const { apiVersion, plural, namespace, labelSelector, fieldSelector, metadataOnly } = query;
      const key = JSON.stringify([apiVersion, plural, namespace, labelSelector, fieldSelector, metadataOnly]);
      const known = lists.get(key)?.find((each) => each.keep === keep);
      // The same `keep` keeps the same type.
      if (known !== undefined) return known.found as Promise<T[] | undefined>;
      const found = port.list<T>(query, keep);
      lists.set(key, [...(lists.get(key) ?? []), { keep, found }]);
      return found;
    },
    patch: refused,
    create: refused,
    delete: refused,
    serverDate: () => port.serverDate(),
  };
}
