/** Who hears of runs beside Slack, and of what: `notifications:` in belay.yaml, resolved. */

/** Every type of event, with what it says. In CloudEvents the type has `dev.belay.` before it. The order is that of the documentation. */
export const EVENT_TYPES = {
  'upgrade.started': 'The plan is made, and the run has begun',
  'upgrade.paused': 'Somebody has paused the run',
  'upgrade.resumed': 'A paused run continues',
  'upgrade.finished': 'The run has ended: `report.outcome` says how',
  'step.started': 'A step has begun, or begins again after a retry',
  'step.completed': 'A step has ended well',
  'step.skipped': 'A step was skipped',
  'step.failed': 'A step has failed; a gate asks what to do',
  'step.aborted': 'A step was ended early',
  'gate.opened': 'A decision is needed',
  'gate.reminder': 'A gate is still open',
  'gate.extended': 'A gate has more time: `gate.expiresAt` is new',
  'gate.decided': 'A gate was decided: `gate.decision` says how and by whom',
  'gate.expired': 'Nobody decided in time; that is never a yes',
  'gate.withdrawn': 'A gate needs no decision any more',
  'change.requested': 'Somebody else has to change something: a merge or an apply',
  'rollback.opened': 'EKS has moved the control plane after its run had ended; it can be rolled back until `rollback.until`',
  'rollback.closing': 'A day, then an hour is left to roll the control plane back',
  'rollback.closed': 'The control plane cannot be rolled back any more',
  'rollback.unrequested': 'Somebody rolls the control plane back after its run, and no run requested it',
  'note.info': 'One line of the thread',
  'note.warning': 'One line of the thread that warns',
  'note.alarm': 'One line of the thread that is an alarm',
  'campaign.started': 'A campaign has begun: its first ring will be asked about',
  'campaign.finished': 'A campaign has ended: `campaign.phase` is complete or stopped',
  'campaign.gate.opened': 'A ring of a campaign needs a decision',
  'campaign.gate.reminder': 'The gate of a ring is still open',
  'campaign.gate.extended': 'The gate of a ring has more time: `gate.expiresAt` is new',
  'campaign.gate.decided': 'The gate of a ring was decided: `gate.decision` says how and by whom',
  'campaign.gate.expired': 'Nobody decided about a ring in time; that is never a yes',
  'campaign.gate.withdrawn': 'The gate of a ring needs no decision any more',
  'campaign.note.info': 'One line of the thread of a campaign',
  'campaign.note.warning': 'One line of the thread of a campaign that warns',
  'campaign.note.alarm': 'One line of the thread of a campaign that is an alarm, such as a ring that stopped',
  'proposal.made': 'Clusters are due for a campaign that nobody has proposed before',
  'proposal.dismissed': 'Somebody has dismissed a proposal: it is not made again',
  'proposal.unread': 'Belay could read nothing, so it does not know whether a campaign is due',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

export const ALL_EVENTS = Object.keys(EVENT_TYPES) as EventType[];

/** As in Slack's channel for stakeholders: starts, gates, ends, of runs and of campaigns. */
export const MAIL_EVENTS: readonly EventType[] = [
  'upgrade.started',
  'upgrade.finished',
  'gate.opened',
  'gate.decided',
  'gate.expired',
  'gate.withdrawn',
  'campaign.started',
  'campaign.finished',
  'campaign.gate.opened',
  'campaign.gate.decided',
  'campaign.gate.expired',
  'campaign.gate.withdrawn',
];

/** Without Slack a mail is what people have: also what needs somebody, beside gates. */
export const MAIL_EVENTS_WITHOUT_SLACK: readonly EventType[] = [
  ...MAIL_EVENTS,
  'change.requested',
  'rollback.opened',
  'rollback.closing',
  'rollback.unrequested',
  'note.alarm',
  'campaign.note.alarm',
];

export type DeliveryKind = 'webhook' | 'email';

/**
 * What a run records of one delivery when it begins. Types are listed one by one, so that a type of a later release is not sent by a run that
 * began before: its history replays.
 */
export interface DeliveryTerms {
  name: string;
  kind: DeliveryKind;
  events: EventType[];
}

/** Where secrets are read: a file, or a variable of the environment. Never the secret itself. */
export interface SecretPlace {
  file?: string;
  from?: string;
}

export interface WebhookAccess extends DeliveryTerms {
  kind: 'webhook';
  /** One of both: the address may hold a token. */
  url: { url: string } | SecretPlace;
  secret: SecretPlace;
  allowPlainHttp: boolean;
}

export interface MailAccess extends DeliveryTerms {
  kind: 'email';
  host: string;
  port: number;
  /** none: plain text all the way, to this machine or where belay.yaml says so. */
  tls: 'starttls' | 'implicit' | 'none';
  user?: string;
  password?: SecretPlace;
  from: string;
  to: string[];
}

export type DeliveryAccess = WebhookAccess | MailAccess;

/** As belay.yaml has it: access, and whose runs it is for. Absent filters: all. */
export interface ConfiguredDelivery {
  access: DeliveryAccess;
  environments?: string[];
  clusters?: string[];
}

/** Those that hear of a cluster, in the file's order. */
export function deliveriesFor(
  all: readonly ConfiguredDelivery[],
  { cluster, environment }: { cluster: string; environment: string },
): DeliveryTerms[] {
  return all
    .filter(({ environments, clusters }) => environments?.includes(environment) !== false && clusters?.includes(cluster) !== false)
    .map(({ access: { name, kind, events } }) => ({ name, kind, events }));
}

/** Everybody who hears of at least one of these, as of a campaign of many clusters. In the order in which they are first named. */
export function deliveriesOfSome(policies: readonly { deliveries?: readonly DeliveryTerms[] }[]): DeliveryTerms[] {
  const byName = new Map(policies.flatMap(({ deliveries = [] }) => deliveries.map((terms) => [terms.name, terms] as const)));
  return [...byName.values()];
}
