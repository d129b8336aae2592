/** Gates: the place where people decide. A pure reducer; workflows install it, Slack and the CLI only ask it. */
import type { GateRule } from './approvals.ts';

export interface Actor {
  /** slack: verified by Slack, or by AWS where `aws` is there. cli: operating-system user and host, unverified. */
  kind: 'slack' | 'cli';
  /** Slack user id, or user@host. */
  id: string;
  name?: string;
  /** ARN by which AWS knows a person who acted by command line. */
  aws?: string;
}

/** By verified id, never by name. */
export function isSamePerson(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id;
}

/** What people call somebody: the display name where there is one. */
export function actorName(actor: Actor): string {
  return actor.name ?? actor.id;
}

export interface GateChoice {
  id: string;
  label: string;
  style?: 'primary' | 'danger';
  needsReason?: boolean;
  /** Needs the gate's rules; choices without it take effect at the first vote (refusing always wins at once). */
  needsQuorum?: boolean;
  /** One sentence: what pressing it does. Shown as the confirmation's text for dangerous ones. */
  does: string;
}

/** What can still be undone, as shown above the buttons. */
export interface GateEvidence {
  title: string;
  /** Short Markdown lines; the first few only. */
  lines: string[];
}

export interface GateDefinition {
  /** `<kind>:<step>[/<detail>]#<round>`, see ids. */
  id: string;
  step: string;
  title: string;
  /** What happens next when the first choice is pressed. */
  next: string;
  evidence: GateEvidence[];
  /** What can be undone afterwards, how, until when, at what cost. */
  undo: string;
  /** It goes on without anybody, as `next` says: nobody is asked for a decision. */
  byItself?: true;
  choices: GateChoice[];
  /** All rules' quorums together. */
  quorum: number;
  /** All of them have to be met. Absent in runs that were recorded before there were several: `quorum` of the approvers. */
  rules?: GateRule[];
  /** Hash of the plan that is decided about; every vote is for this plan alone. */
  planHash?: string;
  /** What a button carries. Goes up with each answer that leaves the gate open, so that the same person's next click is a new decision. */
  revision: number;
  /** ISO 8601 */
  openedAt: string;
  expiresAt: string;
  /** Who gave it more time, the first one first. */
  extended?: Extension[];
}

export interface Extension {
  actor: Actor;
  byMs: number;
  reason?: string;
  at: string;
}

export interface Decision {
  /** `<gate id>:<actor>:<choice>:<revision>` */
  decisionId: string;
  gateId: string;
  choice: string;
  actor: Actor;
  reason?: string;
  /** Names of the gate's rules that this person may stand for; absent for all. */
  rules?: string[];
  /** Given despite the gate's rules: counts for none of them, and decides with a second one by another person. */
  breakGlass?: boolean;
  at: string;
}

/** In the place of a choice: takes back the vote that one has given, as long as the gate is open. */
export const WITHDRAW_VOTE = 'withdraw-vote';

export type GateState =
  | { kind: 'open'; gate: GateDefinition; votes: Decision[]; refused: { decision: Decision; why: string }[] }
  | { kind: 'decided'; gate: GateDefinition; votes: Decision[]; decision: Decision }
  | { kind: 'expired'; gate: GateDefinition; votes: Decision[]; at: string }
  | { kind: 'withdrawn'; gate: GateDefinition; votes: Decision[]; at: string; why: string };

/** What the sender of a decision is told. */
export interface DecisionReply {
  accepted: boolean;
  /** One sentence for the clicker. */
  message: string;
}

/** Payload of update `decideGate` and of signal `gateDecision`. `revision` is the board revision that the button carried. */
export interface DecideGateInput {
  gateId: string;
  decisionId: string;
  actor: Actor;
  /** One of the gate's choices, or WITHDRAW_VOTE. */
  choice: string;
  reason?: string;
  /** The plan that the sender was shown; a decision about another plan is refused. */
  planHash?: string;
  /** Run id of the upgrade that the sender saw. */
  run?: string;
  /** Who the sender is, by AWS: see domain/binding. */
  proof?: string;
  /** Despite the gate's rules; only with a proof. */
  breakGlass?: boolean;
}
