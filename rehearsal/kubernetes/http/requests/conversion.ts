/** Custom objects in the version that a request speaks: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/ */
import { isReady } from '../../pods/pods.ts';
import { DetailedError } from '../../failures.ts';
import { type KubeObject, type ObjectStore, type ResourceType, StoreError } from '../../store.ts';
import { apiVersionOf } from '../../types.ts';

/**
 * What a conversion webhook knows of one type. The store keeps the type's objects in the hub's shape, whatever their apiVersion says: that is the
 * version in which the server has stored them.
 */
interface Hub {
  /** An object of any version as the hub has it. */
  toHub: (object: KubeObject) => KubeObject;
  /** The hub's object as "v1beta1" has it; its apiVersion is the caller's. */
  fromHub: (object: KubeObject, version: string) => KubeObject;
}

/** By "nodepools.karpenter.sh". */
export type Hubs = Readonly<Record<string, Hub>>;

export interface Conversion {
  /** A stored object as the request's version shows it. Throws where the webhook does not answer. */
  shown: (object: KubeObject) => KubeObject;
  /** An object of the request's version as it is stored. Throws where the webhook does not answer. */
  stored: (object: KubeObject) => KubeObject;
}

interface ConversionSpec {
  strategy?: string;
  webhook?: { clientConfig?: { caBundle?: string; service?: { namespace: string; name: string; port?: number; path?: string } } };
}

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? '';
const named = (object: KubeObject, apiVersion: string): KubeObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion };

/** Without a definition, or without a hub, versions differ by their name only. `type`: with the request's version. */
export function conversionOf(store: ObjectStore, type: ResourceType, definition: KubeObject | undefined, hub: Hub | undefined): Conversion {
  const wanted = apiVersionOf(type);
  const storage = apiVersionOf(store.type(type.plural, type.group) ?? type);
  const call = (from: string): void => {
    if (definition?.spec?.conversion?.strategy === 'Webhook') callWebhook(store, type, definition.spec.conversion, from);
  };
  const isNone = definition?.spec?.conversion?.strategy !== 'Webhook';
  return {
    shown: (object) => {
      if (object.apiVersion !== wanted) call(object.apiVersion);
      if (hub === undefined) return named(object, wanted);
      // Without a webhook what was stored is shown with another name.
      return named(hub.fromHub(object, versionOf(isNone ? object.apiVersion : wanted)), wanted);
    },
    stored: (object) => {
      if (storage !== wanted) call(wanted);
      if (hub === undefined) return named(object, storage);
      const inHub = hub.toHub(isNone ? named(object, storage) : object);
      // What the stored version has no field for is lost.
      return named(storage === wanted ? inHub : hub.toHub(named(hub.fromHub(inHub, versionOf(storage)), storage)), storage);
    },
  };
}

/** 500 without a reason, as every error that the server did not expect. */
class ConversionFailed extends StoreError {
  constructor(message: string) {
    super(500, '', message);
  }
}

/**
 * All of a list as the request's version shows it. Objects that were there before the definition changed have kept the server's cache from
 * filling: it then answers as while it starts, for as long as nobody converts them.
 */
export function shownAll(
  objects: readonly KubeObject[],
  type: ResourceType,
  conversion: Conversion,
  definition: KubeObject | undefined,
): KubeObject[] {
  try {
    return objects.map(conversion.shown);
  } catch (error) {
    const since = Number(definition?.metadata.resourceVersion ?? 0);
    if (!(error instanceof ConversionFailed) || objects.every(({ metadata }) => Number(metadata.resourceVersion) > since)) throw error;
    const why = `storage is (re)initializing: failed to list ${apiVersionOf(type)}, Kind=${type.kind}: ${error.message}`;
    throw new DetailedError(429, 'TooManyRequests', why, { retryAfterSeconds: 1 });
  }
}

/** As k8s.io/apiextensions-apiserver's webhook converter words it. */
function callWebhook(store: ObjectStore, type: ResourceType, { webhook }: ConversionSpec, from: string): void {
  const { service, caBundle } = webhook?.clientConfig ?? {};
  if (service === undefined) return;
  const { namespace, name, port = 443, path = '/' } = service;
  const broken = serviceFault(store, { namespace, name, port }) ?? answerFault(store, { namespace, name }, caBundle);
  if (broken === undefined) return;
  throw new ConversionFailed(
    `conversion webhook for ${from}, Kind=${type.kind} failed: Post "https://${name}.${namespace}.svc:${port}${path}?timeout=30s": ${broken}`,
  );
}

/** Why nobody can be called by this Service; undefined: it is there, with that port. */
export function serviceFault(
  store: Pick<ObjectStore, 'get'>,
  { namespace, name, port }: { namespace: string; name: string; port: number },
): string | undefined {
  const service = store.get('services', name, namespace);
  if (service === undefined) return `service "${name}" not found`;
  const ports: { port: number }[] = service.spec?.ports ?? [];
  return ports.some((each) => each.port === port) ? undefined : `no service port ${port} found for service "${name}"`;
}

function answerFault(
  store: ObjectStore,
  { namespace, name }: { namespace: string; name: string },
  caBundle: string | undefined,
): string | undefined {
  const service = store.get('services', name, namespace);
  if (service !== undefined && !hasEndpoints(store, service)) return `no endpoints available for service "${name}"`;
  return caBundle ? undefined : 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
}

function hasEndpoints(store: ObjectStore, { metadata: { namespace }, spec }: KubeObject): boolean {
  return store.list('pods', { ...(namespace === undefined ? {} : { namespace }), labels: spec?.selector ?? {} }).some(isReady);
}
