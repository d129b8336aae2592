/**
 * A snapshot file, docs/reference/snapshot.md: gzip of JSON lines. A header, what AWS and Kubernetes answered as far as the allow-list keeps it, and an
 * end that proves that nothing is missing. Shapes are those of the APIs themselves, so that whatever reads a cluster reads a snapshot.
 */
import type { ClusterRef } from '../../core/cluster-ref.ts';

export const SNAPSHOT_FORMAT = 'belay-snapshot';
/** Of the file. A newer Belay reads older ones. */
export const SNAPSHOT_VERSION = 1;

/** The first line. */
export interface SnapshotHeader {
  kind: 'header';
  format: typeof SNAPSHOT_FORMAT;
  version: number;
  /** The API server's own Date when the first list was asked for, ISO 8601. */
  takenAt: string;
  /** Belay's version. */
  belay: string;
  cluster: ClusterRef;
  /** GET /version; "1.33" and "v1.33.1-eks-abc". */
  kubernetes: { minor: string; gitVersion: string };
  /** Names, accounts and registries are replaced. */
  anonymized: boolean;
  /** Labels and annotations that say whose a workload is, as belay.yaml had them (or their tokens), best first. Absent: of an older Belay. */
  ownerKeys?: string[];
}

export type SnapshotService = 'eks' | 'ec2' | 'autoscaling' | 'ssm' | 'service-quotas' | 'iam' | 'kms';

/** An answer of AWS: one for each command and input, pages put together in the order in which they came (each page is a call of its own, with its token). */
export interface SnapshotCall {
  kind: 'aws';
  service: SnapshotService;
  /** "DescribeNodegroup" */
  operation: string;
  input: Record<string, unknown>;
  /** As the SDK gives it without $metadata; dates in ISO 8601. */
  output?: Record<string, unknown>;
  /** Instead of an output: "AccessDeniedException". */
  error?: { name: string };
}

/** An object of Kubernetes, as far as the allow-list keeps it. */
export interface SnapshotKubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
    managedFields?: Record<string, unknown>[];
  };
  // Parsed at the edge by whoever reads it, like the answer of an API server.
  [field: string]: unknown;
}

/** A line for each object, after the line of its list. */
export interface SnapshotObject {
  kind: 'object';
  /** As in paths: "pods", "nodepools". */
  plural: string;
  object: SnapshotKubeObject;
}

/** A type of objects that was asked for. */
export interface SnapshotList {
  kind: 'list';
  apiVersion: string;
  plural: string;
  /** read: `count` objects follow; absent: this API server serves no such type; unread: `why`. */
  outcome: 'read' | 'absent' | 'unread';
  count?: number;
  why?: string;
  /** Unread as a right is missing. */
  denied?: true;
}

/** An answer of Prometheus to one of the queries of the allow-list, with the labels that it names. */
export interface SnapshotMetric {
  kind: 'metric';
  /** PromQL, without the matchers of belay.yaml. */
  query: string;
  samples: { labels: Record<string, string>; value: number }[];
}

/** What could not be read, in words, beside the lists: it is never taken for "there is none". */
export interface SnapshotGap {
  kind: 'gap';
  what: string;
  why: string;
  denied?: true;
}

/** The last line. */
export interface SnapshotEnd {
  kind: 'end';
  /** The API server's own Date after the last list, ISO 8601: objects are of some moment between. */
  endedAt: string;
  /** Lines before this one. */
  lines: number;
  /** SHA-256 of their bytes, line feeds included, in hex. */
  sha256: string;
}

export type SnapshotLine = SnapshotHeader | SnapshotCall | SnapshotList | SnapshotObject | SnapshotMetric | SnapshotGap | SnapshotEnd;

/** A whole file in memory. */
export interface Snapshot {
  header: SnapshotHeader;
  endedAt: string;
  calls: SnapshotCall[];
  lists: SnapshotList[];
  /** By `listKey`. */
  objects: Map<string, SnapshotKubeObject[]>;
  /** None of a snapshot that was taken without a Prometheus, or of a cluster without a mesh. */
  metrics: SnapshotMetric[];
  gaps: SnapshotGap[];
}

/** "apps/v1 deployments" */
export const listKey = (apiVersion: string, plural: string): string => `${apiVersion} ${plural}`;

/** Objects of a type; undefined: it was not read, or is not served. */
export function objectsOf(snapshot: Snapshot, apiVersion: string, plural: string): SnapshotKubeObject[] | undefined {
  return snapshot.objects.get(listKey(apiVersion, plural));
}
