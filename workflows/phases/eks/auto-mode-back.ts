/** EKS Auto Mode on a way back: EKS takes its nodes back first, and an abort cancels it until the control plane itself moves. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { AutoModeBack } from '../../../domain/plan/rollback/auto-mode.ts';
import { duration } from '../../../domain/core/text.ts';
import {
  cancellingRollback,
  nodesRolledBack,
  nodesRollingBack,
  rollbackCancelled,
  rollbackNotCancelled,
  rollbackTooLateToCancel,
} from '../../messages/eks/auto-mode-back.ts';
import { rollingBack } from '../../messages/eks/control-plane.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { watchControlPlane } from './watch-control-plane.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { UpdateOutcome } from '../../../activities/contract/eks.ts';
import { eksNameOf } from '../../../domain/core/cluster-ref.ts';

const MINUTE_MS = 60_000;
/** The status line is updated after each such share of the nodes. */
const TOLD_SHARE = 4;

interface Going {
  updateId: string;
  from: string;
  to: string;
  autoMode: AutoModeBack;
}

/** How the whole update ended. Throws the cancellation where an abort has stopped it in time. */
export async function watchAutoModeBack(phase: Phase, going: Going): Promise<UpdateOutcome> {
  const { updateId, from, to } = going;
  let ended: 'moving' | 'ended' | 'timed-out';
  try {
    ended = await watchNodes(phase, going);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return await CancellationScope.nonCancellable(() => stop(phase, going, error));
  }
  if (ended === 'timed-out') return { status: 'TimedOut', errors: [] };
  if (ended === 'moving') {
    phase.announcer.note(nodesRolledBack({ from, to }));
    phase.now(rollingBack({ updateId, from, to }));
  }
  const outcome = await watchControlPlane(phase, updateId, to);
  // What EKS gives a code for says itself what has failed.
  const unsaid = outcome.status === 'Failed' && outcome.errors.length === 0;
  if (ended === 'ended' && (outcome.status === 'Cancelled' || unsaid)) throw notBack(phase, going, outcome);
  return outcome;
}

async function watchNodes(phase: Phase, { updateId, to, autoMode }: Going): Promise<'moving' | 'ended' | 'timed-out'> {
  const { nodeCount, timeoutMinutes } = autoMode;
  const share = Math.max(1, Math.ceil(nodeCount / TOLD_SHARE));
  const limitMs = timeoutMinutes * MINUTE_MS;
  const startedAtMs = Date.now();
  let tellAt = nodeCount - share;
  for (;;) {
    // EKS gives up by itself: Belay waits for its word.
    const timeoutMs = Math.max(MINUTE_MS, limitMs + phase.timing.controlPlaneTimeoutMs - (Date.now() - startedAtMs));
    const seen = await phase.activities.watch.watchNodesBack.executeWithOptions({ summary: 'Watch EKS take the nodes of Auto Mode back' }, [
      { ...phase.target, updateId, to, tellAt, timeoutMs },
    ]);
    if (seen.kind !== 'progress') return seen.kind;
    tellAt = seen.leftCount === 0 ? -1 : Math.max(0, seen.leftCount - share);
    phase.now(nodesRollingBack({ updateId, to }, seen.leftCount, limitMs));
  }
}

/** Of an abort: EKS is asked to stop, and followed until it has. What it does not stop any more is watched to its end. */
async function stop(phase: Phase, { updateId, from, to }: Going, cancellation: unknown): Promise<UpdateOutcome> {
  phase.now(cancellingRollback(updateId));
  const asked = await ask(phase, updateId);
  if (asked === undefined) throw cancellation;
  if (asked === 'too-late') phase.announcer.note(rollbackTooLateToCancel({ updateId, from, to }));
  const outcome = await watchControlPlane(phase, updateId, to);
  if (outcome.status !== 'Cancelled') return outcome;
  phase.announcer.note(rollbackCancelled({ updateId, from }, await nodesNow(phase)));
  throw cancellation;
}

async function ask(phase: Phase, updateId: string): Promise<'cancelling' | 'too-late' | 'ended' | undefined> {
  const { cluster, activities } = phase;
  try {
    const { outcome } = await activities.owed.cancelRollback.executeWithOptions({ summary: `Cancel EKS update ${updateId}` }, [
      { cluster, updateId, token: phase.token('CancelUpdate', cluster.name) },
    ]);
    return outcome;
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored(
      { what: `EKS update ${updateId}`, why },
      rollbackNotCancelled(updateId, { eksName: eksNameOf(cluster), region: cluster.region, why }),
      { saysHow: true },
    );
    return undefined;
  }
}

/** By minor. It is only told: a run that cannot read it ends all the same. */
async function nodesNow(phase: Phase): Promise<Record<string, number> | undefined> {
  try {
    const { nodes } = await phase.activities.quick.readSkew.executeWithOptions({ summary: 'Count the nodes by version' }, [
      { cluster: phase.cluster },
    ]);
    return nodes;
  } catch {
    return undefined;
  }
}

function notBack({ cluster }: Phase, { updateId, to, autoMode }: Going, { status, reason, errors }: UpdateOutcome): Error {
  const said = [...(reason === undefined ? [] : [reason]), ...errors.map(({ code, message }) => `${code}: ${message}`)];
  const limit = duration(autoMode.timeoutMinutes * MINUTE_MS);
  return phaseFailed(
    `EKS update ${updateId} back to ${to} ended ${status} before its nodes were back${said[0] === undefined ? '' : `: ${said[0]}`}`,
    [{ title: 'EKS says', lines: said.length === 0 ? [`nothing; the nodes had ${limit}`] : said.slice(0, 5) }],
    [{ scope: 'belay', code: 'NodesNotBack', resource: { kind: 'cluster', name: cluster.name } }],
  );
}
