/** What workflows may ask about nodes that neither an EKS update nor Karpenter replaces, and about the autoscaler beside them (activities/kubernetes/other-nodes). */
import type { Target, Waiting } from '../../target.ts';

/** Something that the step does not move, and why. */
export interface Unmoved {
  workload: string;
  why: string;
}

export interface OtherNodeActivities {
  /** Namespaces with pods on Fargate nodes whose kubelet is not at `to`, by name. */
  readFargate(input: Target & { to: string }): Promise<{ namespaces: { name: string; podCount: number }[] }>;
  /** Restarts what owns such pods in one namespace, with one timestamp. `interrupted`: what stops its only pod before the next one starts. */
  restartFargate(
    input: Target & { namespace: string; to: string; restartedAt: string },
  ): Promise<{ restarted: number; interrupted: string[]; unmoved: Unmoved[] }>;
  /** Loops until no pod of the namespace that a rollout moves is on an old Fargate node, and their rollouts are complete. Heartbeats. */
  awaitFargate(input: Target & Waiting & { namespace: string; to: string }): Promise<{ timedOut: boolean; wrong: string[] }>;
  /** Loops until every node that nobody manages is Ready at `to`, for timing.askTimeoutMs. Heartbeats. */
  awaitSelfManaged(input: Target & Waiting & { to: string }): Promise<{ timedOut: boolean; left: string[] }>;
  /** Scales it to 0, with a before-image annotation; one that is paused already is adopted. `gone`: there is nothing to pause any more. */
  pauseAutoscaler(input: Target & { namespace: string; name: string }): Promise<{ gone: boolean }>;
  /** Loops until it has no replica. Heartbeats. */
  awaitAutoscaler(input: Target & Waiting & { namespace: string; name: string; timeoutMs: number }): Promise<{ stopped: boolean }>;
  /** Back to the before-image. `changedByOthers`: somebody scaled it meanwhile, left alone. */
  resumeAutoscaler(input: Target & { namespace: string; name: string }): Promise<{ changedByOthers: boolean; replicas?: number }>;
}
