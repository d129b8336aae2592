/**
 * What workflows may ask of the world: one interface per file of activities, large ones in a contract.ts beside theirs. Types only; workflows import this with `import type`.
 * Rules that hold for all: one object argument; `cluster` names the cluster; a mutation carries the workflow's `token` and looks before it acts;
 * results are small (first few names and counts, never lists of nodes). Loops heartbeat, and end with an outcome rather than a throw
 * where people have to decide. Failures are ApplicationFailures with a type of `FailureType`.
 */
import type { DeliveredEvent, DeliverInput } from '../../domain/run/events/event.ts';
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import type { Claim } from '../../domain/gates/identity-proof.ts';
import type { AuditEvent, AuditHead } from '../../domain/gates/audit.ts';
import type { HealthIssue } from '../../domain/facts/facts.ts';
import type { SkewSeen } from '../../domain/facts/version-skew.ts';
import type { Finding, Skipped } from '../../domain/core/findings.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import type { CheckResult, Delivery, MessageRef, PublishManyInput } from '../../domain/run/notifications.ts';
import type { ApproverRight } from '../../domain/gates/approvals.ts';
import type { PhaseId, StepId } from '../../domain/core/phases.ts';
import type { AmiMove, Unpromoted } from '../../domain/plan/model/changes.ts';
import type { QuotedForecast } from '../../domain/plan/forecast/quoted.ts';
import type { PlanResult, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import type { NodeStrategy, UpgradePolicy } from '../../domain/policy/policy.ts';
import type { MergeQuestion } from '../../domain/run/code-changes/merged.ts';
import type { Leftover, Unseen } from '../../domain/run/leftovers.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import type { CampaignActivities } from './campaign.ts';
import type { DeliveryActivities } from './delivery.ts';
import type { RollbackActivities } from './eks-rollback.ts';
import type { ProposalActivities } from './proposals.ts';
import type { QueueActivities } from './queues.ts';
import type { ForecastActivities } from './forecast.ts';
import type { ClusterStateActivities, HealthActivities } from './health.ts';
import type { SideEffectActivities } from './side-effects.ts';
import type { MigrationActivities } from './karpenter-migration.ts';
import type { IstioActivities } from './istio.ts';
import type { KarpenterActivities } from './karpenter.ts';
import type { OtherNodeActivities } from './other-nodes.ts';
import type { SelfManagedActivities } from './self-managed.ts';
import type { Target, Waiting } from './target.ts';
import type { WindowActivities } from './windows.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { MergeFinding } from '../../domain/run/record/merge-finding.ts';
import type { EksActivities } from './eks.ts';

/* ---------- activities/run/planning/planning.ts ---------- */
export interface PlanningActivities {
  /** The cluster's resolved policy from belay.yaml, for a run of `campaign` where it is given. Fails with `Configuration` for an unknown cluster. */
  loadPolicy(input: Target & { campaign?: string }): Promise<UpgradePolicy>;
  /** Inspect, plan, hash. Reads only. `shown`: a plan that was just made for the same question holds for the run that starts from it. */
  makePlan(input: Target & { target: string; strategy?: NodeStrategy; policy: UpgradePolicy; shown?: true }): Promise<PlanResult>;
  /** Which AMI releases may be promoted now (karpenter.promoteFrom), once nodes are to roll to `to`; and the classes for which there is none. Reads only. */
  readPromotion(input: Target & { to: string; policy: UpgradePolicy }): Promise<{ moves: AmiMove[]; unpromoted: Unpromoted[] }>;
}

/* ---------- activities/observe/checks/*.ts ---------- */
export interface CheckReport {
  /** Failed and unknown ones, required before recommended. */
  findings: Finding[];
  passedCount: number;
}

export interface CheckActivities {
  /**
   * Readiness for one hop, as `belay check` judges it, EKS insights refreshed. `later`: the steps that follow; what they deal with is a
   * recommendation. `spared`: budgets of istiods that a later step gives a second replica. `moving`: add-ons that `add-ons-bridge` moves before this
   * control plane. `switching`: NodePools that a later step points at another node class. Heartbeats. Findings: failed, unknown and waived ones, plus
   * the count of passes.
   */
  runPreChecks(
    input: Target &
      Waiting & {
        from: string;
        to: string;
        policy: UpgradePolicy;
        later?: StepId[];
        spared?: string[];
        moving?: string[];
        switching?: string[];
      },
  ): Promise<CheckReport>;
  /** After the control plane moved: DescribeCluster and /version agree over several connections, /readyz, add-ons, nodes Ready, freeze holds. */
  verifyControlPlane(input: Target & Waiting & { to: string }): Promise<CheckReport>;
  /**
   * The whole cluster at the target. `back`: after a way back, where nodes may be older and stay held. `skipped`: what people left as it is; findings
   * that are about nothing else are accepted.
   */
  validateCluster(input: Target & Waiting & { to: string; policy: UpgradePolicy; back?: true; skipped?: Skipped[] }): Promise<CheckReport>;
  /** EKS's own Date, ISO 8601: what `notBefore` is compared with (times from outside are compared with that server's clock). */
  readClock(input: Target): Promise<{ eks: string }>;
  /** Minors of the control plane and of its nodes' kubelets. */
  readSkew(input: Target): Promise<SkewSeen>;
  /** A node group at `to`, its nodes' kubelets too. */
  verifyNodeGroup(input: Target & Waiting & { nodeGroup: string; to: string }): Promise<{ findings: Finding[]; issues?: HealthIssue[] }>;
}

/* ---------- activities/run/planning/plan-rollback.ts ---------- */
export interface RollbackPlanActivities {
  /** The way back to the minor that the control plane came from, or, with `undo`, that of one step of the last run: refused with every reason, or planned. Reads only. */
  planRollback(input: Target & { policy: UpgradePolicy; undo?: string }): Promise<PlanResult>;
  /** Every step of the last run that Belay knows how to undo, and why not now where it cannot. Reads only. */
  listUndo(input: Target & { policy: UpgradePolicy }): Promise<{ options: UndoOption[] }>;
  /**
   * Whether the control plane can go back to `to` now, EKS insights refreshed. `later`: the steps that follow; what they bring in order does not
   * stand in the way. Heartbeats.
   */
  checkWayBack(input: Target & Waiting & { to: string; policy: UpgradePolicy; later?: StepId[] }): Promise<CheckReport>;
  /**
   * What going back needs to know of the cluster before anything is changed, written beside the records: bounded, secrets left out. `leftOut`: the
   * first few of what is not in it. Reads the cluster only. Heartbeats. `again`: the run has waited since and has changed nothing yet, so a new one replaces
   * its first; else that one stays.
   */
  captureRollbackPoint(
    input: Target & { run: { runId: string; startedAt: string }; policy: UpgradePolicy; again?: true },
  ): Promise<{ location: string; leftOut: string[]; leftOutCount: number }>;
}

/* ---------- activities/run/planning/leftovers.ts ---------- */
export interface LeftoverActivities {
  /** What stands on the cluster's objects for the sake of a run, whichever it was. Reads only; what cannot be read is in `unseen`. */
  findLeftovers(input: Target): Promise<{
    leftovers: Leftover[];
    unseen: Unseen[];
    /** Of what the last run that changed something has changed in the cluster: does it stand in code, too? Absent: it has changed nothing of the kind. */
    merges?: MergeFinding[];
  }>;
  /** Does what a run has changed in the cluster stand in code, too? One finding of each that can be looked at; what cannot be read is unknown. Reads only. */
  lookAtMerges(input: Target & { changed: MergeQuestion[] }): Promise<{ merges: MergeFinding[] }>;
}

/* ---------- activities/observe/readiness/index.ts ---------- */
export interface ReadinessActivities {
  /**
   * Reads everything that the catalogue's checks look at, judges it, and attaches the whole report to the thread, best effort. The result is
   * bounded; `change` is against `before`. Heartbeats. Fails only where the cluster itself cannot be described.
   */
  checkReadiness(
    input: Target & { target: string; policy: UpgradePolicy; thread?: MessageRef; before?: ReadinessSummary },
  ): Promise<CheckResult>;
}

/* ---------- activities/run/planning/fleet-versions.ts ---------- */
export interface VersionActivities {
  /** The control planes' versions in the order asked, and what EKS offers. Never fails because of one cluster: what cannot be read says why. */
  readVersions(input: { clusters: ClusterRef[] }): Promise<FleetVersions>;
}

/* ---------- activities/kubernetes/objects/scale-workloads.ts ---------- */
export interface WorkloadActivities {
  /** Sets replicas to `from + 1` with a before-image annotation; a workload already scaled by us is left alone. Waits until the new pod is Ready. Heartbeats. */
  scaleByOne(
    input: Target & Waiting & { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string },
  ): Promise<{ before: number; after: number; ready: boolean }>;
  /** Back to the before-image. `changedByOthers`: replicas are neither ours nor the original, left alone. */
  scaleBack(
    input: Target & { kind: 'Deployment' | 'StatefulSet'; namespace: string; name: string },
  ): Promise<{ restored: boolean; changedByOthers: boolean }>;
  /** The node takes no new pods, with a mark that Belay said so; one that is cordoned already is left alone, one that is gone is fine. Undone by uncordonNode. */
  cordonNode(input: Target & { node: string }): Promise<void>;
  /** Only where Belay's mark is on it. */
  uncordonNode(input: Target & { node: string }): Promise<void>;
  /** Deletes one pod. `uid`: exactly that pod, never the next one of the same name; a pod that is gone is fine. */
  deletePod(input: Target & { namespace: string; name: string; uid?: string }): Promise<void>;
}

/* ---------- activities/run/people/notify.ts, activities/run/people/deliver.ts, activities/run/people/approvers.ts, activities/run/records/records.ts, activities/run/records/audit.ts ---------- */
export interface PeopleActivities {
  /**
   * Posts or edits in place, in order; answers for each message. Fails, to be tried again as a whole, while Slack is away: what was posted is found
   * by its key. Without Slack (no token, no channel) it returns at once.
   */
  publish(input: PublishManyInput): Promise<Delivery[]>;
  /**
   * Sends events to one receiver beside Slack, in order, and answers for each that it is done with; those that are missing in the answer are for the next
   * call. Fails, to be tried again, only where the first of them could not be sent and may not have arrived.
   */
  deliverEvents(input: DeliverInput): Promise<DeliveredEvent[]>;
  /**
   * May this actor decide, and by which of the rules (absent: all) of the gate's phase? Reads group membership now; fails closed.
   * `formerly`: who asked for the run before it was handed over; four eyes hold for them as well. `escalated`: the gate has waited so long that approvals.escalation may decide as well. `claim`: what is to prove
   * that the actor sent the message: a signature by a key of belay.yaml as it is now, or AWS's word by `people` of the policy; what cannot be verified is a
   * no, and nobody. `as`: a requester, who need not
   * be an approver; somebody who answers despite the rules; or a voter, whose vote the run has taken before and whose right is read again.
   */
  readApprover(
    input: Target & {
      actor: Actor;
      policy: UpgradePolicy;
      requestedBy: Actor;
      formerly?: Actor[];
      phase?: PhaseId;
      escalated?: boolean;
      claim: Claim;
      as?: 'requester' | 'voter' | 'break-glass';
      /** Of votes given with one press: what was read for one of them, after it was pressed, holds for all for a moment. */
      press?: string;
    },
  ): Promise<ApproverRight>;
  /** Writes the run's record; returns where. `forecast`: what its first gate said: the record compares it with what happened. */
  writeRecord(
    input: Target & { report: UpgradeReport; plan?: UpgradePlan; asked?: AskedChange[]; forecast?: QuotedForecast },
  ): Promise<{ location: string }>;
  /**
   * Appends to the run's audit record what is not there yet, and answers with its newest entry. `head`: what the run knows to stand there;
   * `broken`: why the record is not what this run has written, in words. `waiting`: ids of more events that an append which failed may have written.
   * `newerCount`: entries that the run knows nothing of, since Temporal's database was restored; told once. `shared`: the writer is a step that has
   * outlived its run, and what it does not know of was written by others.
   */
  appendAudit(
    input: Target & { runId: string; head: AuditHead; events: AuditEvent[]; waiting?: string[]; shared?: true },
  ): Promise<{ head: AuditHead; broken?: string; newerCount?: number }>;
  /** The same for what was refused before it belonged to a run. `month`: "2026-11". */
  appendRefusals(input: { month: string; runId: string; events: AuditEvent[] }): Promise<{ head: AuditHead; broken?: string }>;
}

export interface BelayActivities
  extends PlanningActivities,
    LeftoverActivities,
    CheckActivities,
    RollbackPlanActivities,
    WindowActivities,
    HealthActivities,
    ClusterStateActivities,
    ReadinessActivities,
    VersionActivities,
    ForecastActivities,
    EksActivities,
    RollbackActivities,
    KarpenterActivities,
    DeliveryActivities,
    SideEffectActivities,
    MigrationActivities,
    WorkloadActivities,
    OtherNodeActivities,
    SelfManagedActivities,
    IstioActivities,
    QueueActivities,
    CampaignActivities,
    ProposalActivities,
    PeopleActivities {}
