/** What workflows may ask about nodes that neither an EKS update nor Karpenter replaces, and about the autoscaler beside them (activities/kubernetes/other-nodes). */
import type { Target, Waiting } from './target.ts';
import type { FargateBack } from '../../domain/plan/rollback/evidence.ts';

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
  /**
   * Loops until no pod of the namespace that a rollout moves is on an old Fargate node, and their rollouts are complete. `restartedAt`: only of what was
   * restarted with it. Heartbeats.
   */
  awaitFargate(
    input: Target & Waiting & { namespace: string; to: string; restartedAt?: string },
  ): Promise<{ timedOut: boolean; wrong: string[] }>;
  /** What runs on Fargate and is newer than `to`, for a way back, or would be: `placed` leaves out pods that wait for a node, once new ones are older. */
  readFargateBack(input: Target & { to: string; placed?: true }): Promise<FargateBack>;
  /**
   * Scales what owns pods on Fargate that are newer than `to` to 0, with a before-image annotation on each; those that stand still already are
   * adopted. Nothing is changed where `stuck` is not empty.
   */
  stopFargate(
    input: Target & { to: string; dns: boolean },
  ): Promise<{ stopped: string[]; stoppedCount: number; stuck: FargateBack['stuck'] }>;
  /** Loops until no pod and no node of Fargate is newer than `to`, for timing.rolloutTimeoutMs. Heartbeats. */
  awaitFargateStopped(input: Target & Waiting & { to: string }): Promise<{ timedOut: boolean; left: string[] }>;
  /**
   * Everything that bears the before-image back to it, CoreDNS first. `failed`: still down; `changedByOthers`: somebody scaled it meanwhile, left
   * alone. `forget`: nobody waits for it, so the marks go at once.
   */
  startFargate(input: Target & { forget?: true }): Promise<{ startedCount: number; changedByOthers: string[]; failed: Unmoved[] }>;
  /** Loops until all of it is Ready, for timing.rolloutTimeoutMs; then the before-images are taken off. Heartbeats. */
  awaitFargateStarted(input: Target & Waiting): Promise<{ timedOut: boolean; left: string[] }>;
  /** Loops until every node that nobody manages is Ready at `to`, for timing.askTimeoutMs; `back`: or at an older minor. Heartbeats. */
  awaitSelfManaged(input: Target & Waiting & { to: string; back?: true }): Promise<{ timedOut: boolean; left: string[] }>;
  /** Scales it to 0, with a before-image annotation; one that is paused already is adopted. `gone`: there is nothing to pause any more. */
  pauseAutoscaler(input: Target & { namespace: string; name: string }): Promise<{ gone: boolean }>;
  /** Loops until it has no replica. Heartbeats. */
  awaitAutoscaler(input: Target & Waiting & { namespace: string; name: string; timeoutMs: number }): Promise<{ stopped: boolean }>;
  /** Back to the before-image. `changedByOthers`: somebody scaled it meanwhile, left alone. */
  resumeAutoscaler(input: Target & { namespace: string; name: string }): Promise<{ changedByOthers: boolean; replicas?: number }>;
}
