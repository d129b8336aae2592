/** What the board, the pace, the report and the channel of stakeholders say of a run. mrkdwn: what is given is escaped already. */
import { count } from '../../domain/core/text.ts';
import { campaignNamed } from '../../domain/run/campaign/view.ts';
import type { FreezeView } from '../../domain/run/record/status.ts';

const FREEZES: Readonly<Record<Exclude<FreezeView['state'], 'none'>, string>> = {
  frozen: '❄ Karpenter drift is frozen',
  pacing: '🐢 Karpenter replaces nodes at a limited pace',
  lifted: '☀ The freeze is lifted',
  kept: '❄ The freeze is kept on purpose',
  'not-restored': '🚨 The freeze could not be restored',
};

export const freezeOnBoard = (state: Exclude<FreezeView['state'], 'none'>): string => FREEZES[state];

export const pacingOnBoard = (most: string): string => `🐢 Karpenter replaces nodes, at most ${most} at a time in each node pool`;

export const pausing = (): string => 'pause requested: the running step finishes first';

export const requestedBy = (person: string, at: string): string => `Requested by ${person}, ${at}`;

export const rollbackWindow = (minor: string, until: string): string => `EKS can roll back to ${minor} until ${until}`;

export const mayDecide = (approvers: string): string => `Approvers: ${approvers}`;

export const workLeft = (left: string, earliest: string): string => `about ${left} of work left, done ${earliest} at the earliest`;

/** `what`: "at most 10% of the nodes at a time". */
export const paceNow = (title: string, what: string, frozen: boolean): string =>
  `${frozen ? '❄' : '🐢'} *${title}*: Karpenter replaces ${what}.`;

/** `steps`: "10%, then 20%, then the original budgets". */
export const paceByPlan = (steps: string): string => `The plan continues: ${steps}. Approvers may change the pace here.`;

export const paceByPerson = (person: string, { steps, reason }: { steps: string; reason?: string }): string =>
  `Set by ${person}${reason === undefined ? '' : ` (${reason})`}. The plan's own steps (${steps}) are on hold until somebody presses Automatic.`;

export const nodesReplaced = (replacedCount: number, remainingCount: number): string =>
  `${count(replacedCount, 'node')} replaced, ${remainingCount} to go`;

export const changeWanted = (ask: { component: string; name: string; version: string; managedBy: string }): string =>
  `Requested change: ${ask.component} ${ask.name} at ${ask.version}, managed by ${ask.managedBy}`;

/** Below a change that is asked for. `until`: when its step gives up. */
export const changeDue = (person: string, until: string): string =>
  `For ${person} or whoever may make this change, by ${until}. After that the step fails, and you are asked what to do with it.`;

export const changeLasts = (person: string): string =>
  `For ${person} or whoever may make this change. No deadline: the run does not wait for it.`;

export const runEnded = (): string => 'The run has ended.';

export const nothingLeftBehind = (): string => 'Nothing was left behind.';

export const runLeftBehind = ({ what, why, kept }: { what: string; why: string; kept: boolean }): string =>
  `${kept ? '❄ *Kept on purpose*' : '🚨 *Not restored*'}: ${what} – ${why}`;

/** What is left of the run is `owner`'s to restore. */
export const restoreLeft = (owner: string, cluster: string, leftCount: number): string =>
  `${owner}: restore ${leftCount === 1 ? 'it' : `these ${leftCount}`} before the next upgrade; \`belay reconcile ${cluster}\` shows what is still open.`;

export const runTook = (took: string, person: string): string => `Took ${took}, requested by ${person}`;

export const moreInReport = (cluster: string): string => `For the rest: \`belay report ${cluster}\`.`;

/** `command`, here and below: that of `belay reconcile`, as code. */
export const mergesUnread = (command: string): string =>
  `${command} shows which of these changes have been merged, as far as Belay can see.`;

export const allMerged = (): string => 'When the run ended, everything that Belay can check had already been merged and applied.';

export const checksMergesAgain = (command: string): string => `${command} checks again.`;

export const planBackTitle = (): string => 'Plan the rollback?';

/** For stakeholders, as those below. `work`: "2 h". `link`: to the thread, "" where there is none. */
export const stakeholdersStarted = (run: string, { person, work }: { person: string; work?: string }): string =>
  `🚀 *Started: ${run}*, requested by ${person}.${work === undefined ? '' : ` About ${work} of work, plus the time that decisions take.`}`;

export const stakeholdersAsked = (cluster: string, title: string, expiresAt: string): string =>
  `⏳ *${cluster} needs a decision*: ${title} Decide by ${expiresAt}.`;

export const stakeholdersDecided = (cluster: string, decision: { title: string; choice: string; person: string }): string =>
  `☑ ${cluster}: ${decision.title} ${decision.choice} by ${decision.person}.`;

export const stakeholdersExpired = (cluster: string, title: string): string => `⌛ ${cluster}: ${title} Nobody decided in time.`;

export const stakeholdersWithdrawn = (cluster: string, title: string, why: string): string => `↩ ${cluster}: ${title} Withdrawn, ${why}.`;

export const stakeholdersFinished = (run: string, { headline, took }: { headline: string; took?: string }): string =>
  `*${run}*. ${headline}.${took === undefined ? '' : ` It took ${took}.`}`;

export const campaignTitle = ({ phase, arrivedCount, clusterCount, ...of }: CampaignHeading): string =>
  `${campaignNamed(of)}: ${phase}, ${arrivedCount} of ${count(clusterCount, 'cluster')} done`;

interface CampaignHeading {
  campaign: string;
  rollbackOf?: { campaign: string; ring: string };
  target: string;
  phase: string;
  arrivedCount: number;
  clusterCount: number;
}

export const moreNeed = (moreCount: number, campaign: string): string => `and ${moreCount} more: \`belay campaign status ${campaign}\``;

/** Of a plan, before anything is started. */
export const moreInPlan = (moreCount: number, campaign: string): string => `and ${moreCount} more: \`belay campaign plan ${campaign}\``;

export const campaignAsked = (person: string, planHash: string, campaign: string): string =>
  `Requested by ${person} · plan ${planHash} · \`belay campaign status ${campaign}\` lists every cluster`;

/** mrkdwn. */
export const ringTitle = (of: { ring: string; campaign: string; target: string; attempt: number }): string =>
  `Ring ${of.ring} of campaign ${of.campaign} to ${of.target}${of.attempt === 1 ? '' : `, attempt ${of.attempt}`}`;

export const ringPlace = (place: number, ofCount: number): string => `Ring ${place} of ${ofCount}`;

/** `soak`: "24 h". */
export const ringRules = (parallel: number, soak: string): string => `up to ${parallel} at a time, soak ${soak}`;

export const ringBegunAt = (at: string): string => `started ${at}`;

export const ringListed = (): string => 'the thread lists every cluster';

export const campaignPlanTitle = (campaign: string, target: string, planHash: string): string =>
  `Campaign ${campaign} to ${target}: plan ${planHash}`;

export const ringPlanned = ({ name, going, of, parallel, failures, succeed, soak }: PlannedNumbers): string =>
  `*${name}*: ${going} of ${count(of, 'cluster')} can start, ${parallel} at a time; ${succeed} must succeed, ${failures} may fail; soak ${soak}`;

interface PlannedNumbers {
  name: string;
  going: number;
  of: number;
  parallel: number;
  failures: number;
  succeed: number;
  soak: string;
}
