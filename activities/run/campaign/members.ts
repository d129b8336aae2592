/** Clusters of a campaign, one at a time: may it start, start it, how is it getting on. */
import { tryMinorDistance } from '../../../domain/core/version.ts';
import { field, messageOf, textField } from '../../../domain/core/unknown.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { WindowPolicy } from '../../../domain/policy/windows.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { defined } from '../../../domain/core/defined.ts';
import { whyAlone } from '../../../domain/gates/bundling.ts';
import { hashOfOffer } from '../../../domain/run/campaign/bundles.ts';
import type { Asked, Look } from '../../../domain/run/campaign/looks.ts';
import { isListed } from '../../../domain/run/fleet.ts';
import type { StartResult } from '../../../domain/run/campaign/starts.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import type { RecordStore } from '../../contract/records.ts';
import type { WindowActivities } from '../../contract/windows.ts';
import { readEksClock } from '../../eks/clock.ts';
import { listOfferedVersions } from '../../observe/inspect/eks.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';
import { openingsBetween } from '../windows/fit.ts';
import type { CampaignRuns, FoundRun } from './runs.ts';

export interface MemberDeps extends Pick<ClusterDeps, 'aws'> {
  windows: Pick<WindowActivities, 'judgeWindow'>;
  /** Reads belay.yaml anew; throws where it cannot be used. */
  windowsOf: (clusterName: string) => WindowPolicy | undefined;
  runs: CampaignRuns;
  store: Pick<RecordStore, 'newest'>;
  nowMs?: () => number;
}

const MINUTE_MS = 60_000;
/** When what may mend itself is looked at again. */
const SOON_MS = 10 * MINUTE_MS;
/** What EKS does not offer yet comes within days. */
const OFFER_MS = 6 * 60 * MINUTE_MS;
/** What checks have refused is for people; they may not say that they have mended it. */
const REFUSED_MS = 60 * MINUTE_MS;
const RECORDS = 20;

export function createMemberActivities(deps: MemberDeps): Pick<CampaignActivities, 'examineMember' | 'startMember' | 'lookAtMembers'> {
  const { aws, windows, runs, nowMs = Date.now } = deps;
  const again = (ms: number): string => new Date(nowMs() + ms).toISOString();
  return {
    async examineMember({ cluster, target, needMs, since }) {
      const read = await versionOf(aws, cluster);
      if ('gone' in read) return { kind: 'removed', why: read.gone };
      if ('why' in read) return { kind: 'unknown', why: read.why, again: again(SOON_MS) };
      const order = tryMinorDistance(read.version, target);
      if (order === undefined) return { kind: 'unknown', why: `its version is "${read.version}"`, again: again(SOON_MS) };
      // A run that is open goes on with nodes and add-ons after the control plane has arrived.
      if (order <= 0)
        return (await isOpen(runs, cluster)) ? { kind: 'ready' } : order === 0 ? { kind: 'arrived', by: 'others' } : { kind: 'ahead' };
      const offer = await offers(aws, cluster, target);
      if (offer !== undefined) return { kind: 'held', why: offer, again: again(OFFER_MS) };
      const verdict = await windows.judgeWindow({ cluster, phases: ['control-plane', 'node-groups', 'karpenter-drift'], needMs });
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

    async startMember({ cluster, target, of, requestedBy }) {
      const before = await runs.find(cluster);
      const taken = before === undefined ? undefined : await adoptable(runs, cluster, before, target, again(SOON_MS));
      if (taken !== undefined) return taken;
      const started = await runs.start({ cluster, target, of, requestedBy });
      if (started.kind === 'started') return started;
      if (started.kind === 'held') return { ...started, again: again(REFUSED_MS) };
      // Somebody, or an earlier try of this activity, was quicker.
      const now = await runs.find(cluster);
      return (
        (now === undefined ? undefined : await adoptable(runs, cluster, now, target, again(SOON_MS))) ?? {
          kind: 'held',
          why: 'another run of it has just begun',
          again: again(SOON_MS),
        }
      );
    },

    async lookAtMembers({ target, campaign, members }) {
      const looks = await someAtOnce(members, async ({ cluster, runId, ring, known }) => {
        try {
          return [
            memberKey(cluster),
            runId === undefined
              ? await stillThere(aws, cluster, target)
              : await lookAtRun(deps, cluster, runId, { target, known, of: { name: campaign, ring: ring ?? '' } }),
          ] as const;
        } catch (error) {
          return [memberKey(cluster), { kind: 'unread', why: messageOf(error) }] as const;
        }
      });
      return { looks: Object.fromEntries(looks) };
    },
  };
}

const isOpen = async (runs: CampaignRuns, cluster: ClusterRef): Promise<boolean> => (await runs.find(cluster))?.state === 'open';

/** An open run to the same target is the campaign's; another one is somebody's, and is left alone. */
async function adoptable(
  runs: CampaignRuns,
  cluster: ClusterRef,
  run: FoundRun,
  target: string,
  again: string,
): Promise<StartResult | undefined> {
  if (run.state !== 'open') return undefined;
  const held = (why: string): StartResult => ({ kind: 'held', why, again });
  if (run.target !== target) return held(`another operation runs on it, to ${run.target ?? 'another version'}`);
  try {
    // A rollback that ends at the target is somebody's, too.
    if (await runs.goesBack(cluster)) return held(`another operation runs on it: a rollback to ${target}`);
    return { kind: 'started', runId: run.runId, adopted: true };
  } catch (error) {
    return held(`a run to ${target} is open on it, and whether it is a rollback is not known: ${messageOf(error)}`);
  }
}

type Version = { version: string } | { gone: string } | { why: string };

async function versionOf(aws: MemberDeps['aws'], cluster: ClusterRef): Promise<Version> {
  try {
    const { version } = await describeCluster(aws(cluster), cluster);
    return version === undefined ? { why: 'EKS names no version' } : { version };
  } catch (error) {
    const failure = translateError(error, `reading ${cluster.name}`);
    return failureType(failure) === 'NotFound' ? { gone: 'EKS knows no such cluster any more' } : { why: failure.message };
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

async function lookAtRun(
  { runs, store, aws }: MemberDeps,
  cluster: ClusterRef,
  runId: string,
  { target, of, known }: { target: string; of: { name: string; ring: string }; known?: string },
): Promise<Look> {
  const newest = await runs.find(cluster);
  if (newest?.state === 'open') {
    const { phase, gate, progressAt } = newest;
    const asks = gate === undefined || whyAlone(gate) !== undefined ? undefined : await asksOf(runs, cluster, of, known);
    return {
      kind: 'open',
      runId: newest.runId,
      ...(phase === undefined ? {} : { phase }),
      ...(gate === undefined ? {} : { gate }),
      ...defined({ progressAt, asks }),
    };
  }
  // Of ours, and where another came after it, of that one.
  const run = newest ?? (await runs.find(cluster, runId));
  if (run?.state === 'ended') return endedAt(run, target);
  const recorded = await recordedEnd(store, cluster, runId);
  if (recorded !== undefined) return recorded;
  const read = await versionOf(aws, cluster);
  if ('gone' in read) return { kind: 'gone', why: read.gone };
  return { kind: 'forgotten', why: `Temporal and the records know nothing of its run any more: ${whereItIs(read, target)}` };
}

async function asksOf(
  runs: CampaignRuns,
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
function endedAt({ runId, outcome, why, target: at }: Extract<FoundRun, { state: 'ended' }>, target: string): Look {
  const below = at === undefined ? undefined : tryMinorDistance(at, target);
  if (outcome !== 'completed' || below === undefined || below <= 0) return { kind: 'ended', runId, outcome, why };
  return { kind: 'ended', runId, outcome: 'failed', why: `another run took its place, to ${at}` };
}

async function recordedEnd(store: MemberDeps['store'], cluster: ClusterRef, runId: string): Promise<Look | undefined> {
  for (const record of await store.newest(RECORDS, cluster)) {
    const report = field(record, 'report');
    const status = field(report, 'status');
    if (field(status, 'runId') !== runId) continue;
    const isBack = (tryMinorDistance(textField(status, 'from'), textField(status, 'to')) ?? 0) < 0;
    const outcome = field(report, 'outcome') !== 'completed' ? 'failed' : isBack ? 'rolled-back' : 'completed';
    return { kind: 'ended', runId, outcome, why: textField(status, 'headline') ?? 'by its record' };
  }
  return undefined;
}

/** Of one that has arrived: people, or somebody's Terraform, may have taken it back. */
async function stillThere(aws: MemberDeps['aws'], cluster: ClusterRef, target: string): Promise<Look> {
  const read = await versionOf(aws, cluster);
  if ('gone' in read) return { kind: 'gone', why: read.gone };
  if ('why' in read) return { kind: 'unread', why: read.why };
  const order = tryMinorDistance(read.version, target);
  if (order !== undefined && order > 0) return { kind: 'ended', runId: '', outcome: 'rolled-back', why: `it is at ${read.version} again` };
  return { kind: 'ended', runId: '', outcome: 'completed', why: `at ${read.version}` };
}
