/** What waits for one person, over campaigns and runs: read from Temporal and from Slack's groups, with a sentence for what could not be read. */
import { membersOf, type MemberState, needsPeople } from '../../../domain/run/campaign/state.ts';
import { memberText } from '../../../domain/run/campaign/view.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { upgradeWorkflowId } from '../../../workflows/contract/ids.ts';
import type { CampaignStatus } from '../../../client/campaigns/campaigns.ts';
import type { Listed, VisibilityStatus } from '../../../client/calls/contract.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { failureSentence } from '../../interaction/failure-text.ts';
import { goingOn } from '../../interaction/going-on.ts';
import { gateUrl } from '../../interaction/message-links.ts';
import { visibleCampaigns } from '../../interaction/visible-campaigns.ts';
import type { HomeGate, HomeTrouble } from '../../blocks/home.ts';
import { campaignsNotRead, campaignUnread, runsNotRead, waitsUnread } from '../../messages/home.ts';
import { Membership } from './membership.ts';

/** Each is asked for its status. */
const CAMPAIGNS = 10;
/** Runs of their own; those of campaigns are counted by these. */
const RUNS = 20;
/** Runs that wait for somebody: each is asked what for. */
const WAITING = 100;
const AT_ONCE = 10;

/** Where its message is; without `gateId` the root of the thread. */
export interface Place {
  channel: string;
  upgrade: { workflowId: string; runId: string };
  gateId?: string;
}

export type Placed<T> = T & { place?: Place };

export interface FoundCampaign {
  channel?: string;
  status: CampaignStatus;
}

export interface FoundRun {
  run: VisibilityStatus;
  /** undefined: no worker answers. */
  status: UpgradeStatus | undefined;
  channel?: string;
}

export interface Waiting {
  campaigns: FoundCampaign[];
  /** At which the person is asked to vote. */
  gates: Placed<HomeGate>[];
  /** Those that wait for others. */
  others: Placed<HomeGate>[];
  /** Clusters of campaigns that need somebody like this person. */
  troubles: Placed<HomeTrouble>[];
  /** That belong to no campaign that is shown. */
  runs: FoundRun[];
  /** How many of those there are. */
  runCount: number;
  problems: string[];
}

/** `clusters`: those that the person may see. Never throws. */
export async function gatherWaiting(deps: SlackDeps, user: string, nowMs: number, clusters: readonly string[]): Promise<Waiting> {
  const found: Waiting = { campaigns: [], gates: [], others: [], troubles: [], runs: [], runCount: 0, problems: [] };
  const membership = new Membership(deps, user, nowMs);
  const theirs = await addCampaigns(deps, user, found, membership);
  let here: Listed = { runs: [], keptFreezes: [] };
  try {
    here = await goingOn(deps, clusters);
  } catch (error) {
    found.problems.push(failureSentence(error, deps.log, 'listing upgrades for the App Home'));
  }
  const own = here.runs.filter(({ runId }) => !theirs.has(runId));
  const unlisted = here.runs.filter((run) => run.waitingFor !== undefined && !own.slice(0, RUNS).includes(run));
  const waiting = [...unlisted, ...here.keptFreezes];
  found.runCount = own.length;
  const read = [...own.slice(0, RUNS), ...waiting.slice(0, WAITING)];
  const statuses = await someAtOnce(read, (run) => workflowStatus(deps, run));
  for (const [index, run] of read.entries()) {
    const one: FoundRun = { run, status: statuses[index], ...channelOf(deps, run.cluster) };
    if (index < own.length && index < RUNS) found.runs.push(one);
    await addGates(deps, found, one, membership);
  }
  const unread = waiting.slice(0, WAITING).filter((run) => statuses[read.indexOf(run)] === undefined).length;
  if (unread > 0) found.problems.push(waitsUnread(unread));
  if (waiting.length > WAITING) found.problems.push(runsNotRead(waiting.length - WAITING));
  found.problems.push(...membership.unreadable());
  found.gates.sort((one, other) => one.expiresAt.localeCompare(other.expiresAt));
  return found;
}

/** Adds what campaigns wait for; gives the ids of their runs. */
async function addCampaigns(deps: SlackDeps, user: string, found: Waiting, membership: Membership): Promise<Set<string>> {
  const { open, unread } = await visibleCampaigns(deps, user);
  found.problems.push(...unread);
  if (open.length > CAMPAIGNS) found.problems.push(campaignsNotRead(open.length - CAMPAIGNS));
  const runs = new Set<string>();
  const read = await someAtOnce(open.slice(0, CAMPAIGNS), (campaign) => readCampaign(deps, campaign));
  for (const [index, policy] of open.entries()) {
    const status = read[index];
    if (status === undefined) continue;
    if (typeof status === 'string') {
      found.problems.push(campaignUnread(policy.name, status));
      continue;
    }
    found.campaigns.push({ status, ...defined({ channel: policy.channel }) });
    for (const is of Object.values(status.state.members)) if ('runId' in is) runs.add(is.runId);
    await addOfCampaign(deps, found, policy, status, membership);
  }
  return runs;
}

/** A sentence where it cannot be read. */
async function readCampaign({ campaigns, log }: SlackDeps, { name }: CampaignPolicy): Promise<CampaignStatus | string> {
  try {
    return await campaigns.status(name);
  } catch (error) {
    return failureSentence(error, log, `reading campaign ${name} for the App Home`);
  }
}

/** Its messages are those of its first run. */
export const threadOf = ({ workflowId, runId, firstRunId = runId }: CampaignStatus): Place['upgrade'] => ({
  workflowId,
  runId: firstRunId,
});

async function addOfCampaign(
  deps: SlackDeps,
  found: Waiting,
  { name, channel = '', approvals }: CampaignPolicy,
  status: CampaignStatus,
  membership: Membership,
): Promise<void> {
  const { state, plan, requestedBy, gates } = status;
  const asked = { approvals: () => approvals, requesters: [requestedBy] };
  const upgrade = threadOf(status);
  for (const gate of gates) {
    const { id, title, expiresAt, progress } = gate;
    const voted = membership.hasVoted(gate);
    const mine = !voted && (await membership.isAsked(gate, asked));
    const place = { channel, upgrade, gateId: id };
    const review = mine || voted ? { workflowId: upgrade.workflowId, gate: id, run: upgrade.runId } : undefined;
    (mine ? found.gates : found.others).push({ cluster: name, title, expiresAt, progress, voted, place, ...defined({ review }) });
  }
  if (!(await membership.maySteer(asked))) return;
  for (const [index, ring] of plan.rings.entries()) {
    for (const { member, is } of membersOf(state, ring)) {
      if (!needsSomebody(is, index === state.ring)) continue;
      const own = 'runId' in is ? channelOf(deps, member.cluster.name).channel : undefined;
      const place =
        own !== undefined && 'runId' in is
          ? { channel: own, upgrade: { workflowId: upgradeWorkflowId(member.cluster), runId: is.runId } }
          : { channel, upgrade };
      found.troubles.push({ cluster: member.cluster.name, campaign: name, ring: ring.name, what: memberText(is), place });
    }
  }
}

/** Rings that are done have said what did not arrive; a run that is stuck is somebody's matter whatever ring it is of. Gates are listed by themselves. */
const needsSomebody = (is: MemberState, isCurrent: boolean): boolean =>
  is.kind === 'stuck' || (isCurrent && is.kind !== 'needs-people' && needsPeople(is));

async function addGates(deps: SlackDeps, found: Waiting, { run, status, channel }: FoundRun, membership: Membership): Promise<void> {
  for (const gate of status?.gates ?? []) {
    const { id, title, expiresAt, progress, workflowId } = gate;
    const voted = membership.hasVoted(gate);
    const { requestedBy, formerly = [], runId = run.runId } = status ?? {};
    const asked = {
      approvals: () => deps.clusters.approvalsOf(run.cluster),
      requesters: requestedBy === undefined ? formerly : [requestedBy, ...formerly],
    };
    const mine = !voted && (await membership.isAsked(gate, asked));
    const review = mine || voted ? { workflowId, gate: id, run: runId } : undefined;
    const shown: Placed<HomeGate> = { cluster: run.cluster, title, expiresAt, progress, voted, ...defined({ review }) };
    if (channel !== undefined) shown.place = { channel, upgrade: run, gateId: id };
    (mine ? found.gates : found.others).push(shown);
  }
}

/** undefined: no worker answers. */
async function workflowStatus({ upgrades, log }: SlackDeps, { cluster }: VisibilityStatus): Promise<UpgradeStatus | undefined> {
  try {
    const answer = await upgrades.status(cluster);
    return answer.source === 'workflow' ? answer.status : undefined;
  } catch (error) {
    log.warn(`reading the status of ${cluster} for the App Home: ${messageOf(error)}`);
    return undefined;
  }
}

function channelOf({ clusters }: SlackDeps, cluster: string): { channel?: string } {
  try {
    const channel = clusters.channelOf(cluster);
    return channel === undefined ? {} : { channel };
  } catch {
    // A run that was started with another belay.yaml.
    return {};
  }
}

/** With their links, one after the other: looking for a message is what Slack limits most. */
export async function linked<T extends { place?: Place }>(deps: SlackDeps, items: readonly T[]): Promise<(T & { url?: string })[]> {
  const all: (T & { url?: string })[] = [];
  for (const item of items) {
    const { place } = item;
    const url = place === undefined ? undefined : await gateUrl(deps, place.channel, place.upgrade, place.gateId);
    all.push({ ...item, ...defined({ url }) });
  }
  return all;
}

async function someAtOnce<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(read))));
  return results;
}
