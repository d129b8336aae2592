/** An instance refresh watched to its end: instances that are to end are drained and held, and new ones have to become nodes. */
import type { InstanceRefresh } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { describeBlocker } from '../../kubernetes/drain/describe-blocker.ts';
import type { Hold } from '../../kubernetes/drain/draining-nodes.ts';
import { ASKED_AT_ONCE, AskedNodes } from '../../kubernetes/drain/nodes-in-gate.ts';
import type { BlockedNode } from '../../contract/karpenter.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { FOR_EVER_MS, type ProbeResult, waitUntil } from '../../runtime/wait-until.ts';
import type { RefreshOutcome, RefreshProgress, SelfManagedActivities } from '../../contract/self-managed.ts';
import { count } from '../../../domain/core/text.ts';
import { drainHeld, holdAll } from './drain-instances.ts';
import { findRefresh } from './group-calls.ts';
import { GroupLook } from './group-look.ts';
import { stopRefresh } from './instance-refresh.ts';
import { findNotJoined, notJoinedText } from './joined-instances.ts';

type WatchInput = Parameters<SelfManagedActivities['watchInstanceRefresh']>[0];

/** One look without it is no end: a reader of Auto Scaling may lag behind the answer that named it. */
const UNKNOWN_LOOKS = 3;

/** People are told of steps of so many per cent. */
const TOLD_PERCENT = 10;

export async function watchRefresh(clients: AccountClients, kubernetes: KubernetesPort, input: WatchInput): Promise<RefreshOutcome> {
  const { timing, group, refreshId, drain, template, told, ownerKeys, asked = [], heldMs = {}, timeoutMs = FOR_EVER_MS } = input;
  const askedAbout = new AskedNodes(asked, timing.driftBlockedAfterMs);
  /** Since when each node has been held by the same thing, by the watch's own time. */
  let heldSince = new Map(Object.entries(heldMs).map(([key, ms]) => [key, -ms]));
  let progress: RefreshProgress = { percent: told, leftCount: 0 };
  let unknownCount = 0;
  const judge = async (look: GroupLook, elapsedMs: number): Promise<ProbeResult<RefreshOutcome>> => {
    const refresh = await findRefresh(clients, group, refreshId);
    const missing = template === undefined ? [] : await findNotJoined(look, template);
    // Once it is stopped or goes back, what is held can only end.
    const isPaused = missing.length > 0 && goesForward(refresh);
    const { heldCount, draining, holds } = drain
      ? await drainHeld(clients, kubernetes, look, isPaused)
      : { heldCount: 0, draining: [], holds: [] };
    const keys = [...holds.map(keyOf), ...missing.map(joinKey)];
    heldSince = new Map(keys.map((key) => [key, heldSince.get(key) ?? elapsedMs]));
    const sinceMs = (key: string): number => elapsedMs - (heldSince.get(key) ?? elapsedMs);
    const late = missing.filter((instance) => sinceMs(joinKey(instance)) >= timing.driftBlockedAfterMs);
    if (late.length > 0 && isPaused) await stopRefresh(clients, group, 'cancel');
    unknownCount = refresh === undefined ? unknownCount + 1 : 0;
    const ended = unknownCount > 0 && unknownCount < UNKNOWN_LOOKS ? undefined : endOf(refresh);
    // Its last instances may still be on their way out, or in.
    const isOver = heldCount === 0 && (ended?.kind !== 'done' || missing.length === 0 || late.length > 0);
    if (ended !== undefined && isOver) return { done: true, value: withMissing(ended, missing) };
    progress = { percent: refresh?.PercentageComplete ?? 0, leftCount: refresh?.InstancesToUpdate ?? 0 };
    const forMs = (hold: Hold): number => sinceMs(keyOf(hold));
    const overdueMs = (hold: Hold): number =>
      forMs(hold) - (hold.lasting ? (timing.driftNamedAfterMs ?? timing.driftBlockedAfterMs) : timing.driftBlockedAfterMs);
    const due = holds
      .filter((hold) => overdueMs(hold) >= 0 || askedAbout.names.has(hold.node.name))
      .toSorted((one, other) => overdueMs(other) - overdueMs(one))
      .slice(0, ASKED_AT_ONCE);
    const news = askedAbout.compare(
      due.map(({ node }) => node.name),
      new Set(draining),
      elapsedMs,
    );
    const goesOn = { ...progress, heldMs: Object.fromEntries(keys.map((key) => [key, sinceMs(key)])) };
    if (news === 'freed' && !isPaused) return { done: true, value: { kind: 'freed', ...goesOn } };
    if (news === 'changed') {
      const nodes: BlockedNode[] = [];
      for (const hold of due) nodes.push({ ...(await describeBlocker(kubernetes, hold, forMs(hold), ownerKeys)), leaving: true });
      const [node, ...more] = nodes;
      if (node !== undefined) return { done: true, value: { kind: 'blocked', node, ...(more.length === 0 ? {} : { more }), ...goesOn } };
    }
    if (progress.percent >= told + TOLD_PERCENT) return { done: true, value: { kind: 'progress', ...goesOn } };
    return { done: false, note: `${progress.percent} %, ${count(progress.leftCount, 'instance')} left` };
  };
  const result = await waitUntil<RefreshOutcome>(
    { timing, timeoutMs, doing: `watching the instance refresh of ${group}`, details: () => ({ ...progress }) },
    async (elapsedMs) => {
      const look = new GroupLook(clients, kubernetes, group);
      try {
        return await judge(look, elapsedMs);
      } catch (error) {
        // While the API server is away nothing is drained, and what nobody holds ends undrained after two hours.
        if (drain) await holdAll(clients, look);
        throw error;
      }
    },
  );
  return result.kind === 'done' ? result.value : { kind: 'timed-out', why: result.lastNote ?? 'it has not ended' };
}

const keyOf = ({ node, key }: Hold): string => `${node.name} ${key}`;
const joinKey = (instance: string): string => `${instance} joins`;

const goesForward = (refresh: InstanceRefresh | undefined): boolean =>
  refresh?.Status === 'Pending' || refresh?.Status === 'InProgress' || refresh?.Status === 'Baking';

/** Auto Scaling calls it Successful although new instances are no nodes, and may say nothing about them where it ends otherwise. */
function withMissing(ended: RefreshOutcome, missing: readonly string[]): RefreshOutcome {
  if (missing.length === 0 || (ended.kind !== 'done' && ended.kind !== 'ended')) return ended;
  const why = notJoinedText(missing);
  if (ended.kind === 'done') return { kind: 'ended', status: 'Successful', why };
  const own = ended.status === 'Failed' && ended.why !== '' ? ` (Auto Scaling says: ${ended.why})` : '';
  return { ...ended, why: `${why}${own}` };
}

/** undefined: it goes on. */
function endOf(refresh: InstanceRefresh | undefined): RefreshOutcome | undefined {
  const { Status: status, StatusReason: why = '' } = refresh ?? {};
  switch (status) {
    case undefined:
      return { kind: 'ended', status: 'unknown', why: 'Auto Scaling does not know it any more' };
    case 'Successful':
      return { kind: 'done' };
    case 'Failed':
    case 'Cancelled':
    case 'RollbackFailed':
    case 'RollbackSuccessful':
      return { kind: 'ended', status, why: why.slice(0, 300) };
    default:
      return undefined;
  }
}
