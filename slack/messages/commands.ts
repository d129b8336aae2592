/** How `/eks-upgrade` is used, and what is wrong with a command as it was typed. Plain text: callers escape it. */
import { capital } from '../../domain/core/text.ts';
import { UNDO_STEPS_TEXT } from '../../domain/plan/undo/names.ts';

/** As the person wrote it, at most 40 characters. */
function quoted(word: string): string {
  const whole = word.toWellFormed();
  return `"${whole.length > 40 ? `${whole.slice(0, 39).toWellFormed()}…` : whole}"`;
}

export const commandTooLong = (length: number, most: number): string =>
  `The command has ${length} characters; at most ${most} are allowed.`;

/** `close`: the command that was probably meant. */
export const unknownCommand = (word: string, close?: string): string =>
  `Unknown command: ${quoted(word)}.${close === undefined ? '' : ` Did you mean /eks-upgrade ${close}?`}`;

export const unknownOption = (word: string): string => `Unknown option: ${quoted(word)}.`;

export const unexpectedArgument = (word: string): string => `Unexpected argument: ${quoted(word)}.`;

/** `verb`: as it is typed. */
export const whichCluster = (verb: string): string => `Which cluster? Type /eks-upgrade ${verb} CLUSTER.`;

export const notAClusterName = (word: string): string => `${quoted(word)} is not a cluster name.`;

export const whichVersion = (verb: string, cluster: string): string => `Which version? Type /eks-upgrade ${verb} ${cluster} 1.33`;

export const notAMinor = (word: string): string => `${quoted(word)} is not a Kubernetes minor version such as 1.33.`;

export const notAStrategy = (word: string, strategies: readonly string[]): string =>
  `${quoted(word)} is not a strategy; write ${strategies.join(' or ')}.`;

export const notAStep = (word: string): string => `${quoted(word)} is not a step name such as add-ons.`;

export const notACampaignVerb = (word: string, verbs: readonly string[]): string =>
  `Unknown campaign command: ${quoted(word)}. Write ${verbs.join(', ')}, or nothing to list the open campaigns.`;

/** `verb`: as it is typed. */
export const campaignNeedsName = (verb: string): string => `Which campaign? Type /eks-upgrade campaign ${verb} NAME.`;

/** `campaign`: its name. */
export const besideWhat = (campaign: string): string => `Which cluster is stuck? Type /eks-upgrade campaign beside ${campaign} CLUSTER.`;

export const rollbackOfWhat = (campaign: string): string =>
  `Which ring do you want to roll back? Type /eks-upgrade campaign rollback ${campaign} RING.`;

export const notRetriable = (word: string, kinds: readonly string[]): string =>
  `${quoted(word)} cannot be retried; write ${kinds.join(', ')}, separated by commas.`;

/** `example`: what can be written there. */
export const withoutValue = (option: string, example: string): string => `${option}= needs a value; write ${option}=${example}.`;

/** `clusters`: those that a ring is to go on without. */
export const withoutNeedsReason = (clusters: readonly string[]): string =>
  `Why should the ring continue without ${clusters.map((each) => quoted(each)).join(', ')}? End the command with reason=WHY.`;

/** `form`: what a pace looks like. */
export const whichPace = (form: string): string => `Which pace? ${capital(form)}.`;

export const notAPace = (word: string, form: string): string => `${quoted(word)} is not a pace: ${form}.`;

export const notifyHow = (): string => 'Type /eks-upgrade notify me on, or notify me off.';

export const skipNeedsReason = (): string => 'Why should the step be skipped? Type /eks-upgrade skip CLUSTER WHY.';

export const whichGate = (): string =>
  'Which gate needs more time, and how much? Type /eks-upgrade extend CLUSTER 2h, or /eks-upgrade extend CLUSTER GATE 2h.';

export const notADuration = (word: string): string => `${quoted(word)} is not a duration such as 30m, 2h or 1d.`;

export const notAUserId = (word: string): string =>
  `${quoted(word)} is not a Slack user ID such as U012AB3CD (in the profile: "Copy member ID").`;

/** Already mrkdwn. */
export const usage = (): string =>
  [
    '`/eks-upgrade` alone shows what runs here, or opens a form to plan or start an upgrade',
    '`/eks-upgrade check CLUSTER [VERSION]` says what blocks an upgrade, and changes nothing',
    '`/eks-upgrade plan CLUSTER [VERSION]` shows the plan and changes nothing',
    '`/eks-upgrade forecast CLUSTER [VERSION]` simulates the plan on a snapshot of the cluster: how long it takes, which pods block, what goes down; changes nothing',
    '`/eks-upgrade start CLUSTER [VERSION]` plans, then starts; every gate asks for approval first',
    `\`/eks-upgrade rollback CLUSTER\` plans the rollback of the control plane to its previous minor and starts it; \`rollback CLUSTER STEP\` that of one step of the last run, ${UNDO_STEPS_TEXT}; \`--dry-run\` only shows it; \`rollback CLUSTER list\` shows which steps can be undone, until when and at what cost, with a button for each`,
    '`/eks-upgrade reconcile CLUSTER` shows what an interrupted run left behind, with a button to restore it; `--dry-run` only shows it, `--roll` also lets Karpenter replace nodes that lag behind',
    '`/eks-upgrade status [CLUSTER]` shows where an upgrade is; without a cluster, what runs here and who has to decide; `digest [24h]` shows what has ended since, what waits and what is due',
    '`/eks-upgrade campaign` lists the open campaigns, with a form; `campaign plan NAME`, `start`, `status`, `pause`, `resume`, `stop`, `rollback NAME RING`, `beside NAME CLUSTER` and `retry NAME [RING] [only=failed,held] [lift=CLUSTER] [without=CLUSTER reason=WHY]` plan and steer one',
    '`/eks-upgrade pause CLUSTER` stops before the next step, `resume CLUSTER` continues, `abort CLUSTER` ends the upgrade and undoes its temporary changes',
    '`/eks-upgrade pace CLUSTER PACE` sets how fast Karpenter replaces its nodes while it does: freeze, 1, 10%, 20%, original or automatic',
    '`/eks-upgrade approve CLUSTER [GATE]`, `reject CLUSTER [GATE]` show you the open gate, with its evidence and the buttons to decide',
    '`/eks-upgrade retry CLUSTER [WHY]` runs a failed step again; `skip CLUSTER WHY` continues without it',
    '`/eks-upgrade extend CLUSTER [GATE] 2h` gives the gate, or the only open one, more time; `handover CLUSTER [USER-ID]` makes somebody else the requester, and without an ID asks whom',
    '`/eks-upgrade history CLUSTER` lists upgrades that have ended; `report CLUSTER` puts the whole record of the last one into its thread',
    '`/eks-upgrade notify me on` sends you a direct message when a gate waits for you; `notify me off` stops that',
    '`/eks-upgrade help` shows this',
    'start, rollback, abort and skip ask for confirmation before they act; only you see the question.',
    'For plan, forecast and start: `--strategy every-hop` or `--strategy once-at-the-end` sets when nodes are replaced.',
  ].join('\n');
