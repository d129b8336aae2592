/** What an API server of the twin is started with. */
import type { ObjectStore } from '../store.ts';
import type { Journal } from '../../world/journal.ts';
import type { Identity, TokenUser } from './access/authentication.ts';
import type { PolicyRule } from './access/rbac.ts';
import type { Hubs } from './requests/conversion.ts';
import type { KubernetesFates } from '../../world/faults/apis/kubernetes.ts';
import type { PodPrograms } from './requests/port-forward.ts';

export interface KubernetesServerOptions {
  store: ObjectStore;
  journal: Journal;
  /** World time: the Date header of every answer. */
  now: () => Date;
  /** Minor that /version tells, e.g. "1.32". */
  version: () => string;
  /** While true, connections are dropped without an answer. */
  down: () => boolean;
  /** Tokens that kubeconfigs for people carry. */
  staticTokens?: string[];
  /** Whether the AWS session of an access key has ended: its tokens are refused, however young they are. */
  ended?: (accessKeyId: string) => boolean;
  /** People and programs whom RBAC judges. */
  users?: TokenUser[];
  /** What somebody who is not one of `users` may do, beside what everybody may who is signed in. Default, and for undefined: everything. */
  rules?: (identity: Identity) => readonly PolicyRule[] | undefined;
  /** Paths that clients have asked for before. */
  askedBefore?: readonly string[];
  /** What conversion webhooks of the cluster know. Default: versions differ by name only. */
  hubs?: Hubs;
  /** Told of each request that arrives. */
  onRequest?: () => void;
  /** Told of each request on a deprecated API, as EKS is by the audit log. */
  onDeprecated?: (call: { path: string; userAgent: string }) => void;
  /** What goes wrong with requests. Default: nothing. */
  fates?: KubernetesFates;
  /** What the API server says at /metrics beside its version and what is asked of deprecated APIs. Default: nothing. */
  metrics?: () => string;
  /** What programs in pods answer on a forwarded port, or through pods/proxy. Default: nothing listens. */
  programs?: PodPrograms;
  /** How many changes a watch can start behind. Default 10 000. */
  watchHistory?: number;
}
