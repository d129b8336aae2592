/** What people are told of their requests to Temporal: answers, refusals and failures, one named constructor each. */
import { agree, count, someOf } from '../../domain/core/text.ts';
import { MAIN_RULE } from '../../domain/gates/approvals.ts';
import type { RunCommanded, RunsCommanded } from '../../domain/run/campaign/runs-commanded.ts';
import type { BundleOutcome, BundleResult } from '../../domain/run/campaign/bundle-outcome.ts';
import type { RuleViolation } from '../../domain/plan/model/types.ts';

export const gateClosed = (): string => 'This gate is closed: its step has ended, so nothing was changed.';

export const earlierRun = (): string => 'This button belongs to an earlier run that has ended, so nothing was changed.';

/** `version`: of the cluster's control plane; undefined where it could not be read in time. */
export const runForgotten = (cluster: string, version: string | undefined): string =>
  `Temporal no longer knows this run of ${cluster}, so nothing was changed: its database was restored from a backup, or the run ended long ago. ${
    version === undefined ? `Could not read which version ${cluster} runs.` : `The control plane of ${cluster} is at ${version}.`
  } \`belay audit ${cluster}\` shows what the run did.`;

/** For the record of what was refused. `tried`: "decide approve at before:control-plane@1.33#1". */
export const forgottenTried = (tried: string, workflowId: string): string =>
  `${tried} was refused: Temporal does not know that run of ${workflowId}`;

/** No worker has answered in time, as none runs or it is busy; Temporal holds the message. */
export const kept = (): string => 'Recorded; no worker has answered yet, and it is applied as soon as one does.';

/** A proof by AWS cannot wait for longer. */
export const keptBriefly = (): string =>
  'Recorded; no worker has answered yet, and it is applied if one does within a minute. Then your proof of identity expires: check the status afterwards, and send it again if needed. Commands from Slack do not expire.';

export const stillChecking = (): string => 'Recorded; Belay is still checking it and will show the outcome in the thread.';

/** `without`: what there is not, "nothing to pause". */
export const notRunning = (cluster: string, without: string): string => `No upgrade of ${cluster} is running, so there is ${without}.`;

export const whichUpgrade = (): string => 'Which cluster? Name the one whose upgrade you mean.';

/** `problem`: what is wrong with its id. */
export const notAGate = (problem: string): string => `${problem}. The status lists the open gates.`;

/** `open`, here and below: ids of the open gates. */
export const noSuchGate = (wanted: string, open: readonly string[]): string => `No open gate is called ${wanted}. ${openGates(open)}`;

export const gateUnnamed = (cluster: string): string => `Which gate? Name it: "belay status ${cluster}" lists the open gates.`;

export const wholeGateNeeded = (wanted: string): string =>
  `No worker says which gate begins with ${wanted}. Write its whole id, such as before:control-plane@1.33#1, or start a worker and try again.`;

export const severalGates = (wanted: string, open: readonly string[]): string =>
  `Several open gates begin with ${wanted}. ${openGates(open)}`;

export const noGateOpen = (cluster: string): string => `No gate of ${cluster} is open.`;

export const whichOpenGate = (cluster: string, open: readonly string[]): string =>
  `Several gates of ${cluster} are open: ${open.join(', ')}. Name the one that you mean.`;

export const noSuchChoice = (gate: string, choice: string, choices: readonly string[]): string =>
  `${gate} has no choice "${choice}". It has: ${choices.join(', ')}.`;

export const nothingFailed = (cluster: string, choice: string, open: readonly string[]): string =>
  `No step of ${cluster} has failed, so there is nothing to ${choice}. ${openGates(open)}`;

export const nothingFailedAsFarAsKnown = (cluster: string, choice: string): string =>
  `As far as is known without a worker, no step of ${cluster} has failed, so there is nothing to ${choice}.`;

export const severalFailed = (cluster: string, failed: readonly string[]): string =>
  `Several steps of ${cluster} have failed: ${failed.join(', ')}. Decide at the gate that you mean.`;

export const choiceNotOffered = (gate: string, choice: string, choices: readonly string[]): string =>
  `${gate} cannot be answered with ${choice}. It has: ${choices.join(', ')}.`;

const openGates = (ids: readonly string[]): string => `Open gates: ${ids.join(', ') || 'none'}.`;

export const notAMinor = (target: string): string => `"${target.slice(0, 40)}" is not a Kubernetes minor version. Write one such as 1.33.`;

export const notAStep = (step: string): string => `"${step.slice(0, 40)}" is not a step name such as add-ons.`;

/** What is to be done, after the cluster's name: an upgrade, or the way back. */
export interface Wanted {
  target: string;
  back?: boolean;
  undo?: string;
}

export function refusedByRules(cluster: string, wanted: Wanted, violations: readonly RuleViolation[]): string {
  const lines = violations.map(({ rule, message, remedy }) => `\n- ${`${rule}: ${message} ${remedy}`.trim()}`).join('');
  return `${cluster} ${cannot(wanted)}. Nothing was started.${lines}`;
}

function cannot({ back, undo, target }: Wanted): string {
  if (back !== true) return `cannot be upgraded to ${target} yet`;
  return undo === undefined ? 'cannot be rolled back' : `cannot undo ${undo}`;
}

/** `why`: "its window is closed". `opens`: when the next window opens. */
export const outsideWindow = (cluster: string, why: string, opens: string | undefined): string =>
  `${cluster} is not upgraded now: ${why}.${opens === undefined ? '' : ` The next window opens ${opens}.`} Nothing was started. With "outside: queue" in belay.yaml a run waits for its window.`;

export const planFailed = (why: string): string => `Could not make the plan: ${why}`;

export const planTooSlow = (seconds: number, workflowId: string): string =>
  `Reading the cluster takes longer than ${seconds} s. Check workflow ${workflowId} in Temporal UI, then try again.`;

export const checkFailed = (why: string): string => `Could not run the check: ${why}`;

export const forecastFailed = (why: string): string => `Could not make the forecast: ${why}`;

export const noAnswerWithin = (seconds: number): string => `No answer within ${seconds} s.`;

export const reconcileFailed = (why: string): string => `Could not reconcile: ${why}`;

export const reconcileTooSlow = (workflowId: string): string =>
  `This takes longer than expected, and continues: check workflow ${workflowId} in Temporal UI.`;

/** `run`: what is known of it. */
export function alreadyUpgrading(cluster: string, run?: { to: string; state: string; by: string; at: string }): string {
  const known = run === undefined ? '' : ` to ${run.to} (${run.state.replace(/[.\s]+$/, '')}), requested by ${run.by} at ${run.at}`;
  return `${cluster} is already being upgraded${known}. See "belay status ${cluster}".`;
}

export const noKnownUpgrade = (cluster: string): string =>
  `Temporal knows no upgrade of ${cluster}. Start one with "belay start ${cluster}".`;

export const noSuchRun = (cluster: string, run: string): string =>
  `Temporal knows no run ${run.slice(0, 60)} of ${cluster}; "belay history ${cluster}" lists those that have ended, without their messages.`;

export const statusUnread = (why: string): string => `The workflow did not answer (${why}), so only what Temporal knows is available.`;

export const statusWithoutWorker = (taskQueue: string, seconds: number): string =>
  `No worker on task queue ${taskQueue} answered within ${seconds} s, so only what Temporal knows is available. Start one with "belay worker".`;

/** After either of the two. */
export const gatesUnseen = (): string =>
  'Temporal cannot tell whether a gate is waiting, because search attributes are missing: "belay doctor" shows the command that adds them.';

export const noWorker = (taskQueue: string): string => `No worker answers on task queue ${taskQueue}: start one with "belay worker".`;

/** `command`: makes the version that polls the Current one. */
export const noCurrentVersion = (deployment: string, command: string): string =>
  `Workers get no runs, because deployment ${deployment} has no Current version. Set it: ${command}`;

/** `address`, here and below: of Temporal. */
export const temporalUnreachable = (address: string): string =>
  `Temporal at ${address} does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.`;

export const noNamespace = (address: string, namespace: string): string =>
  `Temporal at ${address} has no namespace "${namespace}". Create it with "temporal operator namespace create", or set TEMPORAL_NAMESPACE.`;

export const credentialsRefused = (address: string, details: string): string =>
  `Temporal at ${address} refuses these credentials (${details}). Check TEMPORAL_API_KEY and the TEMPORAL_TLS_ variables.`;

export const attributeMissing = (namespace: string, attribute: string): string =>
  `Temporal's namespace "${namespace}" does not have the search attribute ${attribute}. ` +
  `A worker registers it when it starts ("belay worker"); or run "temporal operator search-attribute create --name ${attribute} --type Keyword".`;

export const temporalAnswered = (address: string, message: string): string => `Temporal at ${address} answered: ${message}`;

export const campaignProblems = (campaign: string, problems: readonly string[]): string =>
  `Campaign ${campaign} cannot start. Nothing was started.${problems.map((problem) => `\n- ${problem}`).join('')}`;

export const campaignRunning = (campaign: string): string =>
  `Campaign ${campaign} is already open: "belay campaign status ${campaign}" shows it, "belay campaign stop ${campaign}" ends it.`;

export const noCampaign = (campaign: string): string =>
  `Campaign ${campaign} is not open. Start it with "belay campaign start ${campaign}".`;

export const campaignNotPaused = (campaign: string, ring: string, why: string): string =>
  `Ring ${ring} was not rolled back, because campaign ${campaign} is running and could not be paused. ${why}`;

export const noProposals = (): string =>
  'Belay proposes no campaigns, because workflow eks-proposals is not running: write proposals in belay.yaml, then restart the worker.';

/** Why an open campaign could not be read: its query was not answered in time. */
export const campaignSilent = (): string => 'no worker answers; start one with "belay worker"';

export const noSuchCampaignYet = (campaign: string, minutes: number): string =>
  `Campaign ${campaign} was not planned within ${minutes} minutes. Check its workflow in Temporal UI, then try again.`;

/** For the audit record. */
export const moreRefused = (moreCount: number): string => `${count(moreCount, 'more request')} ${moreCount === 1 ? 'was' : 'were'} refused`;

export const bundleGone = (): string =>
  'This list has changed since it was shown, so nothing was sent. Use the newest message, or "belay campaign approve CAMPAIGN".';

export const runHasEnded = (): string => 'its run has ended';

/** `why`: of those before it. */
export const notTried = (why: string): string => `not tried, as others could not be reached: ${why}`;

/** What came of one press for many runs. `rules`: `approvers 1`. */
export function bundleApproved({ bundle, results }: BundleOutcome): string {
  const of = (...kinds: BundleResult['kind'][]): BundleOutcome['results'] => results.filter(({ result }) => kinds.includes(result.kind));
  const [voted, kept] = [of('voted', 'voted-before'), of('kept')];
  const part = (all: BundleOutcome['results'], what: string): string[] =>
    all.length === 0 ? [] : [`${all.length} ${what}: ${reasonsOf(all)}.`];
  return [
    `Your approval of ${bundle.step} is recorded for ${voted.length} of ${count(results.length, 'cluster')}.`,
    ...(bundle.rules === ONE_APPROVER || voted.length === 0 ? [] : [`Each gate needs: ${bundle.rules}.`]),
    ...part(of('dropped'), 'dropped out'),
    ...part(of('refused'), 'refused'),
    ...part(of('unreached'), 'could not be reached, and may or may not be approved'),
    ...(kept.length === 0 ? [] : [`${kept.length} kept until a worker answers, and not counted yet: ${namesOf(kept)}.`]),
  ].join('\n');
}

/** What came of pausing or resuming the runs of a campaign. */
export function runsCommanded({ verb, results }: RunsCommanded): string {
  if (results.length === 0) return 'The campaign has no running upgrades.';
  const of = (kind: RunCommanded['kind']): RunsCommanded['results'] => results.filter(({ result }) => result.kind === kind);
  const part = (kind: RunCommanded['kind'], what: string): string[] => {
    const all = of(kind);
    return all.length === 0 ? [] : [`${all.length} ${what}: ${kind === 'kept' || kind === 'ended' ? namesOf(all) : reasonsOf(all)}.`];
  };
  const heard = of('done').length;
  const done =
    verb === 'pause'
      ? `${agree(heard, 'is', 'are')} paused: the running step finishes, and no further step starts`
      : agree(heard, 'continues', 'continue');
  return [
    `${heard} of ${count(results.length, 'run')} ${done}.`,
    ...part('refused', 'refused'),
    ...part('ended', 'had ended'),
    ...part('unreached', 'could not be reached, and may or may not have received the command'),
    ...part('kept', 'kept until a worker answers'),
  ].join('\n');
}

/** An answer is read on a phone. */
const MOST_REASONS = 6;
const ONE_APPROVER = `${MAIN_RULE} 1`;

type Told = readonly { cluster: string; result: { kind: string } | { kind: string; why: string } }[];

const namesOf = (results: Told): string =>
  someOf(
    results.map(({ cluster }) => cluster),
    10,
  );

/** Reasons, each with the clusters that it is of. */
function reasonsOf(results: Told): string {
  const byReason = Map.groupBy(results, ({ result }) => ('why' in result ? result.why.replace(/[.\s]+$/, '') : ''));
  const groups = [...byReason].toSorted(([, a], [, b]) => b.length - a.length);
  const shown = groups.slice(0, MOST_REASONS).map(([why, all]) => `${namesOf(all)} (${why})`);
  const left = groups.slice(MOST_REASONS).flatMap(([, all]) => all);
  return [...shown, ...(left.length === 0 ? [] : [`${namesOf(left)} (other reasons)`])].join('; ');
}
