/** What workflows may ask of EKS: updates of the control plane, node groups, add-ons and logging. */
import type { Target, Waiting } from './target.ts';
import type { ControlPlaneLog } from '../../domain/policy/policy.ts';
import type { WayBack } from '../../domain/facts/rollback-window.ts';
import type { UnrequestedRollback } from '../../domain/run/unrequested-rollback.ts';
import type { HealthIssue } from '../../domain/facts/facts.ts';

/* ---------- activities/eks/*.ts ---------- */
export interface StartedUpdate {
  /** undefined: nothing to do, the resource is already there. */
  updateId?: string;
  /** true: an update that already ran or runs was adopted. */
  adopted: boolean;
  alreadyThere: boolean;
  /** The whole resource before Belay sent the update, without secrets. Workflows hand it to `awaitUpdate` of the same id; see workflows/runtime/side-effects. */
  before?: Record<string, unknown>;
}

export interface UpdateOutcome {
  /** `Vanished`: EKS does not know the id any more and the resource is not at the wanted version. */
  status: 'Successful' | 'Failed' | 'Cancelled' | 'TimedOut' | 'Vanished';
  /** Cancelled: why, in EKS's words. */
  reason?: string;
  /** EKS's error codes and messages. */
  errors: { code: string; message: string; resourceIds: string[] }[];
  /** ISO 8601, EKS's clock. */
  createdAt?: string;
  /** How far a node group is whose update has not ended in time. */
  roll?: NodeGroupRoll;
  /** What EKS finds wrong with a control plane or an add-on whose update has not ended in time. Absent: it cannot be read. */
  issues?: string[];
}

/** `held`: what keeps old nodes from being drained now, a few reasons; `unseen`: why that, or the nodes, cannot be read; `issues`: what EKS finds wrong. */
export interface NodeGroupRoll {
  newCount: number;
  oldCount: number;
  held: string[];
  issues?: string[];
  unseen?: string;
}

export type UpdateResource = { kind: 'cluster' } | { kind: 'node-group'; name: string } | { kind: 'add-on'; name: string };

export interface NewerAddOn {
  /** Kubernetes minor: a version of an add-on that is newer than `to` and that EKS offers there is as good. Absent: `to` alone is. */
  newerOn?: string;
}

export interface EksActivities {
  /** UpdateClusterConfig for the logs that are off; adopts a LoggingUpdate that runs. */
  startLogging(input: Target & { types: ControlPlaneLog[]; token: string }): Promise<StartedUpdate>;
  /** Where somebody else switches them on: loops until they are, for timing.askTimeoutMs. Heartbeats. */
  awaitLogging(input: Target & Waiting & { types: ControlPlaneLog[] }): Promise<{ timedOut: boolean }>;
  /** UpdateClusterVersion, after looking for a running (or since `notBefore` successful) VersionUpdate to `to`. `notBefore`: ISO 8601 start of the step. `back`: one minor down; a lower version is never sent otherwise. `nodesTimeoutMinutes`: how long EKS may take nodes of Auto Mode back before that. */
  startControlPlaneUpdate(
    input: Target & { to: string; token: string; notBefore: string; force?: boolean; back?: true; nodesTimeoutMinutes?: number },
  ): Promise<StartedUpdate>;
  startNodeGroupUpdate(
    input: Target & { nodeGroup: string; to: string; token: string; notBefore: string; force?: boolean; back?: true },
  ): Promise<StartedUpdate>;
  /** `back`: to an older version; a lower one is never sent otherwise. `newerOn`: see NewerAddOn. */
  startAddOnUpdate(
    input: Target &
      NewerAddOn & {
        addOn: string;
        to: string;
        token: string;
        notBefore: string;
        resolveConflicts?: 'NONE' | 'PRESERVE' | 'OVERWRITE';
        back?: true;
      },
  ): Promise<StartedUpdate>;
  /**
   * Where somebody else makes the change: loops until EKS lists an update to `to` (or the resource is there). `timedOut` after timing.askTimeoutMs. Heartbeats.
   * `from`: of a control plane; at any third version it fails, since to apply `to` there would start a rollback, or is refused.
   */
  awaitForeignUpdate(
    input: Target & Waiting & NewerAddOn & { resource: UpdateResource; to: string; notBefore: string; from?: string },
  ): Promise<StartedUpdate & { timedOut: boolean }>;
  /** How the control plane came to its version, and until when EKS takes it back. `now`: EKS's clock, ISO 8601. Reads only. */
  readRollbackWindow(input: Target): Promise<{ now: string; back: WayBack }>;
  /** Whether somebody takes, or has taken, the control plane back from `at`. Reads only. */
  findUnrequestedRollback(input: Target & { at: string }): Promise<{ descent?: UnrequestedRollback }>;
  /** One look, failed (benign) and tried again as long as there is none that is new, or that was `known` (update ids) and has ended. Reads only. */
  awaitUnrequestedRollback(input: Target & { at: string; known: string[] }): Promise<UnrequestedRollback>;
  /** Polls DescribeUpdate by id to a terminal status, then reads the resource once more. Heartbeats. */
  awaitUpdate(
    input: Target &
      Waiting & {
        resource: UpdateResource;
        updateId: string;
        to: string;
        timeoutMs: number;
        /** Of StartedUpdate: compared with the resource when the update has ended. */
        before?: Record<string, unknown>;
      },
  ): Promise<UpdateOutcome>;
  /**
   * A managed add-on ACTIVE without issues at `to`, and its workload rolled. Also for self-managed ones (image tag). `asked`: somebody else changes it, and
   * has timing.askTimeoutMs until it is at the version.
   */
  awaitAddOnHealthy(
    input: Target & Waiting & NewerAddOn & { addOn: string; to: string; asked?: true },
  ): Promise<{ healthy: boolean; message: string; issues?: HealthIssue[] }>;
}
