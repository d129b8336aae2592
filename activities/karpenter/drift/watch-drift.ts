/** Watches Karpenter replace its nodes until that is done, somebody has to decide, or the watching time is over. */
import { asyncLocalStorage } from '@temporalio/activity';
import type { BlockedNode, DriftOutcome, DriftSeen, KarpenterActivities } from '../../contract/karpenter.ts';
import { lastHeartbeat } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { DriftMemory } from './drift-memory.ts';
import { readDrift } from './drift-view.ts';
import { describeBlocker } from '../../kubernetes/drain/describe-blocker.ts';
import { findBlockers } from '../../kubernetes/drain/blockers.ts';
import { ASKED_AT_ONCE, AskedNodes } from '../../kubernetes/drain/nodes-in-gate.ts';
import { findTroubles } from './pool-health.ts';
import { closedPools } from './pool-holds.ts';
import { listPools } from '../objects/node-pools.ts';
import type { DriftView, Hold } from '../../kubernetes/drain/draining-nodes.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';
import { count } from '../../../domain/core/text.ts';
import { defined } from '../../../domain/core/defined.ts';

const NEWS_NODES = 3;

/** So many new nodes that were given up, and none that came in between, are no accident. */
const FAILED_LAUNCHES = 2;

type WatchInput = Parameters<KarpenterActivities['watchDrift']>[0];

export function createWatchDriftActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'watchDrift'> {
  return {
    async watchDrift(input) {
      const port = (await deps.clusterPorts(input.cluster)).kubernetes;
      const memory = new DriftMemory(lastHeartbeat(), input.seen);
      const askedAbout = new AskedNodes(input.asked ?? [], input.timing.driftBlockedAfterMs);
      let counts = { replacedCount: 0, remainingCount: 0 };
      let lookedAtMs = 0;
      const leftMs = Math.max(0, input.timing.driftTimeoutMs - sinceStepBeganMs(input.startedAt));
      const watchMs = input.watchMs ?? Number.POSITIVE_INFINITY;
      const result = await waitUntil<DriftOutcome>(
        {
          timing: input.timing,
          timeoutMs: Math.min(leftMs, watchMs),
          doing: `watching Karpenter replace nodes by ${input.to}`,
          details: () => ({ ...counts, memory: memory.carried() }),
        },
        async (elapsedMs) => {
          lookedAtMs = elapsedMs;
          const { ignoreNodes, ignorePools = [], dueOnly = false, owner, onlyPools } = input;
          const ignored = { nodes: ignoreNodes, pools: ignorePools, dueOnly, ...defined({ owner, onlyPools }) };
          const view = await readDrift(port, input.to, ignored, input.byImage);
          counts = { replacedCount: view.replacedCount, remainingCount: view.old.length + view.driftedClaims.length };
          const gone = await goneOf(port, input.pools ?? [], ignorePools);
          if (gone.length > 0) return { done: true, value: { kind: 'pools-gone', pools: gone, ...counts } };
          const outcome = await judge(port, input, view, { memory, askedAbout, elapsedMs });
          if (outcome !== undefined) return { done: true, value: outcome };
          if (isNews(counts, input.toldCount)) return { done: true, value: { kind: 'progress', ...counts } };
          return { done: false, note: `${count(counts.remainingCount, 'node')} left, ${counts.replacedCount} at ${input.to}` };
        },
      );
      const seen = (): { seen: DriftSeen } => ({ seen: memory.seen(lookedAtMs) });
      if (result.kind === 'done') return isLast(result.value) ? result.value : { ...result.value, ...seen() };
      return watchMs <= leftMs ? { kind: 'pace-elapsed', ...counts, ...seen() } : { kind: 'timed-out', ...counts };
    },
  };
}

/** No watch follows. */
function isLast(outcome: DriftOutcome): outcome is Extract<DriftOutcome, { kind: 'done' | 'unhealthy' | 'timed-out' }> {
  return outcome.kind === 'done' || outcome.kind === 'unhealthy' || outcome.kind === 'timed-out';
}

/** undefined: go on watching. */
async function judge(
  port: KubernetesPort,
  { timing, ownerKeys = [], startedAt }: WatchInput,
  view: DriftView,
  { memory, askedAbout, elapsedMs }: { memory: DriftMemory; askedAbout: AskedNodes; elapsedMs: number },
): Promise<DriftOutcome | undefined> {
  const left = [...view.old.map(({ name }) => name), ...view.driftedClaims.map(({ name }) => `claim/${name}`)];
  const counts = { replacedCount: view.replacedCount, remainingCount: left.length };
  if (left.length === 0) return { kind: 'done', replacedCount: view.replacedCount, remainingCount: 0, skippedCount: view.skippedCount };

  const limitMs = timing.driftBlockedAfterMs;
  const pools = await listPools(port);
  const troubles = await findTroubles(port, view, { pools, limitMs, beganMs: Date.parse(startedAt) });
  const lasting = memory.troubles(new Map(troubles.map(({ key }) => [key, key])), elapsedMs);
  const bad = troubles.find(({ key, patience }) => (lasting.get(key) ?? 0) >= patience * limitMs);
  if (bad !== undefined) return { kind: 'unhealthy', why: bad.why, ...counts };
  const failedCount = memory.failedLaunches(view);
  if (failedCount >= FAILED_LAUNCHES) {
    const last = troubles.find(({ key }) => key.startsWith('launch '))?.why;
    return {
      kind: 'unhealthy',
      why: `new nodes have failed ${count(failedCount, 'time')}${last === undefined ? '' : `: ${last}`}`,
      ...counts,
    };
  }

  const stalled = memory.stalledMs(left, elapsedMs) >= limitMs / 3;
  const holds = await findBlockers(port, view, stalled, askedAbout.names);
  for (const hold of closedPools(view, pools, new Set(holds.keys()), nowOf(port))) holds.set(hold.node.name, hold);
  const heldMs = memory.held(new Map([...holds].map(([name, { key }]) => [name, key])), elapsedMs);
  const allHeld = view.old.every(({ name }) => (heldMs.get(name) ?? -1) >= limitMs / 3) && view.driftedClaims.length === 0;
  const lastingLimitMs = Math.min(limitMs, timing.driftNamedAfterMs ?? limitMs);
  const overdueMs = ({ node, lasting }: Hold): number => (heldMs.get(node.name) ?? 0) - (lasting ? lastingLimitMs : limitMs);
  // A volume that does not let go is why budgets of its pods allow nothing: the cause before what it causes.
  const cause = (hold: Hold): number => (hold.gone === true ? 1 : 0);
  const byNeed = [...holds.values()].sort((one, other) => cause(other) - cause(one) || overdueMs(other) - overdueMs(one));
  const due = byNeed.filter((hold) => overdueMs(hold) >= 0 || allHeld || askedAbout.names.has(hold.node.name)).slice(0, ASKED_AT_ONCE);
  const news = askedAbout.compare(
    due.map(({ node }) => node.name),
    new Set(view.old.map(({ name }) => name)),
    elapsedMs,
  );
  if (news === 'none') return undefined;
  const [worst, ...more] = due;
  if (news === 'freed' || worst === undefined) return { kind: 'freed', ...counts };
  const describe = (hold: Hold): Promise<BlockedNode> => describeBlocker(port, hold, heldMs.get(hold.node.name) ?? 0, ownerKeys);
  const others: BlockedNode[] = [];
  for (const hold of more) others.push(await describe(hold));
  return { kind: 'blocked', node: await describe(worst), ...(others.length === 0 ? {} : { more: others }), ...counts };
}

/** A quarter of the roll, and no fewer than so many nodes: a history has its limits. */
function isNews({ replacedCount, remainingCount }: { replacedCount: number; remainingCount: number }, told: number | undefined): boolean {
  return told !== undefined && replacedCount - told >= Math.max(NEWS_NODES, (replacedCount + remainingCount) / 4);
}

/** Of the plan's NodePools; those whose AMIs are pinned, or of whose end was told, do not roll. */
async function goneOf(port: KubernetesPort, pools: readonly string[], ignored: readonly string[]): Promise<string[]> {
  const wanted = pools.filter((pool) => !ignored.includes(pool));
  if (wanted.length === 0) return [];
  const there = new Set((await listPools(port)).map(({ metadata }) => metadata.name));
  return wanted.filter((pool) => !there.has(pool));
}

/** Time that earlier watches of the same step have taken: two times of the same server, Temporal's. 0 outside of an activity. */
function sinceStepBeganMs(startedAt: string): number {
  const scheduledMs = asyncLocalStorage.getStore()?.info.scheduledTimestampMs;
  const startedMs = Date.parse(startedAt);
  return scheduledMs === undefined || Number.isNaN(startedMs) ? 0 : Math.max(0, scheduledMs - startedMs);
}
