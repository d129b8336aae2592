/** The allow-list of a snapshot, as tables: docs/reference/snapshot.md is made from them. */
import type { SnapshotService } from '../format.ts';

/** Paths that are kept for one reason. */
export interface AllowedGroup {
  why: string;
  paths: readonly string[];
  /** Where the specification of pods begins that these are part of: documents say it once. */
  podSpec?: string;
}

/** A type of Kubernetes objects. */
export interface AllowedList {
  apiVersion: string;
  plural: string;
  /** Beside `metadata`, which is kept alike of all. */
  groups: readonly AllowedGroup[];
  /** Beside names, labels and owners: who wrote it in which API version, for types that a readiness check asks about. */
  writers?: true;
  /** Only in these namespaces, each a list of its own; "karpenter": whichever Karpenter runs in. */
  namespaces?: readonly string[];
  /** Served by this cluster or not: what is absent is no gap. */
  custom?: true;
}

/** An operation of AWS. */
export interface AllowedCall {
  service: SnapshotService;
  operation: string;
  /** Of its answer. */
  groups: readonly AllowedGroup[];
}

export const allowed = (service: SnapshotService, operation: string, ...groups: AllowedGroup[]): AllowedCall => ({
  service,
  operation,
  groups,
});

export const keep = (why: string, ...paths: string[]): AllowedGroup => ({ why, paths });

/** The same paths below another one. */
export const under = (path: string, paths: readonly string[]): string[] => paths.map((each) => `${path}.${each}`);
