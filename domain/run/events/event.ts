/** What runs, campaigns and proposals tell beside Slack: events with all that is needed to act on them. The shape of `data` is documented in docs/operate/notifications.md. */
import type { DeliveryTerms, EventType } from '../../policy/deliveries.ts';
import type { PublishInput } from '../notifications.ts';

/** Kept in history until it is delivered: small, and without any secret. */
export interface RunEvent {
  /** Unique in its run and stable over retries: `gate/<gate id>/opened`, `step/<step>/failed/1`. With the run's id it is what receivers drop repeats by. */
  key: string;
  type: EventType;
  /** ISO 8601: when it happened. */
  at: string;
  /** What it is about: a gate's or a step's id; absent: the run. */
  subject?: string;
  /** Of a campaign that tells exceptions alone: nothing that people have to read. */
  quiet?: true;
  data: EventData;
}

export interface Person {
  id: string;
  name?: string;
  /** cli: an operating-system user, which nothing proves. */
  kind: 'slack' | 'cli';
}

export interface EventData {
  /** Of a run's events, as `run`. */
  cluster?: { name: string; account: string; region: string; environment: string };
  run?: { workflowId: string; runId: string; from?: string; to?: string; requestedBy?: Person; campaign?: { name: string; ring: string } };
  /** Of a campaign's events. */
  campaign?: CampaignData;
  /** Of proposals' events. */
  proposal?: ProposalData;
  /** Why it is not known whether a campaign is due. */
  unread?: { why: string };
  links?: { temporal: string };
  gate?: GateData;
  step?: StepData;
  report?: ReportData;
  rollback?: RollbackData;
  note?: { text: string };
  /** `due`: ISO 8601, when the step gives up waiting; absent: it does not wait. */
  change?: { component: string; name: string; version: string; managedBy: string; text: string; due?: string };
}

export interface GateData {
  id: string;
  step: string;
  title: string;
  /** What happens when the first choice is taken. */
  next: string;
  /** What can be undone afterwards. */
  undo: string;
  evidence: { title: string; verdict?: string; lines: string[] }[];
  choices: { id: string; label: string; does: string; needsReason: boolean }[];
  /** How many have to approve, by all rules together. */
  quorum: number;
  rules?: { name: string; quorum: number }[];
  /** Who may decide, by their ids in belay.yaml; `names`: the same for people to read, without whoever may not at this gate. */
  approvers: { users: string[]; groups: string[]; names?: string[] };
  openedAt: string;
  expiresAt: string;
  planHash?: string;
  /** It goes on without anybody. */
  byItself: boolean;
  /** How it is decided by command line; CHOICE is one of the choices' ids. */
  command: string;
  /** It can be decided in Slack as well. */
  inSlack?: true;
  decision?: { choice: string; label: string; by: Person; at: string; reason?: string };
  /** Why nobody has to decide any more. */
  withdrawn?: string;
}

export interface CampaignData {
  name: string;
  target: string;
  workflowId: string;
  runId: string;
  requestedBy: Person;
  /** proposed (no ring has begun), running, paused, complete or stopped. */
  phase: string;
  headline: string;
  clusterCount: number;
  arrivedCount: number;
  /** `line`: what its clusters are at, for people to read. */
  rings: { name: string; state: string; line: string }[];
  /** It takes this ring back. */
  rollbackOf?: { campaign: string; ring: string };
}

export interface ProposalData {
  target: string;
  from: string;
  clusterCount: number;
  environments: { name: string; clusterCount: number }[];
  /** Of `from`, ISO dates. */
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
  /** What waiting for so many days costs, in US dollars. */
  withinDays: number;
  usdWithin: number;
  /** Of belay.yaml, to this target; none: `snippet` could be written there. */
  campaigns: string[];
  snippet?: string;
  proposedAt: string;
  dismissed?: { by: Person; at: string; reason?: string };
}

export interface StepData {
  id: string;
  title: string;
  state: string;
  startedAt?: string;
  endedAt?: string;
  note?: string;
}

/** Of the seven days in which EKS rolls a control plane back. */
export interface RollbackData {
  /** The minor that the control plane is at, or was brought to by the run. */
  at: string;
  backTo: string;
  /** ISO 8601: when EKS closes the window. */
  until?: string;
  /** "one more day" */
  left?: string;
  /** Of a rollback that no run requested: EKS's update. */
  updateId?: string;
  /** What has happened, and the command to type. */
  text: string;
}

export interface ReportData {
  outcome: string;
  headline: string;
  startedAt: string;
  endedAt?: string;
  /** What could not be restored, or is kept on purpose. */
  leftBehind: { what: string; why: string; kept: boolean }[];
  steps: { id: string; state: string }[];
}

/** What one delivery is to send, in this order. Where to is read from belay.yaml by its name when it is sent, never from here. */
export interface DeliverInput {
  delivery: Pick<DeliveryTerms, 'name' | 'kind'>;
  upgrade: PublishInput['upgrade'];
  events: RunEvent[];
}

/**
 * sent: the receiver has taken it. refused: it never will. unknown: it may have it, and it is not sent again, since it would come twice.
 */
export interface DeliveredEvent {
  key: string;
  outcome: 'sent' | 'refused' | 'unknown';
}
