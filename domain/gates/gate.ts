/** Gates: the place where people decide. A pure reducer; workflows install it, Slack and the CLI only ask it. */
import type { GateRule, WhomToAsk } from './approvals.ts';
import type { ChoiceId } from './choices.ts';
import type { Actor } from './actor.ts';
import type { EvidenceVerdict, GateTerms } from './evidence.ts';
import type { Signed } from './signed-message.ts';
import { defined } from '../core/defined.ts';

/** Who a message says it is from, where nothing shows it. */
export function unproven({ kind, id, name }: Actor): Actor {
  return { kind, id, ...defined({ name }), unproven: true };
}

export interface GateChoice {
  id: ChoiceId;
  label: string;
  style?: 'primary' | 'danger';
  needsReason?: boolean;
  /** Set by the table of classes (domain/gates/choices) when the gate opens. Only where it says false one vote is enough. */
  needsQuorum?: boolean;
  /** One sentence: what pressing it does. Shown as the confirmation's text for dangerous ones. */
  does: string;
}

/** What can still be undone, as shown above the buttons. */
export interface GateEvidence {
  title: string;
  /** Short Markdown lines; the first few only. */
  lines: string[];
  /** What a message keeps behind "Details". */
  more?: string[];
  /** What it comes to. Absent: nobody has judged it, which is no pass. */
  verdict?: EvidenceVerdict;
}

/** Every line, for who has the room. */
export const allLines = ({ lines, more = [] }: Pick<GateEvidence, 'lines' | 'more'>): string[] => [...lines, ...more];

/** A node that cannot be replaced, and the first pod that keeps it. */
export interface GateBlocked {
  node: string;
  /** "shop/web-0" */
  pod?: string;
  /** "StatefulSet shop/web" */
  workload?: string;
}

export interface GateDefinition {
  /** `<kind>:<step>[/<detail>]#<round>`, see ids. */
  id: string;
  step: string;
  title: string;
  /** What happens next when the first choice is pressed. */
  next: string;
  evidence: GateEvidence[];
  /** Of a gate about nodes that cannot be replaced: for the record, which compares it with the forecast. */
  blocked?: GateBlocked[];
  /** What can be undone afterwards, how, until when, at what cost. */
  undo: string;
  /** It goes on without anybody, as `next` says: nobody is asked for a decision. */
  byItself?: true;
  choices: GateChoice[];
  /** All rules' quorums together. */
  quorum: number;
  /** All of them have to be met. Absent: `quorum` of the approvers. */
  rules?: GateRule[];
  /** Hash of the plan that is decided about; every vote is for this plan alone. */
  planHash?: string;
  /** What a button carries. Goes up with each answer that leaves the gate open, so that the same person's next click is a new decision. */
  revision: number;
  /** ISO 8601 */
  openedAt: string;
  expiresAt: string;
  /** It is answered despite its rules at that moment, ISO 8601, unless somebody rejects it or takes their part back. */
  glass?: { choice: string; at: string };
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
  /** Given with one press for several runs: the id of their bundle. */
  bundle?: string;
  at: string;
}

/** Longer ones are refused, wherever they come from: a reason is a sentence, and stands in messages, histories and the audit record. */
export const LONGEST_REASON = 500;

/** Why a reason is refused, or undefined. */
export function reasonProblem(reason: string | undefined): string | undefined {
  if (reason === undefined || reason.length <= LONGEST_REASON) return undefined;
  return `The reason has ${reason.length} characters; write at most ${LONGEST_REASON}, and put the rest behind a link.`;
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
  /** Of a refusal: who may instead. Only the clicker is told. */
  ask?: WhomToAsk;
}

/** Payload of update `decideGate` and of signal `gateDecision`. */
export interface DecideGateInput extends Omit<Signed, 'id'> {
  gateId: string;
  /** Used once. Ends with the revision of the gate that the button carried. */
  decisionId: string;
  actor: Actor;
  /** One of the gate's choices, or WITHDRAW_VOTE. */
  choice: string;
  reason?: string;
  /** The plan that the sender was shown; a decision about another plan is refused. */
  planHash?: string;
  /** Despite the gate's rules; only with a proof. */
  breakGlass?: boolean;
  /** Given with one press for several runs: the id of their bundle. */
  bundle?: string;
}

/** What a status says of an open gate. */
export interface OpenGate {
  id: string;
  title: string;
  choices: string[];
  expiresAt: string;
  /** ISO 8601 */
  openedAt?: string;
  /** More time that it was given, the first one first: whoever was asked before that stays asked. */
  extended?: Pick<Extension, 'at' | 'byMs'>[];
  /** Slack ids of those whose votes count as long as it is open. */
  voted?: string[];
  /** Nobody has to decide: it goes on without. */
  byItself?: true;
  /** The gate's own; 1 where absent. */
  revision?: number;
  planHash?: string;
  /** What happens when the first choice is pressed, what speaks for it, and what can be undone afterwards: whoever decides by command line sees it, too. */
  next?: string;
  evidence?: GateEvidence[];
  undo?: string;
  /** What each of `choices` does, in their order. */
  offers?: Pick<GateChoice, 'label' | 'does' | 'style' | 'needsReason'>[];
  /** Where more than one has to approve: how far that is, such as `platform 1 of 2, owners 0 of 1`. */
  progress?: string;
  /** What has to be the same where it is decided with gates of other runs; absent: it is decided alone. */
  terms?: GateTerms;
}

/** "node-groups@1.34" of "blocked:node-groups@1.34/ip-10-0-1-7#1"; empty for what is no gate's id. */
export const stepOfGate = (gateId: string): string => /^[^:]*:([^#/]*)/.exec(gateId)?.[1] ?? '';
