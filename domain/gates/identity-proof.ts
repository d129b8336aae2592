/**
 * What a proof of a message is over: one canonical text of everything that the message says. The Slack process signs it with Ed25519; the command
 * line signs an STS GetCallerIdentity request, valid for 60 s, whose signed header carries its hash (the method of Vault's AWS login). Whoever
 * alters a field, or sends the message to another workflow, has no proof; whoever repeats it changes nothing.
 */
import type { DecideGateInput } from './gate.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import type { Actor } from './actor.ts';
import type { Signed } from './signed-message.ts';

/** The signed header of an AWS proof. */
export const BINDING_HEADER = 'x-belay-binding';
/** An AWS proof is dead after this long. */
export const PROOF_SECONDS = 60;
/** How far the time that a start carries may be from the moment at which Temporal started the workflow. */
export const START_WITHIN_MS = 5 * 60_000;
/** A proof by the key of the Slack process: `ed25519:ID:SIGNATURE`, the signature in base64url. */
export const SIGNATURE_SCHEME = 'ed25519';

/** Proves a text; resolves with the proof that travels in the message. */
export type Prove = (text: string) => Promise<string>;

/** What a message says of its sender, and the text that a proof has to be over: both are compared by the worker. */
export interface Claim {
  /** Absent: nothing proves who sent it. */
  proof?: string;
  words: string;
}

export type MessageKind =
  | 'decide'
  | 'break-glass'
  | 'extend'
  | 'pause'
  | 'resume'
  | 'abort'
  | 'handover'
  | 'pace'
  | 'start'
  | 'rollback'
  | 'reconcile'
  | 'campaign'
  | 'refused';

/** Everything that a message says. `what`: what belongs to its kind alone, such as a pace. */
export interface Saying extends Omit<Signed, 'proof'> {
  kind: MessageKind;
  workflowId: string;
  gate?: string;
  planHash?: string;
  choice?: string;
  reason?: string;
  actor: Actor;
  what?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/**
 * Of each message one text, and of each text one message: a JSON array of a fixed order, in which what is not said is null. The first entry tells it
 * from anything else that a key might sign.
 */
export function canonicalText({ kind, workflowId, run, gate, planHash, choice, reason, actor, what = {}, at, id }: Saying): string {
  const more = Object.entries(what)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const who = [actor.kind, actor.id, actor.name ?? null];
  const said = [workflowId, run, gate, planHash, choice, reason].map((value) => value ?? null);
  return JSON.stringify(['belay-message-1', kind, ...said, who, more, at ?? null, id ?? null]);
}

/** `input.decisionId` is the id that is used once; it ends with the revision of the gate that the sender saw. */
export function decisionText(workflowId: string, input: DecideGateInput): string {
  const { gateId: gate, decisionId: id, choice, reason, planHash, run, at, actor, breakGlass, bundle } = input;
  return canonicalText({
    kind: breakGlass === true ? 'break-glass' : 'decide',
    workflowId,
    run,
    gate,
    planHash,
    choice,
    reason,
    actor,
    at,
    id,
    what: { revision: revisionIn(id), bundle },
  });
}

/** The revision at the end of a decision's id; NaN where there is none. */
export function revisionIn(decisionId: string): number {
  return Number(decisionId.slice(decisionId.lastIndexOf(':') + 1));
}

/** `what`: pace, to, byMs and so on; `gate`: where the command is about one. */
export function controlText(
  kind: MessageKind,
  workflowId: string,
  { actor, reason, run, at, id }: Omit<Signed, 'proof'> & { actor: Actor; reason?: string },
  { gate, what }: { gate?: string; what?: Saying['what'] } = {},
): string {
  return canonicalText({ kind, workflowId, run, gate, reason, actor, what, at, id });
}

/** What a start says, of an upgrade or of a way back. */
export interface Starting extends Signed {
  cluster: ClusterRef;
  target: string;
  strategy?: string;
  back?: true;
  undo?: string;
  /** The campaign that it belongs to. */
  campaign?: { name: string; ring: string; coversStart?: true };
  requestedBy: Actor;
}

export function startText(
  workflowId: string,
  { cluster, target, strategy, back, undo, campaign, requestedBy: actor, at, id }: Starting,
): string {
  const kind = back === true ? 'rollback' : 'start';
  const ring = campaign === undefined ? {} : { campaign: campaign.name, ring: campaign.ring, coversStart: campaign.coversStart };
  return canonicalText({ kind, workflowId, actor, at, id, what: { ...wordsOf(cluster), target, strategy, undo, ...ring } });
}

/** What the start of a campaign says: of its plan, by the hash. */
export function campaignText(
  workflowId: string,
  {
    campaign,
    plan,
    requestedBy: actor,
    at,
    id,
  }: Omit<Signed, 'run'> & { campaign: string; plan: { target: string; hash: string }; requestedBy: Actor },
): string {
  return canonicalText({ kind: 'start', workflowId, planHash: plan.hash, actor, at, id, what: { campaign, target: plan.target } });
}

/** What a reconciliation says that puts things back. */
export interface Reconciling extends Signed {
  cluster: ClusterRef;
  apply: boolean;
  roll?: boolean;
  reason?: string;
  requestedBy: Actor;
}

export function reconcileText(workflowId: string, { cluster, apply, roll, reason, requestedBy: actor, at, id }: Reconciling): string {
  return canonicalText({ kind: 'reconcile', workflowId, reason, actor, at, id, what: { ...wordsOf(cluster), apply, roll } });
}

const wordsOf = ({ account, region, name }: ClusterRef): Record<string, string> => ({ cluster: `${account}/${region}/${name}` });

const STARTS: readonly unknown[] = ['start', 'rollback', 'reconcile'] satisfies MessageKind[];

/** Is this canonical text one of a message that starts something? */
export function startsSomething(text: string): boolean {
  const said: unknown = text.startsWith('[') ? JSON.parse(text) : undefined;
  return Array.isArray(said) && STARTS.includes(said[1]);
}

/** Whether a start belongs to the moment at which Temporal started its workflow: a recorded one starts nothing later. */
export function isTimely(at: string | undefined, startedAtMs: number): boolean {
  return at !== undefined && Math.abs(Date.parse(at) - startedAtMs) <= START_WITHIN_MS;
}
