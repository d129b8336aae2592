/** What the form of campaigns says: labels, hints, and what is wrong with a field. Titles have at most 24 characters. */
import { capital } from '../../domain/core/text.ts';

export const campaignFormTitle = (): string => 'Plan, start or steer';

export const campaignFormButton = (): string => 'Plan, start or steer…';

/** In the form's place, until there is an answer. */
export const campaignAsking = (verb: string, campaign: string): string => `⏳ ${capital(verb)} ${campaign}…`;

export const campaignsNone = (): string => 'belay.yaml names no campaign: docs/operate/campaigns.md shows how to write one.';

export const campaignUnknown = (campaign: string): string =>
  `belay.yaml names no campaign "${campaign}". Type /eks-upgrade campaign to choose one in a form.`;

export const ringHint = (): string => 'For retry and rollback. With retry, leave it empty for the current ring.';

export const onlyHint = (): string => 'For retry. Leave it empty for every cluster that is not at the target.';

export const clustersHint = (): string =>
  'For beside, the cluster whose run is stuck. For retry, those that were rolled back or left out and may be tried again, separated by commas.';

export const withoutHint = (): string =>
  'For retry: clusters that failed and stay as they are, separated by commas. The gate shows them with your reason.';

export const reasonForWithout = (): string => 'Say why the ring continues without these clusters.';

export const campaignReasonHint = (): string =>
  'For pause, resume, retry, beside and stop: everyone in the thread sees it, and the record keeps it.';

export const noCampaignChosen = (): string => 'Choose a campaign.';

export const noVerbChosen = (): string => 'Choose what to do.';

/** `verbs`: those that take it. */
export const notWithVerb = (verb: string, verbs: readonly string[]): string =>
  `Leave this empty with ${verb}: it is only for ${verbs.join(' and ')}.`;

export const noSuchRing = (ring: string, campaign: string, rings: readonly string[]): string =>
  `${campaign} has no ring ${ring}; its rings: ${rings.join(', ')}.`;

export const rollbackNeedsRing = (rings: readonly string[]): string => `Name the ring to roll back: ${rings.join(', ')}.`;

export const besideNeedsCluster = (): string => 'Name the cluster whose run is stuck.';

export const besideOneCluster = (clusterCount: number): string => `Name one cluster, not ${clusterCount}.`;

/** By verb, as options of the form. */
const DOES = {
  plan: 'Plan: read every cluster, change nothing',
  start: 'Start: plan, then ask for the first ring',
  status: 'Status: every ring',
  pause: 'Pause: start no further cluster',
  resume: 'Resume',
  retry: 'Retry the ring: its gate asks again',
  beside: 'Beside: let others start beside a stuck run',
  rollback: 'Roll a ring back while EKS allows it',
  stop: 'Stop: end it once its runs have ended',
} as const;

export const verbDoes = (verb: keyof typeof DOES): string => DOES[verb];
