/** Tells from the outside which phase is at work: by the first mutation of its kind that a stand-in accepted. */
import { ALL_PHASES, type PhaseId } from '../../domain/core/phases.ts';
import type { Mutation } from '../world/journal.ts';
import { BACK_MOMENTS, type BackMoment, BackObserver } from './back-observer.ts';

/** Phases that show themselves by a mutation; the others only read. */
export const OBSERVABLE_PHASES = [
  'control-plane-logging',
  'karpenter-migration',
  'karpenter-controller',
  'istio',
  'add-ons-bridge',
  'freeze-drift',
  'control-plane',
  'node-groups',
  'other-nodes',
  'karpenter-drift',
  'add-ons-target',
  ...BACK_MOMENTS,
] as const satisfies readonly (PhaseId | BackMoment)[];

export type ObservablePhase = (typeof OBSERVABLE_PHASES)[number];

export const isPhase = (name: string): boolean => ALL_PHASES.some((phase) => phase === name) || isObservable(name);
export const isObservable = (name: string): name is ObservablePhase => OBSERVABLE_PHASES.some((phase) => phase === name);

export class PhaseObserver {
  #controlPlaneMoved = false;
  #paced = false;
  #migrating = false;
  readonly #back = new BackObserver();

  /** The phase that an accepted mutation belongs to; undefined where it does not tell. */
  observe(mutation: Mutation): ObservablePhase | undefined {
    if (!mutation.accepted) return undefined;
    const back = this.#back.observe(mutation);
    if (back !== undefined) return back;
    const phase = mutation.api === 'eks' ? this.#ofEks(mutation) : mutation.api === 'kubernetes' ? this.#ofKubernetes(mutation) : undefined;
    if (phase === 'control-plane') this.#controlPlaneMoved = true;
    if (phase === 'karpenter-drift') this.#paced = true;
    return phase;
  }

  #ofEks({ operation, resource }: Mutation): ObservablePhase | undefined {
    switch (operation) {
      case 'UpdateClusterConfig':
        return 'control-plane-logging';
      case 'UpdateClusterVersion':
        return 'control-plane';
      case 'UpdateNodegroupVersion':
        return 'node-groups';
      case 'CreateLaunchTemplateVersion':
      case 'PutLifecycleHook':
      case 'StartInstanceRefresh':
        return 'other-nodes';
      case 'UpdateAddon':
        // kube-proxy follows the control plane and is never bridged.
        return this.#controlPlaneMoved || resource.includes('kube-proxy') ? 'add-ons-target' : 'add-ons-bridge';
      default:
        return undefined;
    }
  }

  #ofKubernetes(mutation: Mutation): ObservablePhase | undefined {
    if (beginsMigration(mutation)) this.#migrating = true;
    const phase = this.#byOperation(mutation);
    // What a migration does looks like what comes after it, until a freeze of another step begins.
    if (!this.#migrating) return phase;
    this.#migrating =
      !JSON.stringify(mutation.detail ?? {}).includes('freeze-drift@') && !(phase !== undefined && ELSEWHERE.includes(phase));
    return this.#migrating && MIGRATES.test(mutation.operation) ? 'karpenter-migration' : phase;
  }

  #byOperation({ operation, resource }: Mutation): ObservablePhase | undefined {
    switch (operation) {
      case 'create nodepools':
      case 'create ec2nodeclasses':
      case 'patch provisioners':
      case 'delete provisioners':
      case 'delete awsnodetemplates':
        return 'karpenter-migration';
      // A canary node.
      case 'create nodeclaims':
      case 'delete nodeclaims':
        return 'karpenter-controller';
      case 'create secrets':
        // Helm begins with its record: it is pending from now on.
        return resource.includes('sh.helm.release.v1.karpenter') ? 'karpenter-controller' : undefined;
      case 'patch helmreleases':
      case 'patch applications':
        return resource.includes('istio') ? 'istio' : 'karpenter-controller';
      case 'create helmreleases':
      case 'create applications':
      case 'delete helmreleases':
      case 'delete applications':
        // Objects of GitOps come and go with Istio's revisions only.
        return 'istio';
      // Drift is frozen, and paced, on node pools or on their nodes.
      case 'patch nodepools':
      case 'patch nodes':
        return this.#controlPlaneMoved ? 'karpenter-drift' : 'freeze-drift';
      case 'patch deployments':
      case 'patch statefulsets':
        if (resource.includes('cluster-autoscaler')) return 'node-groups';
        // A second one, around whichever nodes move.
        if (resource.includes('/istiod')) return undefined;
        // Restarts: those of a mesh come before the control plane moves, what is done about blocked nodes after the first pace.
        return this.#controlPlaneMoved && !this.#paced ? 'other-nodes' : undefined;
      case 'patch namespaces':
      case 'patch mutatingwebhookconfigurations':
        return 'istio';
      default:
        return undefined;
    }
  }
}

/** What the steps of a migration write. */
const MIGRATES =
  /^(?:create secrets|patch (?:helmreleases|applications|nodes|nodepools|nodeclaims|ec2nodeclasses|provisioners|customresourcedefinitions\/status)|create (?:nodepools|ec2nodeclasses)|delete (?:provisioners|awsnodetemplates|mutatingwebhookconfigurations|validatingwebhookconfigurations))$/;
/** Phases that are no part of it. */
const ELSEWHERE: readonly ObservablePhase[] = ['control-plane', 'istio', 'add-ons-bridge'];

/** Its freeze names the step; from v1alpha5 on, objects of either API are made or marked; the webhooks of 0.3x go. */
function beginsMigration({ operation, resource, detail = {} }: Mutation): boolean {
  if (/^delete (?:mutating|validating)webhookconfigurations$/.test(operation) && resource.includes('karpenter')) return true;
  if (/^(?:create (?:nodepools|ec2nodeclasses)|(?:patch|delete) (?:provisioners|awsnodetemplates))$/.test(operation)) return true;
  return /^patch node(?:s|pools)$/.test(operation) && JSON.stringify(detail).includes('karpenter-migration@');
}
