/** An API server as a snapshot knows it: lists and objects that it holds, and why it does not hold others. */
import { DEPRECATED_CALLS } from '../../../../domain/tables/deprecated-calls.ts';
import { type Snapshot, type SnapshotKubeObject, type SnapshotList, listKey } from '../../../../domain/facts/snapshot/format.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../../contract/ports.ts';
import { noChanges, notHeld, unread } from './failures.ts';
import { byFields, byLabels } from './selectors.ts';

/** Of an object that no server versions: nobody patches it. */
const NO_VERSION = '0';

export function replayedKubernetes(snapshot: Snapshot): KubernetesPort {
  const { header } = snapshot;
  const lists = new Map(snapshot.lists.map((list) => [listKey(list.apiVersion, list.plural), list]));
  const known = new Map<string, KubeObject[]>();
  /** undefined: this API server serves no such type. */
  const all = ({ apiVersion, plural }: Pick<ListQuery, 'apiVersion' | 'plural'>): KubeObject[] | undefined => {
    const key = listKey(apiVersion, plural);
    const list = lists.get(key);
    if (outcomeOf(list, key) === 'absent') return undefined;
    const objects = known.get(key) ?? (snapshot.objects.get(key) ?? []).map(asRead);
    known.set(key, objects);
    return objects;
  };
  const refuse = (): Promise<never> => Promise.reject(noChanges(`changing ${header.cluster.name}`));
  return {
    version: async () => ({ ...header.kubernetes, serverDate: header.takenAt }),
    readyz: () => Promise.reject(notHeld('/readyz')),
    metrics: async () => metricsOf(snapshot),
    scrape: () => Promise.reject(notHeld('metrics')),
    getInPod: ({ namespace, name }) => Promise.reject(notHeld(`what pod ${namespace}/${name} answers`)),
    async get<T extends KubeObject>({ namespace, name, ...ref }: Parameters<KubernetesPort['get']>[0]) {
      const isIt = ({ metadata }: KubeObject): boolean => metadata.name === name && metadata.namespace === namespace;
      // Callers say what they read, like of an API server.
      return all(ref)?.find(isIt) as T | undefined;
    },
    async list<T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object) {
      const found = all(query)?.filter(selectionOf(query));
      return found?.flatMap((object) => keep((query.metadataOnly === true ? metadataOf(object) : object) as T) ?? []);
    },
    patch: refuse,
    create: refuse,
    delete: refuse,
    serverDate: () => header.takenAt,
  };
}

/** Of /metrics, what is held. */
function metricsOf({ metrics }: Snapshot): string {
  const calls = metrics.find(({ query }) => query === DEPRECATED_CALLS);
  if (calls === undefined) throw notHeld('/metrics');
  const series = calls.samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([name, text]) => `${name}="${text}"`);
    return `${DEPRECATED_CALLS}{${pairs.join(',')}} ${value}\n`;
  });
  return series.join('');
}

/** Throws for what was not read, or not asked for. */
function outcomeOf(list: SnapshotList | undefined, key: string): 'read' | 'absent' {
  if (list === undefined) throw notHeld(key);
  if (list.outcome === 'unread') throw unread(list);
  return list.outcome;
}

function selectionOf({ namespace, labelSelector, fieldSelector }: ListQuery): (object: KubeObject) => boolean {
  const labels = labelSelector === undefined ? () => true : byLabels(labelSelector);
  const fields = fieldSelector === undefined ? () => true : byFields(fieldSelector);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) && labels(object.metadata.labels) && fields(object);
}

const asRead = (object: SnapshotKubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, resourceVersion: NO_VERSION } });

const metadataOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  ...(apiVersion === undefined ? {} : { apiVersion }),
  ...(kind === undefined ? {} : { kind }),
  metadata,
});
