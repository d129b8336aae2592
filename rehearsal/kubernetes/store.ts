/** The contract of the twin's object store: the API server serves it over HTTP, controllers use it in process. */
import type { Schema } from './schemas/schema.ts';

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean; blockOwnerDeletion?: boolean }[];
  [more: string]: unknown;
}

/** Any Kubernetes object. Spec and status stay open: controllers read what they know. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  // oxlint-disable-next-line typescript/no-explicit-any -- controllers read what they know of an open object
  [field: string]: any;
}

export interface ResourceType {
  /** "" for core */
  group: string;
  version: string;
  /** plural, e.g. nodepools */
  plural: string;
  kind: string;
  namespaced: boolean;
  shortNames?: string[];
  /** Of custom types; built-in ones are in discovery. */
  categories?: string[];
  subresources?: ('status' | 'scale' | 'eviction')[];
}

export interface DeleteOptions {
  /** Pods on a node end gracefully unless this is 0. Absent: the pod's terminationGracePeriodSeconds. */
  gracePeriodSeconds?: number;
  /** Background (default) removes dependents at once; Foreground and Orphan leave the object waiting for the garbage collector. */
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject };

/** Failures carry the reason of a real Status object: NotFound, AlreadyExists, Conflict, Invalid, … */
export class StoreError extends Error {
  readonly reason: string;
  readonly code: number;
  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Who makes a change from outside, for `metadata.managedFields`. */
export interface FieldWriter {
  manager: string;
  operation: 'Apply' | 'Update';
  /** Of the request. */
  apiVersion: string;
  subresource?: string;
  /** Of a custom type. */
  schema?: Schema;
  /** The configuration that server-side apply was given. */
  applied?: object;
}

export interface ObjectStore {
  types(): readonly ResourceType[];
  /** By plural, and group where a plural is not unique. */
  type(plural: string, group?: string): ResourceType | undefined;
  /** Returned objects are the stored ones: read-only by convention; change them through update(). */
  get(plural: string, name: string, namespace?: string): KubeObject | undefined;
  list(plural: string, where?: { namespace?: string; labels?: Record<string, string> }): KubeObject[];
  /** What names this uid among its owners. */
  ownedBy(uid: string): KubeObject[];
  /** Pods that are bound to a node, finished ones too. */
  podsOn(node: string): KubeObject[];
  /** Puts an object there as it was found elsewhere, its id and times included. Where the API server is a real one, nothing can be. */
  load?(plural: string, object: KubeObject): void;
  create(plural: string, object: KubeObject, writer?: FieldWriter): KubeObject;
  /** Applies `change` to a copy and stores it: bumps resourceVersion, and generation where spec changed. Throws NotFound. */
  update(plural: string, name: string, namespace: string | undefined, change: (copy: KubeObject) => void, writer?: FieldWriter): KubeObject;
  /** Graceful: finalizers, and for pods on a node the kubelet, hold the object with a deletionTimestamp until they let go. Throws NotFound. */
  delete(plural: string, name: string, namespace?: string, options?: DeleteOptions): void;
  /** Where the API server is a real one, it decides about evictions itself. */
  evict?(name: string, namespace: string): EvictionResult;
  /** Every change from now on. */
  watch(listener: (event: WatchEvent & { type: WatchEvent['type']; plural: string; resourceVersion: number }) => void): () => void;
  resourceVersion(): number;
}

export type EvictionResult =
  | { ok: true }
  /** `blockedBy`: names of the budgets that stand in the way, empty when the pod is not there. `error` is what HTTP answers. */
  | { ok: false; blockedBy: string[]; error: StoreError };
