/**
 * One Upgrade, applied: a run is started, or the one that goes on is adopted, or nothing is done and it says why. Temporal decides the race of two
 * that start at once, so no look before replaces the start itself. What people have stopped is not asked for again by a pipeline.
 */
import { compareKubernetesVersions, tryKubernetesVersion } from '../../domain/core/version.ts';
import type { PlanResult, RuleViolation } from '../../domain/plan/model/types.ts';
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import type { UpgradeRequest } from '../../domain/policy/config/upgrade-file.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { actorName } from '../../domain/gates/actor.ts';
import { defined } from '../../domain/core/defined.ts';
import { type StatusAnswer, type Upgrades, UpgradesError } from '../../client/calls/contract.ts';
import {
  applyAdopted,
  applyStarted,
  applyThere,
  applyWouldStart,
  endedBefore,
  noPlanTo,
  otherRun,
  runUnread,
  wentBackBefore,
} from '../messages/apply.ts';
import type { Sender } from './context.ts';

export type ApplyUpgrades = Pick<Upgrades, 'start' | 'plan' | 'status' | 'list' | 'versions'>;

interface Run {
  workflowId: string;
  runId: string;
}

/** `message`: what came of it, for people. */
export type Applied = { message: string } & (
  | ({ kind: 'started'; planned: Extract<PlanResult, { kind: 'plan' }> } & Run)
  | ({ kind: 'adopted' } & Run)
  | { kind: 'there' }
  | { kind: 'would-start'; planned: Extract<PlanResult, { kind: 'plan' }> }
  | ({ kind: 'would-adopt' } & Run)
  | { kind: 'refused'; violations: RuleViolation[] }
);

export interface ApplyOptions {
  /** Only says what would be done. */
  dryRun?: boolean;
  /** Starts also what ended otherwise than well before. */
  again?: boolean;
}

/** Rejects with UpgradesError where it could not be found out. */
export async function applyUpgrade(
  upgrades: ApplyUpgrades,
  request: UpgradeRequest,
  sender: Sender,
  { dryRun = false, again = false }: ApplyOptions,
): Promise<Applied> {
  const { cluster, target, strategy } = request;
  const last = await lastRun(upgrades, cluster);
  if (last !== undefined && last.endedAt !== undefined && !again) {
    const why = whyNotAgain(last, request);
    if (why !== undefined) return { kind: 'refused', message: why, violations: [] };
  }
  const asked = { cluster, target, requestedBy: sender.actor, ...defined({ strategy }) };
  if (dryRun) {
    const open = await openRun(upgrades, last);
    if (open !== undefined) return adopt(open, request, 'would-adopt');
    const planned = await upgrades.plan(asked);
    if (planned.kind === 'refused') return await noPlanFor(upgrades, request, planned.violations);
    return { kind: 'would-start', message: applyWouldStart(cluster, target), planned };
  }
  try {
    const { workflowId, runId, ...planned } = await upgrades.start({ ...asked, ...defined({ prove: sender.prove }) });
    return { kind: 'started', message: applyStarted(cluster, target), workflowId, runId, planned: { ...planned, kind: 'plan' } };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    if (error.code === 'already-running') return await adoptRunning(upgrades, request);
    if (error.code !== 'refused') throw error;
    if (error.violations.length > 0) return await noPlanFor(upgrades, request, error.violations);
    return { kind: 'refused', message: error.message, violations: [] };
  }
}

/** undefined: Temporal knows none. Throws where only Temporal answers: whether a run is the one that is wanted is not known then. */
async function lastRun(upgrades: ApplyUpgrades, cluster: string): Promise<UpgradeStatus | undefined> {
  let answer: StatusAnswer;
  try {
    answer = await upgrades.status(cluster);
  } catch (error) {
    if (error instanceof UpgradesError && error.code === 'not-running') return undefined;
    throw error;
  }
  if (answer.source === 'workflow') return answer.status;
  throw new UpgradesError('no-worker', runUnread(cluster, answer.why));
}

async function adoptRunning(upgrades: ApplyUpgrades, request: UpgradeRequest): Promise<Applied> {
  const status = await lastRun(upgrades, request.cluster);
  if (status === undefined) throw new UpgradesError('failed', runUnread(request.cluster, 'Its run has just ended; apply again.'));
  return adopt(status, request, 'adopted');
}

function adopt(status: UpgradeStatus, { cluster, target }: UpgradeRequest, kind: 'adopted' | 'would-adopt'): Applied {
  const { workflowId, runId, to } = status;
  if (to !== target || status.undoes !== undefined || isBack(status))
    return { kind: 'refused', message: otherRun(cluster, target, runWay(status)), violations: [] };
  return { kind, message: applyAdopted(cluster, target, actorName(status.requestedBy)), workflowId, runId };
}

/** A run that was terminated never says that it has ended: Temporal does not list it any more. */
async function openRun(upgrades: ApplyUpgrades, last: UpgradeStatus | undefined): Promise<UpgradeStatus | undefined> {
  if (last === undefined || last.endedAt !== undefined) return undefined;
  return (await upgrades.list()).some(({ runId }) => runId === last.runId) ? last : undefined;
}

/** People, or what they saw, ended the last run to this version: only they begin it again. */
function whyNotAgain(last: UpgradeStatus, { cluster, target }: UpgradeRequest): string | undefined {
  if (last.undoes !== undefined) return undefined;
  if (isBack(last)) return last.from === target && last.state === 'completed' ? wentBackBefore(cluster, target, last.to) : undefined;
  const isBad = last.state === 'stopped' || last.state === 'aborted' || last.state === 'failed';
  return isBad && last.to === target ? endedBefore(cluster, target, last.state, last.headline) : undefined;
}

function isBack({ from, to }: UpgradeStatus): boolean {
  const [one, other] = [tryKubernetesVersion(from ?? ''), tryKubernetesVersion(to)];
  return one !== undefined && other !== undefined && compareKubernetesVersions(other, one) < 0;
}

/** A cluster that is there needs no plan. Only EKS's own answer says so: what cannot be read stays a refusal. */
async function noPlanFor(
  upgrades: ApplyUpgrades,
  { cluster, target }: UpgradeRequest,
  violations: readonly RuleViolation[],
): Promise<Applied> {
  if (violations.some(({ rule }) => rule === 'target-above-current')) {
    const { clusters } = await upgrades.versions([cluster]);
    if (clusters.find(({ name }) => name === cluster)?.version === target) return { kind: 'there', message: applyThere(cluster, target) };
  }
  return { kind: 'refused', message: noPlanTo(cluster, target), violations: [...violations] };
}
