/** What a command has done, or why it ends with another exit code than 0. */
import { agree, count, someOf } from '../../domain/core/text.ts';
import type { WhomToAsk } from '../../domain/gates/approvals.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { People } from '../../domain/policy/identities.ts';

export const failedWithoutMessage = (): string => 'Something failed without a message; repeat the command with --debug.';

/** Transient errors to a worker, which retries; a person can check as well. */
export const unreachable = (message: string): string =>
  `${message}. Try again. If it persists, check that this machine can reach it (network, VPN, proxy).`;

export const writtenTo = (file: string): string => `Written to ${file}.`;

export const validConfig = (file: string, clusters: number): string =>
  `${file} is valid: ${clusters} ${clusters === 1 ? 'cluster' : 'clusters'}.`;

/** Valid, and to be known all the same. */
export const fileWarning = (file: string, { why, fix }: { why: string; fix: string }): string => `${file}: warning: ${why}; ${fix}.`;

/** Of a command that starts nothing. */
export const groupsUnreadable = ({ fileName, unreadableGroups }: Pick<Config, 'fileName' | 'unreadableGroups'>): string => {
  const paths = unreadableGroups.map(({ path }) => path);
  return fileWarning(fileName, {
    why: `no upgrade can start with this file: without Slack (it has no slack.channel) nobody can look up who is in the Slack user groups of ${someOf(paths, MOST_GROUPS)}`,
    fix: 'name each person under users, with their AWS identities under people, or write slack.channel',
  });
};

const MOST_GROUPS = 3;

export const takingSnapshot = (cluster: string): string =>
  `Taking a snapshot of ${cluster} for this forecast; "belay snapshot ${cluster}" takes one to keep.`;

export const forecastKept = (location: string): string =>
  `Saved at ${location}. The plan's gate will show it, and the record of the upgrade will be compared with it.`;

/** `why`: without a full stop. */
export const forecastNotKept = (why: string): string => `Could not save the forecast with the records: ${why}.`;

export const filesWritten = (fileCount: number): string => `${count(fileCount, 'file')} written.`;

/** `why`: without a full stop. `usesSlack`, here and below: belay.yaml names a channel. */
export const noAwsCredentials = (file: string, why: string, usesSlack: boolean): string =>
  `${file} identifies people by AWS identities, and this shell has no AWS credentials that show who you are (${why}). Log in, for example with "aws sso login"${usesSlack ? ', or act in Slack' : ''}.`;

export const cliMayNotDecide = (file: string, cluster: string, usesSlack: boolean): string =>
  `${file} does not let the command line decide for ${cluster}: ${usesSlack ? 'decide in Slack, ' : ''}list people with their AWS identities under people, or set approvals.allowUnverifiedCli to true.`;

export const breakGlassNeedsAws = (file: string): string =>
  `Break-glass requires an AWS identity: list people under people in ${file}, and log in to AWS in this shell.`;

export const breakGlassNeedsWorker = (cluster: string): string =>
  `The run of ${cluster} did not answer, so nothing was sent. Break-glass needs a worker: start one with "belay worker", then repeat the command.`;

/** `actual`: the plan's hash, where it can be read. */
export const otherPlan = (cluster: string, gate: string, wanted: string, actual: string | undefined): string =>
  `${actual === undefined ? `Could not read which plan gate ${gate} is about` : `Gate ${gate} is about plan ${actual}, not ${wanted}`}. Nothing was sent; see "belay status ${cluster}".`;

export const sendChoice = (choice: string): string => `Send "${choice}"? [y/N] `;

export const nothingSent = (): string => 'Nothing was sent.';

export const nothingChanged = (): string => 'Nothing was changed.';

export const noPlan = (): string => 'No plan satisfies all rules; see the remedies above.';

export const nothingStarted = (): string => 'Nothing was started: no plan satisfies all rules. See the remedies above.';

export const cannotGoBack = (cluster: string): string => `${cluster} cannot be rolled back; see the remedies above.`;

export const startedRun = (workflowId: string, cluster: string): string =>
  `Started: ${workflowId}. Nothing is changed before its first gate is approved; follow it with "belay status ${cluster} --watch".`;

export const notReady = (cluster: string, target: string): string => `${cluster} is not ready for ${target}; see the report.`;

/** `file`: belay.yaml, whose target it is. */
export const targetReached = (cluster: string, version: string, { target, file }: { target: string; file: string }): string =>
  `${cluster} is ${version === target ? `already at ${target}` : `at ${version}, ahead of ${target}`}, the target in ${file}: there is nothing to check. Name a newer version with --target, or in the file.`;

export const notAllSeen = (cluster: string): string => `Could not check everything on ${cluster}; the report says what is missing.`;

export const checksFailed = (failedCount: number): string => `${count(failedCount, 'check')} failed; the fix is shown with each.`;

/** `people`: AWS identities by Slack ID. */
export function askThem({ users, groups }: WhomToAsk, people: People): string {
  const named = users.map((id) => [id, ...(people[id] === undefined ? [] : [`(${people[id].join(', ')})`])].join(' '));
  return `These people may: ${someOf([...groups.map((id) => `members of Slack user group ${id}`), ...named], MOST_ASKED)}.`;
}

const MOST_ASKED = 8;

export const noTimeline = (): string => 'No step of this run has started, so there is no timeline to draw.';

export const leftToMigrate = (where: string): string => `Something is left to migrate in ${where}; see above.`;

export const migrationUnseen = (where: string): string => `Could not check everything in ${where}; see above.`;

export const nothingLeftBehind = (cluster: string): string => `Runs have left nothing behind on ${cluster}.`;

export const leftBehind = (cluster: string): string => `Left behind on ${cluster} by earlier runs:`;

export const restoreWith = (cluster: string): string => `Nothing was changed. "belay reconcile ${cluster} --yes" restores it.`;

export const adoptWith = (cluster: string): string => `Nothing was changed. "belay adopt ${cluster} --yes" restores it.`;

export const freezeWithoutGuard = (cluster: string): string =>
  `Karpenter stays frozen where nodes lag behind the control plane, and nothing guards that freeze now. "belay reconcile ${cluster} --yes --roll" lifts it and lets Karpenter replace them; otherwise the next upgrade or rollback of ${cluster} takes it over.`;

export const adoptRefused = (clusters: readonly string[]): string => `Not checked, or not restored: ${clusters.join(', ')}`;

export const changesInCode = (): string => 'Changes of the last run in your source code ("belay report" has the lines):';

export const noAuditEntries = (): string => 'The audit record has no entries.';

export const noAuditRecords = (): string => 'There are no audit records.';

/** `broken`: sentences without full stops. */
export const auditAltered = (broken: readonly string[]): string =>
  `The record was altered. ${broken.join('; ')}. Compare it with the hashes on the gates' messages in Slack.`;

export const temporalNotAsked = (why: string): string => `Temporal was not asked: ${why}`;

export const recordsWrong = (wrongCount: number, recordCount: number): string =>
  `${wrongCount} of ${count(recordCount, 'record')} ${agree(wrongCount, 'is', 'are')} not as Belay wrote ${agree(wrongCount, 'it', 'them')}.`;

export const recordsUnanchored = (unanchoredCount: number, recordCount: number): string =>
  `${unanchoredCount} of ${count(recordCount, 'record')} ${agree(unanchoredCount, 'has', 'have')} no anchor; compare with the messages in Slack (--head).`;

export const beliefsBroken = (cluster: string, brokenCount: number): string =>
  `${count(brokenCount, 'belief')} did not hold on ${cluster}; docs/inside/beliefs.md says what depends on each.`;

export const beliefsLeft = (cluster: string): string => `Could not restore everything on ${cluster}; see above.`;

export const beliefsUntried = (cluster: string, untriedCount: number): string =>
  `${count(untriedCount, 'belief')} could not be tried on ${cluster}, because a right or an answer is missing.`;

export const needsYes = (): string => 'Add --yes: there is no terminal to ask whether this cluster may be changed.';

export const mayChange = (cluster: string): string =>
  `Add-ons, NodePools, tags and objects of ${cluster} will be changed and restored. Type its name to continue: `;

export const campaignStarted = (workflowId: string, campaign: string): string =>
  `Started ${workflowId}. Its first ring waits for approval: "belay campaign promote ${campaign}", or the buttons in Slack.`;

export const rollbackOfRingStarted = (workflowId: string, name: string): string =>
  `Started ${workflowId}. It waits for one approval with a reason: "belay campaign promote ${name} --reason ...", or the buttons in Slack. Use its name, ${name}, with status, pause, resume, retry and stop.`;

export const campaignNothingOpen = (campaign: string): string =>
  `No ring of campaign ${campaign} is waiting for approval; "belay campaign status ${campaign}" shows where it is.`;
