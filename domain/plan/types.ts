/** The plan: ordered, validated steps that people see before anything runs, and that the workflow interprets as recorded. */
import type {
  AutoscalerFact,
  ClusterRef,
  DeliveredChart,
  GatewayFact,
  ManagedBy,
  Marks,
  NodeAgentFact,
  NodeClassSwitch,
} from '../facts.ts';
import type { Usual } from '../expectations/usual.ts';
import type { Finding } from '../findings.ts';
import type { FreezeMeans } from '../freeze.ts';
import type { TriedCheck } from '../health-checks.ts';
import type { PhaseId, StepId } from '../phases.ts';
import type { Step as MigrationLeg } from '../migrations/karpenter-names.ts';
import type { ControlPlaneLog, MoveNodes, NodeWaves } from '../policy.ts';
import type { PlanOrder } from '../environments.ts';
import type { PlanWindows } from '../windows.ts';

export const NODE_STRATEGIES = ['every-hop', 'once-at-the-end'] as const;
export type NodeStrategy = (typeof NODE_STRATEGIES)[number];

/** What can be undone after a step, how, until when, and what it costs. */
export interface RollbackPoint {
  what: string;
  how: string;
  /** Words, since the clock starts at run time: "7 days after the control plane's update". */
  until: string;
  cost: string;
}

export interface PlannedGate {
  /** The question, e.g. "Move the control plane to 1.32?"; the step's title where absent. */
  title?: string;
  /** One sentence: what will happen when approved. */
  next: string;
  why: string;
}

export interface AddOnChange {
  name: string;
  from: string;
  to: string;
  managed: boolean;
}

/** istio-cni or ztunnel to another minor: in place, node by node, since there is no canary for them. */
export interface NodeAgentChange {
  kind: NodeAgentFact['kind'];
  namespace: string;
  daemonSet: string;
  from: string;
  /** Minor; any patch of it will do. */
  toMinor: string;
}

/** How a gateway comes to the revision of a canary. */
export interface GatewayMove {
  kind: GatewayFact['kind'];
  namespace: string;
  name: string;
  /** Index of its wave in `waves`. */
  wave: number;
  /**
   * relabel: it names the revision itself, and gets the new one; restart: the tag that it follows has moved; follows: namespace or tag move it,
   * it is verified; owner: its template names an image, whoever renders it is asked.
   */
  how: 'relabel' | 'restart' | 'follows' | 'owner';
  /** The tag that it follows, where that is moved. */
  tag?: string;
  /** istiod of the old revision takes its configuration away as soon as it changes hands (istio/istio#59959). */
  drops?: true;
}

/** One canary: install a revision beside the old one, move namespaces in waves, retire the old one. */
export interface IstioCanary {
  fromRevision: string;
  fromVersion: string;
  /** e.g. "1-28" */
  toRevision: string;
  /** Minor, "1.28": any patch of it will do; `toVersion` names the newest known to the planner where known. */
  toMinor: string;
  toVersion?: string;
  /** Tags that point at fromRevision; moved with the first wave where moveBy is tag. */
  tags?: string[];
  /** Namespaces by wave, first wave first. The wave of gateways has those namespaces that hold nothing else; it may have none. */
  waves: string[][];
  /** Absent: none of this revision, or a plan from before they were moved. */
  gateways?: GatewayMove[];
  /** How the old revision goes: after a bake, the defaults moved first, its stray webhooks swept. Absent in plans that were recorded before. */
  retire?: { bakeMs: number };
  /** Before the canary: node agents that are so old that the new istiod would be two minors ahead of them. */
  agentsBefore?: NodeAgentChange[];
  /** After the old revision is retired: node agents follow the oldest istiod that is left. */
  agentsAfter?: NodeAgentChange[];
}

/** How Belay itself brings a new version of a chart: by the helm binary, or through the objects of GitOps, CRDs first. */
export type Delivery = { kind: 'helm' } | { kind: 'gitops'; charts: DeliveredChart[] };

/** Objects of one tool of GitOps that deliver charts, in the order in which they are to be changed. */
export interface GitOpsDelivery {
  kind: DeliveredChart['kind'];
  charts: DeliveredChart[];
}

/** How an EC2NodeClass chooses AMIs, as in its amiSelectorTerms. */
export interface SelectorTerm {
  alias?: string;
  id?: string;
}

/** An edit of an EC2NodeClass whose AMIs do not move by themselves; made under the freeze, once the control plane has moved. */
export interface AmiMove {
  nodeClass: string;
  /** Pools that use it. */
  nodePools: string[];
  /** In words: "al2023@v20250403", "ami-1, ami-2". */
  before: string;
  terms: SelectorTerm[];
  /** Absent: stays as it is. */
  amiFamily?: string;
  why: string;
  /** Who has left marks on the object and is asked for the change; absent: Belay makes it. */
  owner?: Marks;
}

/** A node class for which there is no release to promote, and what it chooses instead. */
export interface Unpromoted {
  nodeClass: string;
  /** In words: "al2023@latest". */
  chooses: string;
  /** `unknown`: it could not be seen. */
  status: 'fail' | 'unknown';
  why: string;
}

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
    }
  /** `judgedBy`: what decides whether a wave is well, beside what runs; an undo is then verified as well. Absent in plans from before. */
  | {
      phase: 'istio';
      canaries: IstioCanary[];
      managedBy: ManagedBy;
      moveBy: 'tag' | 'label';
      judgedBy?: 'prometheus' | 'state';
      /** Absent: Helm installs, or what is needed is asked for as a whole. */
      delivery?: GitOpsDelivery;
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
    }
  | { phase: 'control-plane'; from: string; to: string; managedBy: ManagedBy }
  | { phase: 'bake'; to: string; bakeMs: number }
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
      /** What people may choose from while nodes roll; absent in plans made before they could. */
      offeredPaces?: string[];
      /** What the roll will meet is read for its gate. */
      forecast?: boolean;
      /** Absent: all nodes at once. */
      waves?: NodeWaves;
      spareIstiod?: boolean;
      heldClasses?: string[];
      pinnedPools?: string[];
      moves?: AmiMove[];
      follows?: { nodeClass: string; nodePools: string[] }[];
      /** Classes for which karpenter.promoteFrom has found no baked release: people decide before nodes roll. */
      unpromoted?: Unpromoted[];
    }
  /** Of a way back: `from` is where the control plane is, `to` the minor that it came from. */
  | { phase: 'rollback-checks'; from: string; to: string }
  | { phase: 'add-ons-back'; to: string; changes: AddOnChange[]; managedBy: ManagedBy }
  | { phase: 'control-plane-back'; from: string; to: string; managedBy: ManagedBy }
  | { phase: 'add-ons-target'; to: string; changes: AddOnChange[]; managedBy: ManagedBy }
  /** `back`: after a way back nodes may be older than the control plane, and what holds them stays. */
  | { phase: 'validation'; to: string; back?: true };

export interface PlannedStep {
  id: StepId;
  phase: PhaseId;
  /** The hop's target minor. */
  hop: string;
  title: string;
  /** One sentence: why the step is there. */
  why: string;
  /** A gate before the step; absent: the step starts by itself. */
  gate?: PlannedGate;
  expectedMs: number;
  /** What `expectedMs` was learnt from; absent: nothing was, or belay.yaml says how long it takes. */
  usual?: Usual;
  rollback: RollbackPoint;
  params: StepParams;
}

export interface StrategyCost {
  strategy: NodeStrategy;
  possible: boolean;
  /** Rule and reason where it is not possible. */
  why?: string;
  nodeReplacementCount: number;
  hopCount: number;
}

export interface UpgradePlan {
  cluster: ClusterRef;
  /** Absent: an upgrade. */
  kind?: 'back';
  from: string;
  to: string;
  /** Minors after each hop: ["1.33", "1.34"]. */
  hops: string[];
  strategy: NodeStrategy;
  strategies: StrategyCost[];
  steps: PlannedStep[];
  /** Not blocking, but people should know: EOL versions on the path, unknowns, add-ons EKS does not manage. */
  findings: Finding[];
  expectedMs: number;
  /** Why nothing could be learnt from earlier upgrades. */
  unlearnt?: string;
  /** Hash over everything above but what is only expected (`expectedMs`, `usual`, `unlearnt`): an approval is for this plan only. */
  hash: string;
}

/** A constraint that the plan would break. */
export interface RuleViolation {
  /** Name of the rule, e.g. `karpenter-supports-both-minors`. */
  rule: string;
  message: string;
  remedy: string;
}

/** `windows`, `order`, `health`: absent where none are configured. */
export type PlanResult =
  | { kind: 'plan'; plan: UpgradePlan; windows?: PlanWindows; order?: PlanOrder; health?: TriedCheck[] }
  | { kind: 'refused'; violations: RuleViolation[] };
