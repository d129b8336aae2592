/** One call to a service outside Belay, as metrics count it. Who calls and who counts share nothing but this. */
import type { FailureType } from './failure-types.ts';

/** Name of the `diagnostics_channel` on which calls are published. Nothing is measured while nobody listens. */
export const EXTERNAL_CALLS = 'belay:external-call';

/** Every field but the last becomes a label, so each is one of a small set: no resource names, paths with ids, or messages. */
export interface ExternalCall {
  /** AWS's services by their client (`eks`, `ec2`, `autoscaling` …), `kubernetes`, `prometheus` (Alertmanager included), `slack`, `grafana`, `webhook`, `smtp`. */
  service: string;
  /** `DescribeCluster`, `GET`, `/api/v1/query`, `chat.postMessage`, `POST /api/annotations`. */
  operation: string;
  /** `Cancelled`: the activity was, before there was an answer. */
  result: 'ok' | 'Cancelled' | FailureType;
  seconds: number;
}
