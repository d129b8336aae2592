/** Which activities change something, for the audit record: each change with what it was meant to do, its token and its outcome. */
import { type ActivityInterfaceFor, isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../activities/contract.ts';
import type { AuditEvent } from '../domain/audit.ts';
import { messageOf } from '../domain/unknown.ts';

type Effect = 'reads' | 'changes' | 'restores';

/** Complete: an activity that is not told apart here does not compile. `restores`: puts back what the run has changed for its own sake. */
const EFFECTS: Record<keyof BelayActivities, Effect> = {
  addTemplateVersion: 'changes',
  appendAudit: 'reads',
  appendRefusals: 'reads',
  awaitAddOnHealthy: 'reads',
  awaitAmiMoves: 'reads',
  awaitAmis: 'reads',
  awaitAutoscaler: 'reads',
  awaitDelivered: 'reads',
  awaitDeliveredRevision: 'reads',
  awaitFargate: 'reads',
  awaitForeignUpdate: 'reads',
  awaitGateways: 'reads',
  awaitIstioPointers: 'reads',
  awaitIstioRevision: 'reads',
  awaitIstioRevisionGone: 'reads',
  awaitIstiodFree: 'reads',
  awaitKarpenterMigration: 'reads',
  awaitKarpenterVersion: 'reads',
  awaitLogging: 'reads',
  awaitManifests: 'reads',
  awaitNamespaceLabels: 'reads',
  awaitNodeAgent: 'reads',
  awaitNodeClassSwitches: 'reads',
  awaitProxies: 'reads',
  awaitSelfManaged: 'reads',
  awaitSuccessors: 'reads',
  awaitUpdate: 'reads',
  awaitWindow: 'reads',
  checkFreeze: 'reads',
  checkReadiness: 'reads',
  checkRetirement: 'reads',
  createDeliveredRevision: 'changes',
  createSuccessors: 'changes',
  deleteAlphaObjects: 'changes',
  deletePod: 'changes',
  examineGroup: 'reads',
  examineIstioDelivery: 'reads',
  examineKarpenter: 'reads',
  findDeliveredAgent: 'reads',
  findDeliveredRevision: 'reads',
  findLeftovers: 'reads',
  findLoneIstiods: 'reads',
  forecastRoll: 'reads',
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
  judgeOrder: 'reads',
  judgeWindow: 'reads',
  loadPolicy: 'reads',
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
  publish: 'reads',
  raiseIstiod: 'changes',
  readApprover: 'reads',
  readClock: 'reads',
  readFargate: 'reads',
  readGateways: 'reads',
  readKarpenterMigration: 'reads',
  readNodeAgents: 'reads',
  readPromotion: 'reads',
  readSkew: 'reads',
  readVersions: 'reads',
  readWave: 'reads',
  readWaveTraffic: 'reads',
  releaseAmis: 'restores',
  releaseMigrationHold: 'restores',
  releaseNode: 'restores',
  releaseTerminating: 'restores',
  releaseWave: 'changes',
  removeCanaryNode: 'restores',
  removeDeliveredRevision: 'changes',
  removeOldWebhooks: 'changes',
  restartFargate: 'changes',
  restoreBudgets: 'restores',
  resumeAutoscaler: 'restores',
  retireIstioRevision: 'changes',
  rollByHand: 'changes',
  runPreChecks: 'reads',
  scaleBack: 'restores',
  scaleByOne: 'changes',
  setDeliveredVersion: 'changes',
  setDriftPace: 'changes',
  startAddOnUpdate: 'changes',
  startControlPlaneUpdate: 'changes',
  startInstanceRefresh: 'changes',
  startLogging: 'changes',
  startNodeGroupUpdate: 'changes',
  stopInstanceRefresh: 'changes',
  storeAsV1: 'changes',
  switchNodeClasses: 'changes',
  taintProvisioners: 'changes',
  tryCanaryNode: 'changes',
  undoAmiMoves: 'restores',
  undoNodeClassSwitches: 'restores',
  untaintProvisioners: 'restores',
  upgradeKarpenterWithHelm: 'changes',
  upgradeNodeAgent: 'changes',
  validateCluster: 'reads',
  verifyControlPlane: 'reads',
  verifyKarpenter: 'reads',
  verifyNodeGroup: 'reads',
  watchDrift: 'reads',
  // Keeps what freezeDrift has made.
  watchFreeze: 'reads',
  watchInstanceRefresh: 'reads',
  writeRecord: 'reads',
};

export type Proxies = ActivityInterfaceFor<BelayActivities>;

interface Callable {
  executeWithOptions(options: { summary?: string }, args: unknown[]): Promise<unknown>;
}

/** Makes of activities the same ones, each change of which is written down when it has ended. `note` is called once for each. */
export function journaling({
  of,
  note,
}: {
  of: { step: string; round: number };
  note: (event: AuditEvent) => void;
}): (proxies: Proxies) => Proxies {
  let count = 0;
  return (proxies) =>
    new Proxy(proxies, {
      get(target, name) {
        const activity: unknown = Reflect.get(target, name);
        if (!isActivity(name) || EFFECTS[name] === 'reads') return activity;
        const kind = EFFECTS[name] === 'changes' ? 'change' : 'restore';
        const executeWithOptions: Callable['executeWithOptions'] = async (options, args) => {
          count += 1;
          const id = `${of.step}.${of.round}/${name}/${count}`;
          const written = (ending: string, result?: AuditEvent['result']): void => {
            const what = `${options.summary ?? name}${ending}`;
            note({
              id,
              at: new Date().toISOString(),
              kind,
              what,
              step: of.step,
              ...tokenIn(args[0]),
              ...(result === undefined ? {} : { result }),
            });
          };
          try {
            const result = await (activity as Callable).executeWithOptions(options, args);
            written('', smallFacts(result));
            return result;
          } catch (error) {
            const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
            written(isCancellation(error) ? ': cut off, so it may have been done or not' : `: failed, ${messageOf(cause)}`);
            throw error;
          }
        };
        return Object.assign((...args: unknown[]) => executeWithOptions({}, args), { executeWithOptions });
      },
    });
}

function isActivity(name: string | symbol): name is keyof BelayActivities {
  return typeof name === 'string' && name in EFFECTS;
}

function tokenIn(input: unknown): { token?: string } {
  const token = typeof input === 'object' && input !== null ? Reflect.get(input, 'token') : undefined;
  return typeof token === 'string' ? { token } : {};
}

/** Ids, counts and flags; lists as how long they are. */
function smallFacts(result: unknown): AuditEvent['result'] {
  if (typeof result !== 'object' || result === null) return undefined;
  const facts = Object.entries(result).flatMap(([name, value]): [string, string | number | boolean][] => {
    if (typeof value === 'string') return [[name, value.slice(0, 200)]];
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
    return Array.isArray(value) ? [[`${name}Count`, value.length]] : [];
  });
  return facts.length === 0 ? undefined : Object.fromEntries(facts.slice(0, 12));
}
