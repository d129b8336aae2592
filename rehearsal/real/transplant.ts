/** Plants a scenario's objects into a real API server: what people and EKS made. What controllers make, the real ones make again. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { messageOf } from '../../domain/core/unknown.ts';
import { cloneJson } from '../kubernetes/json.ts';
import type { KubeObject, ObjectStore } from '../kubernetes/store.ts';
import { type Api, ApiError } from './api.ts';
import { ISTIO_NAMESPACE } from './istio/istiods.ts';
import { objectPath } from './paths.ts';
import { plantable } from './plantable.ts';

/** In the order in which one needs the other. */
export const GROUND = ['namespaces', 'nodes'] as const;
export const WORKLOADS = [
  'priorityclasses',
  'storageclasses',
  'configmaps',
  'services',
  'persistentvolumes',
  'persistentvolumeclaims',
  'poddisruptionbudgets',
  'daemonsets',
  'deployments',
  'statefulsets',
] as const;

const CREATED_BY_KUBERNETES = ['kube-root-ca.crt', 'kubernetes', 'system-cluster-critical', 'system-node-critical'];
/** Hashes and revisions are for their controllers to say. */
const WRITTEN_BY_CONTROLLERS = /-hash(-version)?$|^deployment\.kubernetes\.io\//;
const KARPENTERS = 'karpenter.sh/nodepool';

/** `recorded`: the objects are of a snapshot, which has only a part of each. */
export async function plant(api: Api, store: ObjectStore, plurals: readonly string[], recorded = false): Promise<void> {
  for (const plural of plurals) {
    const type = store.type(plural);
    if (type === undefined) throw new Error(`the twin has no type ${plural}`);
    for (const object of store.list(plural).filter(isSeed)) {
      const { status, ...rest } = bare(recorded ? plantable(object, store) : object);
      const { name, namespace } = object.metadata;
      await apply(api, objectPath(type, name, namespace), plural === 'nodes' ? { ...rest, status: kubeletStatus(status) } : rest);
      if (plural === 'ec2nodeclasses') await api.patch(`${objectPath(type, name)}/status`, { status });
    }
  }
}

/** Karpenter's nodes are launched by the real one, Istio is installed by helm. */
function isSeed({ metadata }: KubeObject): boolean {
  if (metadata.namespace === ISTIO_NAMESPACE) return false;
  return (
    metadata.labels?.[KARPENTERS] === undefined && metadata.ownerReferences === undefined && !CREATED_BY_KUBERNETES.includes(metadata.name)
  );
}

/** Without what the server fills in. */
function bare(object: KubeObject): KubeObject {
  const copy = cloneJson(object);
  const { name, namespace, labels, annotations } = copy.metadata;
  const own = Object.entries(annotations ?? {}).filter(([key]) => !WRITTEN_BY_CONTROLLERS.test(key));
  copy.metadata = { name, namespace, labels, annotations: Object.fromEntries(own) };
  delete copy.spec?.clusterIP;
  return copy;
}

/** Conditions and addresses are written by KWOK. */
function kubeletStatus(status: KubeObject[string]): KubeObject[string] {
  return { capacity: status?.capacity, allocatable: status?.allocatable, nodeInfo: status?.nodeInfo };
}

/** Documents of a file of deploy/, as an operator applies them. */
export async function applyFile(api: Api, file: URL): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object: KubeObject = document.toJS();
    const plural = `${object.kind.toLowerCase()}s`;
    const type = { group: 'rbac.authorization.k8s.io', version: 'v1', plural, namespaced: object.metadata.namespace !== undefined };
    await apply(api, objectPath(type, object.metadata.name, object.metadata.namespace), object);
  }
}

/** Definitions, and waits until the server serves them. */
export async function applyDefinitions(api: Api, definitions: readonly KubeObject[]): Promise<void> {
  const type = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', namespaced: false };
  for (const { status: _status, ...definition } of definitions)
    await apply(api, objectPath(type, definition.metadata.name), {
      ...definition,
      metadata: bare({ ...definition, metadata: definition.metadata }).metadata,
    });
  for (const { spec } of definitions) await untilServed(api, `/apis/${spec.group}/${spec.versions[0].name}/${spec.names.plural}`);
}

/** A server that has just started refuses a little while for reasons of its own. */
async function apply(api: Api, path: string, object: object): Promise<void> {
  await patiently(() => api.patch(path, object, 'apply'), `${path} cannot be applied`);
}

async function untilServed(api: Api, path: string): Promise<void> {
  await patiently(() => api.get(`${path}?limit=1`), `${path} is not served`);
}

const ATTEMPTS = 40;
const PAUSE_MS = 250;

async function patiently(send: () => Promise<unknown>, what: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send();
      return;
    } catch (error) {
      const lasting = error instanceof ApiError && [400, 422].includes(error.code);
      if (lasting || attempt === ATTEMPTS) throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
      await new Promise((done) => void setTimeout(done, PAUSE_MS));
    }
  }
}
