/** What workflows may ask about the way of Karpenter's objects to a newer API. */
import type { MigrationStep, MigrationStepId } from '../../domain/plan/migration/checklist.ts';
import type { Step } from '../../domain/plan/migration/names.ts';
import type { Target, Waiting } from './target.ts';

/** Do the policies of Karpenter's role allow what an API does? Lines begin with FAILED or UNKNOWN where they do not, or nobody knows. */
export interface RoleVerdict {
  granted: 'yes' | 'no' | 'unknown';
  lines: string[];
}

/** Where a cluster is on its way. Texts are short, lists hold the first few. */
export interface MigrationLook {
  /** The controller's version by its image; absent: it could not be read. */
  controller?: string;
  steps: MigrationStep[];
  /** Karpenter's objects that somebody else delivers and that would be written otherwise: "NodePool default (flux)". */
  delivered: string[];
  /** Workloads that use names which the newer API does not know: "Deployment shop/cart". */
  workloads: string[];
  /** What only the owners of the objects can decide. */
  questions: string[];
  /** What could not be read, and the missing right. */
  unknowns: string[];
  claimCount: number;
  /** NodeClaims that Karpenter wants to replace because they differ from what it would launch. */
  driftedCount: number;
  /** NodeClaims whose nodeClassRef has no group or kind: 1.1 and newer do not manage them. */
  incomplete: string[];
  /** By the role's policies, for the API of the step; absent: nobody looked. */
  iam?: RoleVerdict;
}

/** Nodes that 1.0 drains by force because they have lived longer than expireAfter. */
export interface Expiry {
  pastCount: number;
  /** Expire within the time that was asked for. */
  soonCount: number;
  /** By NodePool: "default: 2 of 5 nodes are past expireAfter 720h". */
  lines: string[];
  /** For the API v1; absent: nobody looked. */
  iam?: RoleVerdict;
}

export interface KubeletMove {
  /** NodePools whose kubelet settings stand in their EC2NodeClass now, and the annotation is gone. */
  moved: string[];
  /** Classes that somebody else delivers, with the settings to write: "EC2NodeClass default (flux): {…}". */
  asked: string[];
  /** NodePools of which only their owners can say how: "NodePool a: …". */
  refused: string[];
  /** Objects that somebody still writes as v1beta1: "NodePool default (Flux writes it as karpenter.sh/v1beta1)". */
  old: string[];
}

export interface NewObjects {
  created: string[];
  /** Those whose old object somebody else delivers: "NodePool default (Flux has Provisioner default)". */
  asked: string[];
  /** Those that only their owners can write, each with the question. */
  refused: string[];
}

export interface MigrationActivities {
  /** Reads only. Heartbeats. */
  readKarpenterMigration(input: Target & { step: Step }): Promise<MigrationLook>;
  /** Loops until the line of the list is done, or for `timeoutMs`. `orBroken`: broken will do, as where a webhook is named that comes next. Heartbeats. */
  awaitKarpenterMigration(
    input: Target & Waiting & { step: Step; until: MigrationStepId; timeoutMs: number; orBroken?: boolean },
  ): Promise<{ timedOut: boolean; state: MigrationStep['state']; seen: string; fix?: string }>;
  /** Which nodes 1.0 would drain by force, now and within `withinMs`, and whether the role has its policy. */
  foreseeExpiry(input: Target & { withinMs: number }): Promise<Expiry>;
  /**
   * Drift is frozen: a budget of 0 on every NodePool, in the API version that is stored, with the before-image of freezeDrift. `byNode`: pools that
   * somebody keeps as in Git, or whose API has no budgets: their nodes carry do-not-disrupt instead. What others have frozen already is left alone.
   */
  holdForMigration(input: Target & { guard: string }): Promise<{ byBudget: string[]; byNode: string[] }>;
  /** Budgets and nodes exactly as before, of those that `guard` holds. */
  releaseMigrationHold(
    input: Target & { guard: string },
  ): Promise<{ restored: string[]; changedByOthers: string[]; failed: { pool: string; why: string }[] }>;
  /** Deletes admission webhooks by names that only 0.32 to 0.37 serve, once 1.0 runs. `kept`: those that somebody owns, with the owner. */
  removeOldWebhooks(input: Target): Promise<{ removed: string[]; kept: string[] }>;
  /** Moves kubelet settings from the annotation to the EC2NodeClass, and takes the annotation away only where the class has the same. Idempotent. */
  moveKubelets(input: Target): Promise<KubeletMove>;
  /** Repeats moveKubelets until nothing is left, and nobody writes v1beta1. Heartbeats. */
  awaitManifests(input: Target & Waiting): Promise<{ left: string[] }>;
  /** Creates a NodePool for each Provisioner and an EC2NodeClass for each AWSNodeTemplate, of the same name; those that are there are left alone. */
  createNewObjects(input: Target): Promise<NewObjects>;
  /** Repeats createNewObjects until nothing is left. Heartbeats. */
  awaitNewObjects(input: Target & Waiting): Promise<{ left: string[] }>;
  /** The taint karpenter.sh/legacy on every Provisioner. `delivered`: those that somebody may put back. Undone by untaintProvisioners. */
  taintProvisioners(input: Target): Promise<{ tainted: string[]; delivered: string[] }>;
  /** Takes our taint away from the Provisioners that are left. */
  untaintProvisioners(input: Target): Promise<{ untainted: string[] }>;
  /**
   * Provisioners and AWSNodeTemplates. `cascade`: the Provisioners alone, with their Machines and nodes; else InvalidRequest while there are Machines.
   * `asked`: those that somebody else delivers, and would make again.
   */
  deleteAlphaObjects(input: Target & { cascade: boolean }): Promise<{ deleted: string[]; asked: string[] }>;
  /** Writes every object anew, so that it is stored as v1, and then says so in the CRDs' status.storedVersions. Heartbeats. */
  storeAsV1(input: Target): Promise<{ rewritten: number }>;
}
