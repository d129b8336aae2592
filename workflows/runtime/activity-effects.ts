/** Which activities change something: for the audit record, and for the role that a worker gives them. Types only are imported: workers read this, too. */
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { type Look, REVERSAL } from '../../domain/policy/irreversible.ts';

type Effect = 'reads' | 'changes' | 'keeps' | 'restores';

/**
 * Complete: an activity that is not told apart here does not compile. `keeps`: goes on with what another one has changed, and is not written down by
 * itself. `restores`: puts back what the run has changed for its own sake.
 */
export const EFFECTS = {
  addTemplateVersion: 'changes',
  appendAudit: 'reads',
  appendRefusals: 'reads',
  awaitAddOnHealthy: 'reads',
  awaitAmiMoves: 'reads',
  awaitAmis: 'reads',
  awaitAutoscaler: 'reads',
  awaitDelivered: 'reads',
  awaitDeliveredRevision: 'reads',
  awaitUnrequestedRollback: 'reads',
  awaitFargate: 'reads',
  // Takes the marks off what is Ready again.
  awaitFargateStarted: 'keeps',
  awaitFargateStopped: 'reads',
  awaitForeignUpdate: 'reads',
  awaitGateways: 'reads',
  awaitIstioPointers: 'reads',
  awaitIstioRevision: 'reads',
  // Sweeps away what nobody owns of it, and the marks of a way back to it.
  awaitIstioRevisionGone: 'keeps',
  awaitIstiodFree: 'reads',
  awaitKarpenterMigration: 'reads',
  awaitKarpenterVersion: 'reads',
  awaitLogging: 'reads',
  awaitManifests: 'reads',
  awaitNamespaceLabels: 'reads',
  awaitNodeAgent: 'reads',
  awaitNodeClassSwitches: 'reads',
  awaitProxies: 'reads',
  awaitQuiet: 'reads',
  awaitSelfManaged: 'reads',
  awaitNewObjects: 'reads',
  awaitUpdate: 'reads',
  awaitWindow: 'reads',
  cancelRollback: 'changes',
  captureRollbackPoint: 'reads',
  checkFreeze: 'reads',
  checkReadiness: 'reads',
  checkRetirement: 'reads',
  checkWayBack: 'reads',
  cordonNode: 'changes',
  createDeliveredRevision: 'changes',
  createNewObjects: 'changes',
  deleteAlphaObjects: 'changes',
  deletePod: 'changes',
  deliverEvents: 'reads',
  describeProposal: 'reads',
  examineGroup: 'reads',
  examineMember: 'reads',
  examineWayBack: 'reads',
  examineIstioDelivery: 'reads',
  examineKarpenter: 'reads',
  findDeliveredAgent: 'reads',
  findDeliveredRevision: 'reads',
  findOpenRun: 'reads',
  findRing: 'reads',
  findUnrequestedRollback: 'reads',
  findFrozen: 'reads',
  findLeftovers: 'reads',
  findLoneIstiods: 'reads',
  forecastRoll: 'reads',
  forecastUpgrade: 'reads',
  foreseeExpiry: 'reads',
  forgetAmiMoves: 'restores',
  forgetNodeClassSwitches: 'restores',
  forgetWaves: 'restores',
  freezeDrift: 'changes',
  holdAmis: 'changes',
  holdForMigration: 'changes',
  holdNode: 'changes',
  holdTerminating: 'changes',
  holdWaves: 'changes',
  installIstioRevision: 'changes',
  judgeAlerts: 'reads',
  judgeOrder: 'reads',
  judgeProposals: 'reads',
  judgeStart: 'reads',
  judgeWindow: 'reads',
  listUndo: 'reads',
  loadCampaign: 'reads',
  loadPolicy: 'reads',
  loadProposals: 'reads',
  lookAtArrived: 'reads',
  lookAtMembers: 'reads',
  lookAtMerges: 'reads',
  lookAtSideEffects: 'reads',
  lowerIstiod: 'restores',
  makePlan: 'reads',
  moveAmis: 'changes',
  moveBack: 'restores',
  moveDefaults: 'changes',
  moveGateways: 'changes',
  moveKubelets: 'changes',
  moveNamespaces: 'changes',
  moveTag: 'changes',
  pauseAutoscaler: 'changes',
  planCampaign: 'reads',
  planRollback: 'reads',
  publish: 'reads',
  raiseIstiod: 'changes',
  readApprover: 'reads',
  readClock: 'reads',
  readFargate: 'reads',
  readFargateBack: 'reads',
  readFleet: 'reads',
  readGateways: 'reads',
  readKarpenterMigration: 'reads',
  readNodeAgents: 'reads',
  readPromotion: 'reads',
  readRollbackWindow: 'reads',
  readSkew: 'reads',
  readSoakHealth: 'reads',
  readVersions: 'reads',
  readWave: 'reads',
  readWaysBack: 'reads',
  readWaveTraffic: 'reads',
  releaseAmis: 'restores',
  releaseMigrationHold: 'restores',
  releaseNode: 'restores',
  releaseTerminating: 'restores',
  releaseWave: 'changes',
  releaseWaves: 'restores',
  removeCanaryNode: 'restores',
  removeDeliveredRevision: 'changes',
  removeOldWebhooks: 'changes',
  restartFargate: 'changes',
  restoreBudgets: 'restores',
  resumeAutoscaler: 'restores',
  retireIstioRevision: 'changes',
  rollBackByHand: 'restores',
  rollByHand: 'changes',
  runPreChecks: 'reads',
  scaleBack: 'restores',
  scaleByOne: 'changes',
  setDeliveredVersion: 'changes',
  setDriftPace: 'changes',
  startAddOnUpdate: 'changes',
  startControlPlaneUpdate: 'changes',
  startFargate: 'restores',
  startInstanceRefresh: 'changes',
  startLogging: 'changes',
  // Begins a run, which makes its own looks before each change.
  startMember: 'changes',
  startNodeGroupUpdate: 'changes',
  stopFargate: 'changes',
  stopInstanceRefresh: 'changes',
  storeAsV1: 'changes',
  switchNodeClasses: 'changes',
  taintProvisioners: 'changes',
  tryCanaryNode: 'changes',
  uncordonNode: 'restores',
  undoAmiMoves: 'restores',
  undoNodeClassSwitches: 'restores',
  untaintProvisioners: 'restores',
  upgradeKarpenterWithHelm: 'changes',
  upgradeNodeAgent: 'changes',
  validateCluster: 'reads',
  verifyControlPlane: 'reads',
  verifyKarpenter: 'reads',
  verifyNodeGroup: 'reads',
  watchCluster: 'reads',
  watchDrift: 'reads',
  // What freezeDrift has made, where somebody reverts it.
  watchFreeze: 'keeps',
  watchHealth: 'reads',
  // Drains the nodes that the refresh replaces.
  watchInstanceRefresh: 'keeps',
  watchNodesBack: 'reads',
  watchQueue: 'reads',
  writeRecord: 'reads',
} as const satisfies Record<keyof BelayActivities, Effect>;

type WithEffect<E extends Effect> = {
  [Name in keyof typeof EFFECTS]: (typeof EFFECTS)[Name] extends E ? Name : never;
}[keyof typeof EFFECTS];

/** Those that change nothing. */
export type Reading = WithEffect<'reads'>;

type Changing = WithEffect<'changes'>;

/** Complete, too: what changes something says whether it can be undone, and what is looked at first where it cannot. */
export const REVERSALS: Readonly<Record<Changing, 'undone' | readonly Look[]>> = REVERSAL;

/** True for activities that may change a cluster. False for all that Belay does not know. */
export function writes(activityType: string): boolean {
  return Object.hasOwn(EFFECTS, activityType) && EFFECTS[activityType as keyof BelayActivities] !== 'reads';
}

/** They end what is under way: where they waited for anything, it would go on. */
const ENDING: readonly string[] = ['cancelRollback', 'stopInstanceRefresh'] satisfies (keyof BelayActivities)[];

/** True for those that begin something new: not for what ends, keeps, or puts back, what a run has changed before. */
export function begins(activityType: string): boolean {
  return (
    Object.hasOwn(EFFECTS, activityType) && EFFECTS[activityType as keyof BelayActivities] === 'changes' && !ENDING.includes(activityType)
  );
}
