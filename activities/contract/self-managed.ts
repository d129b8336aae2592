/** What workflows may ask about Auto Scaling groups of one's own, whose instances Belay has refreshed (activities/self-managed). */
import type { BlockedNode } from './karpenter.ts';
import type { Target, Waiting } from './target.ts';

/** A group whose instances can be refreshed by Belay. */
export interface RefreshableGroup {
  kind: 'refreshable';
  templateId: string;
  /** The version that the new one is made of: a number. */
  source: string;
  /** The group follows $Latest, and goes on to: no refresh to a numbered version, and no way to roll it back. */
  followsLatest: boolean;
  /** In words: "amazon-eks-node-al2023-x86_64-standard-1.31-v20250403 (ami-1)". */
  before: string;
  after: string;
  /** ImageId of the new version. */
  image: string;
  /** It is named by an SSM parameter: Auto Scaling rolls no such refresh back. */
  parameter?: true;
  size: number;
  /** Protected from scale-in, or in standby: a refresh waits for them for an hour, and then fails. */
  protectedIds?: string[];
  standbyIds?: string[];
  /** Lifecycle hooks of others that hold an instance before it ends: whoever answers them drains. */
  hooks: string[];
  /** An AWS Node Termination Handler runs in the cluster. */
  handler: boolean;
  /** A refresh runs already. */
  running: boolean;
}

export type ExaminedGroup = RefreshableGroup | { kind: 'ask'; why: string };

export interface RefreshProgress {
  percent: number;
  /** Instances still to replace. */
  leftCount: number;
}

/** Another watch follows. `heldMs`: how long each hold has lasted, for that one. */
interface RefreshGoesOn extends RefreshProgress {
  heldMs?: Record<string, number>;
}

export type RefreshOutcome =
  | { kind: 'done' }
  /** Ten per cent or more since what was told last. */
  | ({ kind: 'progress' } & RefreshGoesOn)
  /** An instance that is to end cannot be drained. `more`: others; those that people were `asked` about and that still cannot, too. */
  | ({ kind: 'blocked'; node: BlockedNode; more?: BlockedNode[] } & RefreshGoesOn)
  /** Each of those that people were `asked` about can be drained, or is. */
  | ({ kind: 'freed' } & RefreshGoesOn)
  /** As Auto Scaling names it: Failed, Cancelled, RollbackSuccessful, … */
  | { kind: 'ended'; status: string; why: string }
  | { kind: 'timed-out'; why: string };

export interface SelfManagedActivities {
  /**
   * Whether Belay can refresh the group to `to`, and how; else why its owner is asked. `back`: to an older minor, by the image of it that the launch
   * template had before, where it is still there. Reads only.
   */
  examineGroup(input: Target & { group: string; to: string; back?: true }): Promise<ExaminedGroup>;
  /** A version of the launch template with the image: one that Belay made already is found, else made of `source`. Its number. */
  addTemplateVersion(
    input: Target & { templateId: string; source: string; image: string; to: string; token: string },
  ): Promise<{ version: string; adopted: boolean }>;
  /** A lifecycle hook of Belay's own that holds instances before they end, so that they can be drained. Undone by releaseTerminating. */
  holdTerminating(input: Target & { group: string }): Promise<void>;
  /** Idempotent. What the hook holds at that moment ends. */
  releaseTerminating(input: Target & { group: string }): Promise<void>;
  /**
   * Starts a refresh, or adopts the one that runs to the same template version. `template` absent: the group's own. `ResourceInUse` while another
   * one runs. `checkpointDelayMs`: it rests that long after the first instance.
   */
  startInstanceRefresh(
    input: Target & {
      group: string;
      size: number;
      template?: { id: string; version: string };
      minHealthyPercent: number;
      checkpointDelayMs: number;
    },
  ): Promise<{ refreshId: string; adopted: boolean }>;
  /**
   * Watches until it ends, moves on, or cannot drain. With `drain` it empties the instances that Belay's hook holds: cordoned, evicted, then let go.
   * `told`: the per cent that people know. Nothing is drained while a new instance has no Ready node; where that lasts for timing.driftBlockedAfterMs it
   * stops the refresh, which has then ended as Cancelled, with why. Heartbeats.
   */
  watchInstanceRefresh(
    input: Target &
      Waiting & {
        group: string;
        refreshId: string;
        drain: boolean;
        /** What new instances are launched by. Absent: nobody looks whether they join. */
        template?: { id: string; version: string };
        told: number;
        ownerKeys: string[];
        /** Nodes that people are being asked about, or have said to wait for: only a change of them is news, and draining goes on. */
        asked?: string[];
        /** Of the watch before. Absent: there was none. */
        heldMs?: Record<string, number>;
        /** Absent: as long as it takes. */
        timeoutMs?: number;
      },
  ): Promise<RefreshOutcome>;
  /** cancel: what is replaced stays so. roll-back: the old configuration comes back. One that has ended is fine. */
  stopInstanceRefresh(input: Target & { group: string; how: 'cancel' | 'roll-back' }): Promise<void>;
}
