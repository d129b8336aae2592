/** Questions before a command that cannot be undone, or that posts: the same words in Slack and on a terminal. Plain text. */

export const startTitle = (cluster: string, target: string): string => `Start the upgrade of ${cluster} to ${target}?`;

export const startMeans = (): string =>
  "Belay plans it, opens a thread in the cluster's channel, and waits at the first gate. Nothing is changed before somebody approves that gate.";

/** `strategy`: as it was typed. */
export const startStrategy = (strategy: string): string => `Nodes: ${strategy}`;

export const rollbackTitle = (cluster: string): string => `Roll ${cluster} back?`;

export const planBackMeans = (): string =>
  'Opens its own thread with the plan, and waits at its first gate. Nothing is changed before somebody approves that gate. EKS can roll a control plane back for seven days after its upgrade.';

/** `step`: of the last run. */
export const undoTitle = (cluster: string, step: string): string => `Undo ${step} of ${cluster}?`;

export const planUndoMeans = (step: string): string =>
  `Opens its own thread with the plan to undo ${step}, and waits at its first gate. Nothing is changed before somebody approves that gate.`;

export const abortTitle = (cluster: string): string => `Abort the upgrade of ${cluster}?`;

export const abortMeans = (): string =>
  'No further step starts. Versions already changed stay; temporary changes are undone, but a Karpenter freeze stays while nodes lag behind the control plane.';

export const abortIsFinal = (): string => 'An abort cannot be undone. A new upgrade starts from the state that the cluster is in by then.';

/** `run`: "staging 1.31 → 1.32". `state`: where it is, "" where that is not known. */
export const runNow = (run: string, state: string): string => (state === '' ? `Now: ${run}` : `Now: ${run} – ${state}`);

/** `step`: its title. */
export const runsNow = (step: string): string => `Running: ${step}. Belay waits for what EKS has already started.`;

/** `gate`: its title. */
export const skipTitle = (cluster: string, gate: string): string => `Skip this step of ${cluster}? ${gate}`;

/** `reason`: as it was typed. */
export const skipReason = (reason: string): string => `Your reason, as the thread and the record will show it: ${reason}`;

/** `why`: a sentence that says why no more is known. */
export const skipUnseen = (gate: string, why: string): string => `Could not read gate ${gate}: ${why}`;

export const campaignStartTitle = (campaign: string, target: string): string => `Start campaign ${campaign} to ${target}?`;

/** `ring`: the first one. */
export const campaignStartMeans = (ring: string): string =>
  `Belay checks every cluster, which takes a few minutes, opens a thread, and waits at the gate of ring ${ring}. No cluster is upgraded before somebody approves that gate.`;

export const campaignStopTitle = (campaign: string): string => `Stop campaign ${campaign}?`;

export const campaignStopMeans = (): string =>
  'No further cluster starts. Running upgrades finish on their own, and their gates still need decisions.';

/** `why`: a sentence that says why no more is known. */
export const campaignUnseen = (why: string): string => `Could not read where it is: ${why}`;

export const ringRollbackTitle = (campaign: string, ring: string): string => `Roll ring ${ring} of campaign ${campaign} back?`;

export const ringRollbackMeans = (): string =>
  'Pauses the campaign, and reads which clusters EKS can still roll back (for seven days after their upgrade). Belay then opens a thread with the list, and waits for one approval with a reason. No cluster is rolled back before that.';
