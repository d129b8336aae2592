/** All objects of one type, found by name and by namespace. */
import type { KubeObject, ResourceType } from './store.ts';
import { typeKey } from './types.ts';

export class Shelf {
  type: ResourceType;
  /** By a CustomResourceDefinition. */
  isDefined = false;
  readonly #byKey = new Map<string, KubeObject>();
  readonly #byNamespace = new Map<string, Map<string, KubeObject>>();

  constructor(type: ResourceType) {
    this.type = type;
  }

  /** "pods.", "nodepools.karpenter.sh": unique over groups. */
  get key(): string {
    return typeKey(this.type);
  }

  get(name: string, namespace: string | undefined): KubeObject | undefined {
    return this.#byKey.get(keyOf(name, namespace));
  }

  all(namespace: string | undefined): KubeObject[] {
    return Array.from(namespace === undefined ? this.#byKey.values() : (this.#byNamespace.get(namespace)?.values() ?? []));
  }

  put(object: KubeObject): void {
    const { name, namespace } = object.metadata;
    this.#byKey.set(keyOf(name, namespace), object);
    if (namespace === undefined) return;
    const names = this.#byNamespace.get(namespace) ?? new Map<string, KubeObject>();
    names.set(name, object);
    this.#byNamespace.set(namespace, names);
  }

  remove(object: KubeObject): void {
    const { name, namespace } = object.metadata;
    this.#byKey.delete(keyOf(name, namespace));
    if (namespace !== undefined) this.#byNamespace.get(namespace)?.delete(name);
  }
}

function keyOf(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
