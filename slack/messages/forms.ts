/** What forms say: titles, explanations, hints, and what is missing. Titles have at most 24 characters. */

export const moreTimeTitle = (): string => 'More time';

/** mrkdwn. */
export const gateExpires = (until: string): string => `It expires ${until}.`;

export const howMuchLonger = (): string => 'How much longer?';

export const moreTimeHint = (): string => 'Added to the current deadline; at most a week from now.';

export const noTimeChosen = (): string => 'Choose how much longer the gate waits.';

export const reasonHint = (): string => 'Everyone in the thread sees it, and the record keeps it.';

export const noReason = (): string => 'Write why, in a few words.';

export const handOverTitle = (): string => 'Hand over';

export const handOverExplained = (): string => 'Somebody else becomes the requester of this upgrade; a message in the thread tells them.';

export const handOverFourEyes = (): string => 'Neither of you may approve it, unless belay.yaml allows that (approvals.allowRequester).';

export const nobodyChosen = (): string => 'Choose a person.';

export const upgradeTitle = (): string => 'Upgrade a cluster';

export const nothingBeforeApproval = (): string => 'Nothing is changed before someone approves it at a gate.';

export const moreClusters = (moreCount: number): string => `${moreCount} more: /eks-upgrade start CLUSTER VERSION`;

/** mrkdwn, as those below. */
export const readingVersion = (cluster: string): string => `⏳ Reading which version ${cluster} runs…`;

export const noNewerVersion = (cluster: string, version: string): string =>
  `${cluster} runs ${version}. EKS offers no newer version, so there is nothing to do.`;

export const runsVersion = (version: string): string => `It runs ${version} now.`;

export const versionUnknown = (): string => 'Could not read from EKS which version it runs';

export const checkingReadiness = (cluster: string, target: string): string => `⏳ Checking whether ${cluster} is ready for ${target}…`;

export const readinessUnknown = (why: string): string => `❔ Could not check whether it is ready: ${why}`;

export const nodesAsConfigured = (): string => 'As configured and planned';

export const dryRunOption = (): string => 'Only show the plan, change nothing';

export const noClusterChosen = (): string => 'Choose a cluster.';

export const versionsNotReadYet = (): string => 'The versions of this cluster have not been read yet. Wait a moment, then choose a target.';
