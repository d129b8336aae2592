/** What a step has to know, by phase: recorded with the plan. */
import type { Step as MigrationLeg } from '../migration/names.ts';
import type { AutoscalerFact, ManagedBy, NodeClassSwitch } from '../../facts/facts.ts';
import type { FreezeMeans } from '../../policy/freeze-means.ts';
import type { ControlPlaneLog, MoveNodes, NodeWaves } from '../../policy/policy.ts';
import type { AddOnChange, AmiMove, Delivery, GitOpsDelivery, IstioCanary, Unpromoted } from './changes.ts';

export type StepParams =
  /** `spared`: PodDisruptionBudgets of istiods that get a second replica while nodes move. */
  | { phase: 'pre-checks'; from: string; to: string; spared?: string[] }
  /** `at`: the control plane's minor, which stays. */
  | { phase: 'control-plane-logging'; at: string; types: ControlPlaneLog[]; managedBy: ManagedBy }
  /** `legs`: the APIs to go to, one after the other. `to`: the controller at the end. `nodeCount`: nodes of Machines, which have to be replaced. */
  | {
      phase: 'karpenter-migration';
      from: string;
      to: string;
      legs: MigrationLeg[];
      namespace: string;
      deployment: string;
      managedBy: ManagedBy;
      /** Absent: each change of the charts is asked for. */
      delivery?: Delivery;
      nodeCount?: number;
      moveNodes?: MoveNodes;
    }
  | {
      phase: 'karpenter-controller';
      from: string;
      to: string;
      minimum: string;
      namespace: string;
      deployment: string;
      managedBy: ManagedBy;
      /** Absent: the change is asked for, and the Deployment watched. */
      delivery?: Delivery;
      /** NodePool as which one node is launched, and removed, once the new version runs. Absent: none is. */
      canaryPool?: string;
      /** To an older version: the CRDs stay as they are. */
      back?: true;
    }
  /** `judgedBy`: what decides whether a wave is well, beside what runs; an undo is then verified as well. */
  | {
      phase: 'istio';
      canaries: IstioCanary[];
      managedBy: ManagedBy;
      moveBy: 'tag' | 'label';
      judgedBy: 'prometheus' | 'state';
      /** Absent: Helm installs, or what is needed is asked for as a whole. */
      delivery?: GitOpsDelivery;
      /** People may end the bake of a wave early; as in `karpenter-drift`. */
      bakeGate?: true;
    }
  | { phase: 'add-ons-bridge'; changes: AddOnChange[]; managedBy: ManagedBy }
  /** `frozenBefore`: pools that an earlier run had left frozen when the plan was made. `switches`: made under the freeze as soon as it stands. `means` absent: budgets alone. `holds`: node classes that are pinned to the images in use until the roll; the terms are what the owner is asked for, Belay reads its own anew. */
  | {
      phase: 'freeze-drift';
      nodePools: string[];
      frozenBefore?: string[];
      switches?: NodeClassSwitch[];
      means?: FreezeMeans;
      holds?: AmiMove[];
      /** Of a way back from one minor to another: `holds` name the images to pin, and nodes that are not at the control plane's minor keep the freeze. */
      back?: { from: string; to: string };
    }
  | { phase: 'control-plane'; from: string; to: string; managedBy: ManagedBy }
  /** `gate`: people may end it early. */
  | { phase: 'bake'; to: string; bakeMs: number; gate?: true }
  /** `autoscaler`: paused while the groups are moved. */
  | {
      phase: 'node-groups';
      to: string;
      groups: { name: string; from: string; count: number }[];
      managedBy: ManagedBy;
      /** To an older minor, as EKS allows it while the control plane can go back. */
      back?: true;
      autoscaler?: AutoscalerFact;
      /** An istiod with one replica gets a second one meanwhile; as in the steps below. */
      spareIstiod?: boolean;
    }
  /** Each part is there where the cluster has such nodes behind `to`. `namespaces`: those whose pods run on Fargate, as far as is known. */
  | {
      phase: 'other-nodes';
      to: string;
      /** To an older minor, before the control plane: self-managed nodes alone. */
      back?: true;
      fargate?: { podCount: number; namespaces: string[] };
      /** Nodes that Auto Mode replaces by itself; those of `frozenPools` wait for karpenter-drift. */
      autoMode?: { nodeCount: number; frozenPools: string[] };
      /** `groups`: none where they could not be read, or where the nodes are in no Auto Scaling group. */
      selfManaged?: {
        nodeCount: number;
        groups: { name: string; size: number }[];
        /** Belay refreshes the groups that nobody keeps as code; absent: they are asked for. */
        refresh?: { minHealthyPercent: number; autoscaler?: AutoscalerFact; spareIstiod?: boolean };
      };
    }
  /**
   * `heldClasses`: EC2NodeClasses whose AMIs this run or an earlier one has pinned: released before nodes are replaced. `pinnedPools`: pools whose classes
   * choose AMIs by id, name or tag: their nodes are not waited for. `moves`: edits of node classes, before nodes are replaced. `follows`: classes whose
   * images have to be for `to` before that, with their pools.
   */
  | {
      phase: 'karpenter-drift';
      to: string;
      nodePools: string[];
      nodeCount: number;
      paces: string[];
      /** What people may choose from while nodes roll. */
      offeredPaces: string[];
      /** What the roll will meet is read for its gate. */
      forecast?: boolean;
      /** Absent: all nodes at once. */
      waves?: NodeWaves;
      bakeGate?: true;
      spareIstiod?: boolean;
      heldClasses?: string[];
      pinnedPools?: string[];
      moves?: AmiMove[];
      follows?: { nodeClass: string; nodePools: string[] }[];
      /** Classes whose nodes are told by their images, as these may change within a minor; the kubelets of all others are. */
      byImage?: string[];
      /** Classes for which karpenter.promoteFrom has found no baked release: people decide before nodes roll. */
      unpromoted?: Unpromoted[];
      /** To an older minor: the freeze stays until the control plane has followed. */
      back?: true;
    }
  /** Of a way back: `from` is where the control plane is, `to` the minor that it came from. */
  | { phase: 'rollback-checks'; from: string; to: string }
  | { phase: 'add-ons-back'; to: string; changes: AddOnChange[]; managedBy: ManagedBy }
  /**
   * `autoMode`: EKS first takes back so many nodes of its own, for at most `timeoutMinutes`; absent: there is no Auto Mode, or the plan is older.
   * `fargate`: what owns newer pods there is stopped until the control plane is back; `dns`: CoreDNS, too.
   */
  | {
      phase: 'control-plane-back';
      from: string;
      to: string;
      managedBy: ManagedBy;
      autoMode?: { nodeCount: number; timeoutMinutes: number };
      fargate?: { podCount: number; workloadCount: number; dns?: true };
    }
  /** `waitMs`: until Karpenter knows the control plane's version. `own`: classes that this plan has pinned; `moves`: what owners are asked for. */
  | {
      phase: 'node-classes-back';
      to: string;
      waitMs: number;
      own: string[];
      moves: AmiMove[];
      follows: { nodeClass: string; nodePools: string[] }[];
    }
  | { phase: 'add-ons-target'; to: string; changes: AddOnChange[]; managedBy: ManagedBy }
  /** `back`: after a way back nodes may be older than the control plane, and what holds them stays. */
  | { phase: 'validation'; to: string; back?: true };
