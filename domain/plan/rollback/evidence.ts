/** What a way back is planned from, beside the facts of every plan. */
import type { Insight } from '../../readiness/model/evidence.ts';
import type { NewerApi } from '../../facts/newer-apis.ts';
import type { WayBack } from '../../facts/rollback-window.ts';
import type { FargateBack } from './fargate.ts';

export interface SeenForBack {
  back: WayBack;
  /** EKS's own judgement, refreshed; a text: why it could not be read. Absent: not asked, since a refresh takes minutes; the first step asks. */
  insights?: Pick<Insight, 'name' | 'category' | 'status' | 'reason' | 'recommendation'>[] | string;
  /** What is newer on Fargate; a text: why it could not be read. Absent: no node of Fargate is newer. */
  fargate?: FargateBack | string;
  /** What is kept in the APIs that only the newer minor has. Absent: nobody has looked. */
  newerApis?: NewerApiSeen[];
}

export interface NewerApiSeen {
  api: NewerApi;
  /** A text: why they could not be listed. */
  objects: NewerObject[] | string;
}

export interface NewerObject {
  name: string;
  namespace?: string;
  /** By managedFields: each who wrote it, and in which version ("v1"). */
  writers: { manager: string; version: string }[];
}
