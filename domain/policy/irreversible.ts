/**
 * What stands before a change that nobody can take back: looks that are made in the same activity, right before the first request that changes something.
 * Account, role and the cluster's own identity are proved before every change, so they are not listed.
 */
import type { FreezeMeans } from './freeze-means.ts';
import type { PhaseId } from '../core/phases.ts';

/** `freeze`: every NodePool at 0, or those that the plan has frozen, put back where others reverted it. `exclusion`: none has begun. `alerts`: none fires that stops the step. */
export type Look = 'freeze' | 'exclusion' | 'alerts';

/** What the looks need to know: small, since it travels with each input. A look that has nothing here is not made. */
export interface Protection {
  freeze?: { guard: string; reasons: string[]; means?: FreezeMeans; onlyPools?: string[] };
  /** The phase that exclusions must not stop. Absent where there are no windows, or people went on outside of them. */
  exclusion?: PhaseId;
  /** Names of alerts that stop nothing. Absent where alerts stop nothing at all, or people went on although they fire. */
  alerts?: { ignore: string[] };
}

/**
 * Every activity that changes something, by name: 'undone' where the run or `belay reconcile` puts back what it did, exactly; otherwise the looks. A new
 * one that is not here does not compile (workflows/runtime/activity-effects).
 */
export const REVERSAL = {
  // EKS takes a control plane back within days, a node group or an add-on by an update of its own: what ran meanwhile is not undone.
  startControlPlaneUpdate: ['freeze', 'exclusion', 'alerts'],
  startNodeGroupUpdate: ['freeze', 'exclusion', 'alerts'],
  startAddOnUpdate: ['freeze', 'exclusion'],
  startInstanceRefresh: ['exclusion', 'alerts'],
  cancelRollback: [],
  // A run of its own, with gates and looks of its own; an abort ends it.
  startMember: [],
  startLogging: ['exclusion'],
  addTemplateVersion: [],
  stopInstanceRefresh: [],
  // Karpenter's own objects and controller.
  deleteAlphaObjects: ['exclusion'],
  createNewObjects: ['exclusion'],
  moveKubelets: ['exclusion'],
  removeOldWebhooks: ['exclusion'],
  storeAsV1: ['exclusion'],
  upgradeKarpenterWithHelm: ['exclusion'],
  setDeliveredVersion: ['exclusion'],
  // Pods and nodes of others. Those who choose Delete the pod do it while nodes roll: the freeze is at a pace then.
  deletePod: ['exclusion', 'alerts'],
  restartFargate: ['exclusion', 'alerts'],
  rollByHand: ['exclusion'],
  releaseWave: ['exclusion', 'alerts'],
  // Istio.
  retireIstioRevision: ['exclusion', 'alerts'],
  removeDeliveredRevision: ['exclusion', 'alerts'],
  installIstioRevision: ['exclusion'],
  createDeliveredRevision: ['exclusion'],
  upgradeNodeAgent: ['exclusion'],
  // Taken back by the run, by its guard, or by `belay reconcile`.
  cordonNode: 'undone',
  freezeDrift: 'undone',
  setDriftPace: 'undone',
  holdAmis: 'undone',
  holdForMigration: 'undone',
  holdNode: 'undone',
  holdTerminating: 'undone',
  holdWaves: 'undone',
  moveAmis: 'undone',
  moveDefaults: 'undone',
  moveGateways: 'undone',
  moveNamespaces: 'undone',
  moveTag: 'undone',
  pauseAutoscaler: 'undone',
  raiseIstiod: 'undone',
  scaleByOne: 'undone',
  stopFargate: 'undone',
  switchNodeClasses: 'undone',
  taintProvisioners: 'undone',
  tryCanaryNode: 'undone',
} as const satisfies Record<string, 'undone' | readonly Look[]>;

/** Looks before this activity changes anything; none where it can be undone, or changes nothing. */
export function looksBefore(activity: string): readonly Look[] {
  if (!Object.hasOwn(REVERSAL, activity)) return [];
  const looks = REVERSAL[activity as keyof typeof REVERSAL];
  return looks === 'undone' ? [] : looks;
}
