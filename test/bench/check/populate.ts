/** Copies a twin's cluster into a real API server: objects with their status, whom no kubelet and no controller looks after. */
import { cloneJson } from '../../../rehearsal/kubernetes/json.ts';
import type { KubeObject, ObjectStore } from '../../../rehearsal/kubernetes/store.ts';
import { type Api, ApiError } from '../../../rehearsal/real/api.ts';
import { collectionPath, objectPath } from '../../../rehearsal/real/paths.ts';

/** In the order in which one needs the other. */
const PLURALS = ['namespaces', 'nodes', 'poddisruptionbudgets', 'daemonsets', 'deployments', 'replicasets', 'services', 'pods'];
/** Requests at once, as many as the client has connections. */
const AT_ONCE = 16;
const CONFLICT = 409;

/** At most `podCount` pods. Throws where the server refuses an object that it does not have already. */
export async function populate(api: Api, store: ObjectStore, podCount: number): Promise<{ objectCount: number; seconds: number }> {
  const startedAt = performance.now();
  let objectCount = 0;
  for (const plural of PLURALS) {
    const type = store.type(plural);
    if (type === undefined) throw new Error(`the twin has no type ${plural}`);
    const waiting = store.list(plural).slice(0, plural === 'pods' ? podCount : undefined);
    objectCount += waiting.length;
    const create = async (): Promise<void> => {
      for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
        const { status, ...rest } = bare(object);
        const { name, namespace } = object.metadata;
        await unlessThere(api.post(collectionPath(type, namespace), rest));
        if (status !== undefined && plural !== 'namespaces') await api.patch(`${objectPath(type, name, namespace)}/status`, { status });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, create));
  }
  return { objectCount, seconds: (performance.now() - startedAt) / 1000 };
}

/** Without what the server fills in: a priority is what its class says. */
function bare(object: KubeObject): KubeObject {
  const copy = cloneJson(object);
  const { name, namespace, labels, annotations, ownerReferences } = copy.metadata;
  copy.metadata = { name, namespace, labels, annotations, ownerReferences };
  delete copy.spec?.priority;
  delete copy.spec?.clusterIP;
  delete copy.spec?.clusterIPs;
  return copy;
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === CONFLICT)) throw error;
  }
}
