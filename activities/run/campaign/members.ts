/** Clusters of a campaign, one at a time: may it start, start it, how is it getting on. */
import { tryMinorDistance } from '../../../domain/core/version.ts';
import { field, messageOf, textField } from '../../../domain/core/unknown.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { WindowPolicy } from '../../../domain/policy/windows.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { defined } from '../../../domain/core/defined.ts';
import { whyAlone } from '../../../domain/gates/bundling.ts';
import { hashOfOffer } from '../../../domain/run/campaign/bundles.ts';
import type { Asked, EndedAs, Look } from '../../../domain/run/campaign/looks.ts';
import { isListed } from '../../../domain/run/fleet.ts';
import type { StartResult } from '../../../domain/run/campaign/starts.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import type { RecordStore } from '../../contract/records.ts';
import type { WindowActivities } from '../../contract/windows.ts';
import { readEksClock } from '../../eks/clock.ts';
import { listOfferedVersions } from '../../observe/inspect/eks.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { openingsBetween, START_PHASES } from '../windows/fit.ts';
import { againIn, OFFER_MS, REFUSED_MS, SOON_MS } from './again.ts';
import { versionOf } from './arrived.ts';
import type { CampaignRuns, FoundRun } from './runs.ts';

export interface MemberDeps extends Pick<ClusterDeps, 'aws'> {
  windows: Pick<WindowActivities, 'judgeWindow'>;
  /** Reads belay.yaml anew; throws where it cannot be used. */
  windowsOf: (clusterName: string) => WindowPolicy | undefined;
  runs: Pick<CampaignRuns, 'find' | 'asks' | 'goesBack' | 'start'>;
  store: Pick<RecordStore, 'newest'>;
  nowMs?: () => number;
}

const RECORDS = 20;

export function createMemberActivities(
  deps: MemberDeps,
): Pick<CampaignActivities, 'examineMember' | 'findOpenRun' | 'startMember' | 'lookAtMembers'> {
  const { aws, windows, runs, nowMs = Date.now } = deps;
  const again = (ms: number): string => againIn(ms, nowMs());
  return {
    async examineMember({ cluster, target, needMs, since }) {
      const read = await versionOf(aws, cluster);
      if ('gone' in read) return { kind: 'removed', why: read.gone };
      if ('why' in read) return { kind: 'unknown', why: read.why, again: again(SOON_MS) };
      const order = tryMinorDistance(read.version, target);
      if (order === undefined) return { kind: 'unknown', why: `its version is "${read.version}"`, again: again(SOON_MS) };
      if (order <= 0) return order === 0 ? { kind: 'arrived', by: 'others' } : { kind: 'ahead' };
      const offer = await offers(aws, cluster, target);
      if (offer !== undefined) return { kind: 'held', why: offer, again: again(OFFER_MS) };
      const verdict = await windows.judgeWindow({ cluster, phases: START_PHASES, needMs });
      if (verdict.kind === 'open') return { kind: 'ready' };
      if (verdict.kind === 'unknown') return { kind: 'held', why: verdict.why, again: again(SOON_MS) };
      const hadOne = await hadOpening(deps, cluster, since);
      return {
        kind: 'waiting',
        why: `${verdict.why}${verdict.opensText === undefined ? '' : `; next fit: ${verdict.opensText}`}`,
        until: verdict.opensAt ?? again(OFFER_MS),
        ...(hadOne ? { opened: true as const } : {}),
      };
    },

    async findOpenRun({ cluster }) {
      return { isOpen: (await runs.find(cluster))?.state === 'open' };
    },

    async startMember({ cluster, target, of, requestedBy, askedAt, back }) {
      const wanted = { target, back: back === true, askedAt };
      const before = await runs.find(cluster);
      const taken = before === undefined ? undefined : await adoptable(runs, cluster, before, wanted, again(SOON_MS));
      if (taken !== undefined) return taken;
      const started = await runs.start({ cluster, target, of, requestedBy, ...(back === true ? { back } : {}) });
      if (started.kind === 'started') return started;
      if (started.kind === 'held') return { ...started, again: again(REFUSED_MS) };
      // Somebody, or an earlier try of this activity, was quicker.
      const now = await runs.find(cluster);
      return (
        (now === undefined ? undefined : await adoptable(runs, cluster, now, wanted, again(SOON_MS))) ?? {
          kind: 'held',
          why: 'another run of it has just begun',
          again: again(SOON_MS),
        }
      );
    },

    async lookAtMembers({ target, campaign, members, back }) {
      const looks = await someAtOnce(members, async ({ cluster, runId, ring, known }) => {
        try {
          return [
            memberKey(cluster),
            await lookAtRun(deps, cluster, runId, { target, back, known, of: { name: campaign, ring: ring ?? '' } }),
          ] as const;
        } catch (error) {
          return [memberKey(cluster), { kind: 'unread', why: messageOf(error) }] as const;
        }
      });
      return { looks: Object.fromEntries(looks) };
    },
  };
}

/**
 * An open run to the same target, by the same way, is the campaign's; another one is somebody's, and is left alone. One that has ended is the campaign's
 * if it began after this start was asked for: a worker was killed after it had started the run, and Temporal asks for the start once more.
 */
async function adoptable(
  runs: MemberDeps['runs'],
  cluster: ClusterRef,
  run: FoundRun,
  { target, back, askedAt }: { target: string; back: boolean; askedAt: string },
  again: string,
): Promise<StartResult | undefined> {
  if (run.state !== 'open')
    return run.target === target && run.startedAt >= askedAt ? { kind: 'started', runId: run.runId, adopted: true } : undefined;
  const held = (why: string): StartResult => ({ kind: 'held', why, again });
  if (run.target !== target) return held(`another operation runs on it, to ${run.target ?? 'another version'}`);
  try {
    // A rollback that ends at the target is somebody's, too.
    if ((await runs.goesBack(cluster)) !== back)
      return held(`another operation runs on it: ${back ? 'an upgrade' : 'a rollback'} to ${target}`);
    return { kind: 'started', runId: run.runId, adopted: true };
  } catch (error) {
    return held(`a run to ${target} is open on it, and whether it is a rollback is not known: ${messageOf(error)}`);
  }
}

/** Why the target is not to be had in its region; undefined: it is. */
async function offers(aws: MemberDeps['aws'], cluster: ClusterRef, target: string): Promise<string | undefined> {
  try {
    const offered = await listOfferedVersions(aws(cluster));
    if (offered.length === 0) return `whether EKS offers ${target} in ${cluster.region} is not known: it lists no versions`;
    return isListed(target, offered) ? undefined : `EKS does not offer ${target} in ${cluster.region} yet`;
  } catch (error) {
    return `whether EKS offers ${target} in ${cluster.region} is not known: ${messageOf(error)}`;
  }
}

/** Has the cluster had an opening since the ring began that it could not use? What cannot be read is none. */
async function hadOpening({ aws, windowsOf }: MemberDeps, cluster: ClusterRef, since: string): Promise<boolean> {
  try {
    const policy = windowsOf(cluster.name);
    const nowMs = Date.parse(await readEksClock(aws(cluster), cluster));
    if (policy === undefined || Date.parse(since) >= nowMs) return false;
    const openings = openingsBetween(policy, { needMs: 0 }, Date.parse(since), nowMs);
    return openings.some(({ closesAt }) => closesAt !== undefined && Date.parse(closesAt) <= nowMs);
  } catch {
    return false;
  }
}

interface Wanted {
  target: string;
  back: true | undefined;
  of: { name: string; ring: string };
  /** A hash of what its gate was seen to ask. */
  known: string | undefined;
}

async function lookAtRun({ runs, store, aws }: MemberDeps, cluster: ClusterRef, runId: string, wanted: Wanted): Promise<Look> {
  const { of, known, back } = wanted;
  const newest = await runs.find(cluster);
  if (newest?.state === 'open') {
    const { phase, gate, byItself, progressAt } = newest;
    // A cluster that goes back is asked about by itself.
    const isAlone = back === true || gate === undefined || whyAlone(gate) !== undefined;
    const asks = isAlone ? undefined : await asksOf(runs, cluster, of, known);
    return {
      kind: 'open',
      runId: newest.runId,
      ...(phase === undefined ? {} : { phase }),
      ...(gate === undefined ? {} : { gate }),
      ...defined({ byItself, progressAt, asks }),
    };
  }
  // Of ours, and where another came after it, of that one.
  const run = newest ?? (await runs.find(cluster, runId));
  if (run?.state === 'ended') return endedAt(run, wanted);
  const recorded = await recordedEnd(store, cluster, runId, wanted);
  if (recorded !== undefined) return recorded;
  const read = await versionOf(aws, cluster);
  if ('gone' in read) return { kind: 'gone', why: read.gone };
  return { kind: 'forgotten', why: `Temporal and the records know nothing of its run any more: ${whereItIs(read, wanted.target)}` };
}

async function asksOf(
  runs: MemberDeps['runs'],
  cluster: ClusterRef,
  of: { name: string; ring: string },
  known: string | undefined,
): Promise<Asked> {
  try {
    const asks = await runs.asks(cluster, of);
    return asks.kind === 'offer' && hashOfOffer(asks.offer) === known ? { kind: 'same' } : asks;
  } catch {
    return { kind: 'unread' };
  }
}

function whereItIs(read: { version: string } | { why: string }, target: string): string {
  if ('why' in read) return `its version is not known (${read.why})`;
  const there = tryMinorDistance(read.version, target) === 0 ? 'at target, length unknown' : 'not at target';
  return `${there} (EKS says ${read.version})`;
}

/** A run that took the place of ours may have had another target: arriving there is no arrival here. */
function endedAt({ runId, outcome, why, target: at }: Extract<FoundRun, { state: 'ended' }>, { target, back }: Wanted): Look {
  if (back === true) return { kind: 'ended', runId, outcome: goneBack(outcome), why };
  const below = at === undefined ? undefined : tryMinorDistance(at, target);
  if (outcome !== 'completed' || below === undefined || below <= 0) return { kind: 'ended', runId, outcome, why };
  return { kind: 'ended', runId, outcome: 'failed', why: `another run took its place, to ${at}` };
}

/** Of a rollback, which has arrived where it went back. */
const goneBack = (outcome: EndedAs): EndedAs => (outcome === 'rolled-back' ? 'completed' : 'failed');

async function recordedEnd(store: MemberDeps['store'], cluster: ClusterRef, runId: string, { back }: Wanted): Promise<Look | undefined> {
  for (const record of await store.newest(RECORDS, cluster)) {
    const report = field(record, 'report');
    const status = field(report, 'status');
    if (field(status, 'runId') !== runId) continue;
    const isBack = (tryMinorDistance(textField(status, 'from'), textField(status, 'to')) ?? 0) < 0;
    const outcome = field(report, 'outcome') !== 'completed' ? 'failed' : isBack ? 'rolled-back' : 'completed';
    const why = textField(status, 'headline') ?? 'by its record';
    return { kind: 'ended', runId, outcome: back === true ? goneBack(outcome) : outcome, why };
  }
  return undefined;
}
