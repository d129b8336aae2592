/** Readiness of many clusters: one outcome for each, whatever became of the others. */
import type { ClusterRef } from '../core/cluster-ref.ts';
import type { ReadinessReport } from './report.ts';

export type ClusterCheck = { cluster: Pick<ClusterRef, 'name' | 'account' | 'region'> } & (
  | { kind: 'report'; report: ReadinessReport }
  /** At its target, or ahead of it. */
  | { kind: 'there'; version: string; target: string }
  /** No target is set, and EKS offers nothing newer. */
  | { kind: 'newest'; version: string }
  /** The cluster itself could not be read: nothing is known. */
  | { kind: 'unread'; why: string }
);

export interface ManyChecks {
  /** Of this shape: fields may be added, none are taken away or change their meaning. */
  schemaVersion: 1;
  /** In the order of the configuration. */
  clusters: ClusterCheck[];
}
