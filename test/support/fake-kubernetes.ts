/** A KubernetesPort in memory: a healthy API server by default; a test may lose answers, refuse, or have others change objects in between. */
import jsonpatch from 'fast-json-patch';
import type {
  ClusterPorts,
  KubeObject,
  KubernetesDeps,
  KubernetesPort,
  ListQuery,
  Patch,
  PrometheusPort,
  ResourceRef,
} from '../../activities/contract/ports.ts';
import { failureOf } from '../../activities/runtime/translate-errors.ts';
import type { Timing, UpgradePolicy } from '../../domain/policy/policy.ts';
import { policy } from './facts.ts';
import { refuseUnlisted } from './listed-changes.ts';

type Json = Record<string, unknown>;
/** What a test puts in: metadata needs a name only. */
export type Seed = Omit<KubeObject, 'metadata'> & { metadata: Partial<KubeObject['metadata']> & { name: string } } & Json;

export class FakeKubernetes implements KubernetesPort {
  /** Accepted patches, in order. */
  readonly patches: { ref: ResourceRef; patch: Patch }[] = [];
  readonly deleted: string[] = [];
  readonly lists: ListQuery[] = [];
  /** Called before each patch: others may be faster, the server may refuse by throwing. */
  beforePatch: ((ref: ResourceRef) => void) | undefined;
  /** Called after a patch was accepted: throwing here loses the answer. */
  afterPatch: ((ref: ResourceRef) => void) | undefined;
  readonly #objects = new Map<string, KubeObject>();
  readonly #kinds = new Set<string>();
  #version = 100;

  /** Adds or replaces an object. */
  put(apiVersion: string, plural: string, object: Seed): this {
    this.#version += 1;
    const { metadata, ...rest } = structuredClone(object);
    const key = keyOf({ apiVersion, plural, ...metadata });
    const known = this.#objects.get(key);
    this.#objects.set(key, {
      ...rest,
      metadata: { uid: known?.metadata.uid ?? `uid-${this.#version}`, generation: 1, ...metadata, resourceVersion: String(this.#version) },
    });
    this.#kinds.add(`${apiVersion}/${plural}`);
    return this;
  }

  /** Changes an object behind everybody's back, as others do. */
  edit(ref: ResourceRef, change: (object: KubeObject & Json) => void): void {
    const object = this.#stored(ref);
    change(object as KubeObject & Json);
    this.#store(ref, object);
  }

  remove(ref: ResourceRef): void {
    this.#objects.delete(keyOf(ref));
  }

  /** The object as it is now. Throws where it does not exist. */
  look(ref: ResourceRef): KubeObject & Json {
    return this.#stored(ref) as KubeObject & Json;
  }

  async version(): Promise<{ minor: string; gitVersion: string }> {
    return { minor: '1.33', gitVersion: 'v1.33.1-eks-b9364f6' };
  }

  async readyz(): Promise<{ ok: boolean; message: string }> {
    return { ok: true, message: 'ok' };
  }

  /** What GET /metrics answers. */
  metricsText = '';

  async metrics(): Promise<string> {
    return this.metricsText;
  }

  /** What programs in pods answer, by "namespace/name:port/path". undefined: Belay may not forward ports. */
  inPods: Record<string, { status: number; body: string }> | undefined;

  async scrape(_from: unknown, lines: () => (line: string) => void): Promise<void> {
    this.metricsText.split('\n').forEach(lines());
  }

  async getInPod({ namespace, name, port }: { namespace: string; name: string; port: number }, path: string) {
    const where = `${namespace}/${name}:${port}${path}`;
    if (this.inPods === undefined) throw failureOf('AccessDenied', `reading ${path} of pods/${namespace}/${name}: Kubernetes answered 403`);
    const answer = this.inPods[where];
    if (answer === undefined) throw failureOf('Unavailable', `reading ${where}: connection refused`);
    return answer;
  }

  /** The server's clock. */
  now = '2031-01-01T00:00:00.000Z';

  serverDate(): string {
    return this.now;
  }

  async get<T extends KubeObject>(ref: ResourceRef): Promise<T | undefined> {
    const object = this.#objects.get(keyOf(ref));
    return object === undefined ? undefined : (structuredClone(object) as T);
  }

  async list<T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object): Promise<T[] | undefined> {
    this.lists.push(query);
    const kind = `${query.apiVersion}/${query.plural}`;
    if (!this.#kinds.has(kind)) return query.apiVersion.includes('.') ? undefined : [];
    const prefix = `${kind}/`;
    const found = [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => structuredClone(object) as T);
    const asked = found.filter(
      (object) =>
        (query.namespace === undefined || object.metadata.namespace === query.namespace) &&
        matchesLabels(query.labelSelector, object.metadata.labels ?? {}) &&
        matchesFields(query.fieldSelector, object),
    );
    return asked.map(keep).filter((object) => object !== undefined);
  }

  async patch<T extends KubeObject>(ref: ResourceRef, patch: Patch): Promise<T> {
    this.beforePatch?.(ref);
    const object = this.#stored(ref);
    const changed = patch.type === 'json' ? applyJsonPatch(object, patch.body, ref) : applyMergePatch(object, patch.body, ref);
    refuseUnlisted({ operation: 'UPDATE', ref, before: this.#stored(ref), after: changed });
    this.#store(ref, changed);
    this.patches.push({ ref, patch });
    this.afterPatch?.(ref);
    return structuredClone(this.#stored(ref)) as T;
  }

  async create<T extends KubeObject>(ref: Omit<ResourceRef, 'name'>, body: object): Promise<T> {
    const seed = body as Seed;
    refuseUnlisted({ operation: 'CREATE', ref });
    this.put(ref.apiVersion, ref.plural, seed);
    return structuredClone(this.#stored({ ...ref, name: seed.metadata.name })) as T;
  }

  async delete(ref: ResourceRef, options: { uid?: string } = {}): Promise<void> {
    const object = this.#objects.get(keyOf(ref));
    if (object === undefined || (options.uid !== undefined && object.metadata.uid !== options.uid)) return;
    refuseUnlisted({ operation: 'DELETE', ref });
    this.#objects.delete(keyOf(ref));
    this.deleted.push(`${ref.plural}/${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`);
  }

  #stored(ref: ResourceRef): KubeObject {
    const object = this.#objects.get(keyOf(ref));
    if (object === undefined) throw failureOf('NotFound', `reading ${ref.plural} ${ref.name}: it does not exist`);
    return structuredClone(object);
  }

  /** As a server does: a new resourceVersion, a new generation where spec changed, no empty maps in metadata. */
  #store(ref: ResourceRef, object: KubeObject): void {
    const before = this.#objects.get(keyOf(ref));
    this.#version += 1;
    const { metadata } = object;
    metadata.resourceVersion = String(this.#version);
    if (JSON.stringify(before?.spec) !== JSON.stringify(object.spec)) metadata.generation = (metadata.generation ?? 0) + 1;
    for (const map of ['labels', 'annotations'] as const) if (Object.keys(metadata[map] ?? { one: 1 }).length === 0) delete metadata[map];
    this.#objects.set(keyOf(ref), object);
  }
}

/** Dependencies of the activities on this fake. */
export function depsOf(
  kubernetes: KubernetesPort,
  options: { prometheus?: PrometheusPort; policy?: Partial<UpgradePolicy> } = {},
): KubernetesDeps {
  const ports: ClusterPorts = { kubernetes, ...(options.prometheus === undefined ? {} : { prometheus: options.prometheus }) };
  return { clusterPorts: async () => ports, policyOf: () => policy(options.policy) };
}

/** Polls without pause and short deadlines. */
export function quickTiming(change: Partial<Timing> = {}): Timing {
  return {
    ...policy().timing,
    pollMinMs: 2,
    pollMaxMs: 2,
    freezeCheckMs: 2,
    askTimeoutMs: 30_000,
    rolloutTimeoutMs: 30_000,
    driftBlockedAfterMs: 60,
    driftTimeoutMs: 30_000,
    apiTransientMs: 30_000,
    ...change,
  };
}

function keyOf({ apiVersion, plural, namespace, name }: ResourceRef): string {
  return `${apiVersion}/${plural}/${namespace ?? ''}/${name}`;
}

function applyJsonPatch(object: KubeObject, body: Extract<Patch, { type: 'json' }>['body'], ref: ResourceRef): KubeObject {
  try {
    return jsonpatch.applyPatch(object, structuredClone(body) as jsonpatch.Operation[], true).newDocument;
  } catch (error) {
    if (error instanceof Error && error.name === 'TEST_OPERATION_FAILED') {
      throw failureOf('Conflict', `patching ${ref.plural} ${ref.name}: somebody changed it between look and patch`);
    }
    throw failureOf('InvalidRequest', `patching ${ref.plural} ${ref.name}: ${String(error)}`);
  }
}

function applyMergePatch(object: KubeObject, body: Json, ref: ResourceRef): KubeObject {
  const { metadata } = body as { metadata?: { resourceVersion?: string } };
  if (metadata?.resourceVersion !== undefined && metadata.resourceVersion !== object.metadata.resourceVersion) {
    throw failureOf('Conflict', `patching ${ref.plural} ${ref.name}: the object has been modified`);
  }
  return merge(object, body) as KubeObject;
}

/** RFC 7396. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...(target as Json) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** Equality, `in`, `notin`, existence and its opposite. */
function matchesLabels(selector: string | undefined, labels: Record<string, string>): boolean {
  if (selector === undefined) return true;
  return selector.split(/,(?![^(]*\))/).every((term) => {
    const set = /^(\S+) (in|notin) \(([^)]*)\)$/.exec(term.trim());
    if (set !== null) {
      const [, key = '', operator, values = ''] = set;
      const isIn = labels[key] !== undefined && values.split(',').includes(labels[key]);
      return operator === 'in' ? isIn : !isIn;
    }
    const [key = '', value] = term.split('=');
    if (term.startsWith('!')) return labels[term.slice(1)] === undefined;
    return value === undefined ? labels[key] !== undefined : labels[key] === value;
  });
}

function matchesFields(selector: string | undefined, object: KubeObject): boolean {
  if (selector === undefined) return true;
  return selector.split(',').every((term) => {
    const [path = '', value = ''] = term.split('=');
    const seen = path
      .split('.')
      .reduce<unknown>((at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined), object);
    return (typeof seen === 'string' ? seen : '') === value;
  });
}
