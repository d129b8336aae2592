/** Waits until a run stands at its first gate, or until it ends. A worker or a Temporal that is away is waited for, too: the run is not lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { duration } from '../../domain/core/text.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { type Upgrades, UpgradesError } from '../../client/calls/contract.ts';
import { applyEnded, gateOpen, pastFirstGate, runGone, stoppedWaiting, waitedInVain } from '../messages/apply.ts';

export type WaitFor = 'gate' | 'end';

export interface Awaiting {
  cluster: string;
  runId: string;
  until: WaitFor;
  limitMs: number;
  /** Told each time that what the run says changes. */
  onProgress: (headline: string) => void;
  signal?: AbortSignal;
}

/** `message`: how the run stands, for people. `status`: the last that was seen. */
export type StandOfRun = { kind: 'gate' | 'past-gate' | 'ended' | 'gone' | 'not-yet'; message: string; status?: UpgradeStatus };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A run that Temporal no longer lists was terminated; it lists one that has just begun after a moment. */
const UNLISTED_LOOKS = 3;

/** Never rejects; by the signal it only waits no longer. */
export async function awaitRun(upgrades: Pick<Upgrades, 'status' | 'list'>, awaiting: Awaiting): Promise<StandOfRun> {
  const { cluster, runId, until, limitMs, onProgress, signal } = awaiting;
  const endMs = performance.now() + limitMs;
  let [pauseMs, unlisted] = [FIRST_PAUSE_MS, 0];
  let [told, status]: [string, UpgradeStatus | undefined] = ['', undefined];
  for (;;) {
    const look = await read(upgrades, cluster);
    if (look.status?.runId === runId) status = look.status;
    if (look.said !== told) onProgress((told = look.said));
    const found = status === undefined ? undefined : stands(cluster, status, until);
    if (found !== undefined && status !== undefined) return { ...found, status };
    unlisted = (await isListed(upgrades, runId)) ? 0 : unlisted + 1;
    if (unlisted >= UNLISTED_LOOKS) return { kind: 'gone', message: runGone(cluster), ...(status === undefined ? {} : { status }) };
    const leftMs = endMs - performance.now();
    if (leftMs <= 0)
      return { kind: 'not-yet', message: waitedInVain(cluster, until, duration(limitMs)), ...(status === undefined ? {} : { status }) };
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => undefined);
    if (signal?.aborted === true) return { kind: 'not-yet', message: stoppedWaiting(cluster), ...(status === undefined ? {} : { status }) };
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}

function stands(cluster: string, status: UpgradeStatus, until: WaitFor): Pick<StandOfRun, 'kind' | 'message'> | undefined {
  const { endedAt, state, headline, gates, steps } = status;
  if (endedAt !== undefined) return { kind: 'ended', message: applyEnded(cluster, state, headline) };
  if (until === 'end') return undefined;
  if (gates.length > 0) {
    const ids = gates.map(({ id }) => id);
    return { kind: 'gate', message: gateOpen(cluster, ids) };
  }
  // One that was adopted may have been let through long ago.
  return steps.some((step) => step.state !== 'planned') ? { kind: 'past-gate', message: pastFirstGate(cluster, headline) } : undefined;
}

async function read(upgrades: Pick<Upgrades, 'status'>, cluster: string): Promise<{ said: string; status?: UpgradeStatus }> {
  try {
    const answer = await upgrades.status(cluster);
    return answer.source === 'workflow' ? { said: answer.status.headline, status: answer.status } : { said: answer.why };
  } catch (error) {
    if (error instanceof UpgradesError) return { said: error.message };
    throw error;
  }
}

/** Where Temporal does not answer, nothing is known of the run, and it counts as listed. */
async function isListed(upgrades: Pick<Upgrades, 'list'>, runId: string): Promise<boolean> {
  try {
    return (await upgrades.list()).some((run) => run.runId === runId);
  } catch (error) {
    if (error instanceof UpgradesError) return true;
    throw error;
  }
}
