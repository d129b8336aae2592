/** What of a recorded object a real API server refuses, as a snapshot has only a part of it: taken out, or filled with something inert. */
import { cloneJson } from '../kubernetes/json.ts';
import type { KubeObject, ObjectStore } from '../kubernetes/store.ts';

/** Volumes that a template can have without naming anything that is not in a snapshot. */
const VOLUMES = ['persistentVolumeClaim', 'emptyDir', 'ephemeral'];
const PROBES = ['readinessProbe', 'livenessProbe', 'startupProbe'];
const NO_IMAGE = 'snapshot.invalid/not-recorded:0';

interface Container {
  image?: string;
  lifecycle?: { preStop?: { sleep?: object } };
  [field: string]: unknown;
}

/** A copy. `store`: of the recorded cluster. */
export function plantable(object: KubeObject, store: Pick<ObjectStore, 'get'>): KubeObject {
  const copy = cloneJson(object);
  const pod = copy.spec?.template?.spec;
  if (pod !== undefined && copy.kind !== 'NodePool') cutDown(pod, copy.metadata.namespace ?? 'default', store);
  // Addresses of a snapshot are stand-ins, and API servers of 1.36 reject some.
  for (const field of ['externalIPs', 'loadBalancerSourceRanges']) if (copy.kind === 'Service') delete copy.spec?.[field];
  // The claim is another one than it was.
  if (copy.kind === 'PersistentVolume') delete copy.spec?.claimRef?.uid;
  // Words of conditions are not in a snapshot, and a real API server wants some.
  for (const condition of copy.status?.conditions ?? []) {
    condition.message ??= '';
    condition.reason ??= 'Recorded';
  }
  return copy;
}

function cutDown(pod: KubeObject['spec'], namespace: string, store: Pick<ObjectStore, 'get'>): void {
  delete pod.hostAliases;
  delete pod.dnsConfig;
  const account: string | undefined = pod.serviceAccountName;
  if (account !== undefined && store.get('serviceaccounts', account, namespace) === undefined) {
    delete pod.serviceAccountName;
    delete pod.serviceAccount;
  }
  if (pod.volumes !== undefined) pod.volumes = pod.volumes.filter((volume: object) => VOLUMES.some((kind) => kind in volume));
  for (const container of [...(pod.containers ?? []), ...(pod.initContainers ?? [])]) cutDownContainer(container);
}

/** Handlers of probes are only known to be there; KWOK makes pods ready without them. */
function cutDownContainer(container: Container): void {
  container.image ??= NO_IMAGE;
  for (const probe of PROBES) delete container[probe];
  const sleep = container.lifecycle?.preStop?.sleep;
  if (sleep === undefined) delete container.lifecycle;
  else container.lifecycle = { preStop: { sleep } };
}
