/** May this person decide, and by which rules? Read at the moment of the decision; what cannot be read is a no with its reason. */
import { type ApprovalRule, type ApproverRight, rulesOf, whomToAsk } from '../../../domain/gates/approvals.ts';
import { startsSomething } from '../../../domain/gates/identity-proof.ts';
import { NO_SLACK, type UpgradePolicy } from '../../../domain/policy/policy.ts';
import { identityName, type People, peopleOf } from '../../../domain/policy/identities.ts';
import type { AwsClaim, Caller } from './aws-identity.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { GroupReader, PersonReader } from '../../contract/ports.ts';
import { isSignature, type PublicKeys, whyNotSigned } from '../authorization/signature.ts';
import { translateError } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { type Actor, isSamePerson } from '../../../domain/gates/actor.ts';
import { isSlackAway, Membership } from './membership.ts';
import { PressReads } from './press-reads.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface ApproverDeps {
  /** undefined: no Slack, so no groups can be read. */
  groups?: GroupReader;
  /** undefined: no Slack, so nobody of Slack is known. */
  people?: PersonReader;
  /** Who signed a message by AWS; undefined: nobody is known on the command line. */
  caller?: (cluster: ClusterRef, claim: AwsClaim) => Promise<Caller>;
  /** Of Slack processes, as belay.yaml lists them now; undefined: nothing from Slack is believed. */
  publicKeys?: () => PublicKeys;
  /** For the run in which it is asked: its requester is proved. */
  grant?: () => string | undefined;
  /** Whether a start that was signed is of the run in which it is asked; undefined: nothing is kept of starts. */
  takeStart?: (words: string) => Promise<boolean>;
}

type Asked = Parameters<PeopleActivities['readApprover']>[0];
type Readers = Pick<ApproverDeps, 'groups' | 'people'>;
type Provers = Pick<ApproverDeps, 'caller' | 'publicKeys'>;

export function createApproverActivities({
  caller,
  publicKeys,
  grant,
  takeStart,
  ...readers
}: ApproverDeps): Pick<PeopleActivities, 'readApprover'> {
  const reads = new PressReads(readers);
  return {
    async readApprover(asked) {
      const person = await provedBy(asked, { caller, publicKeys });
      if ('why' in person) return { allowed: false, why: person.why };
      const right = await RIGHTS[asked.as ?? 'approver']({ ...asked, actor: person }, reads.of(asked.press));
      const taken = right.allowed ? await whyTaken(asked.claim, takeStart) : undefined;
      if (taken !== undefined) return { allowed: false, why: taken, person };
      // A voter's right is read again without a proof: it grants nothing.
      const granted = right.allowed && asked.as !== 'voter' ? grant?.() : undefined;
      return { ...right, person, ...defined({ grant: granted }) };
    },
  };
}

/** Why a start is not for this run; undefined where it is, or this is no start that was signed. */
async function whyTaken({ proof, words }: Asked['claim'], takeStart: ApproverDeps['takeStart']): Promise<string | undefined> {
  if (takeStart === undefined || proof === undefined || !startsSomething(words)) return undefined;
  try {
    return (await takeStart(words)) ? undefined : TAKEN;
  } catch (error) {
    return `Whether this start was taken before cannot be told, so nothing was done: ${translateError(error, 'keeping it').message}`;
  }
}

/** Whom the message's proof shows to have sent it, or why it shows nobody. Without one only an unverified command line is anybody, where that is allowed. */
async function provedBy({ actor, claim, policy, cluster, as }: Asked, { caller, publicKeys }: Provers): Promise<Actor | { why: string }> {
  // The run has taken the vote: it was proved then.
  if (as === 'voter') return actor;
  const { proof, words } = claim;
  if (proof === undefined) {
    if (actor.kind === 'slack') return { why: UNSIGNED };
    return policy.approvals.allowUnverifiedCli ? { kind: 'cli', id: actor.id, ...named(actor) } : { why: unverified(policy) };
  }
  if (!isSignature(proof)) return await personOf(policy.people, () => caller?.(cluster, { proof, words }));
  const why = whyNotSigned(claim, publicKeys?.() ?? {});
  if (why !== undefined) return { why };
  // Its key vouches for people of Slack alone, and for nothing that AWS would say of them.
  return actor.kind === 'slack' ? { kind: 'slack', id: actor.id, ...named(actor) } : { why: unverified(policy) };
}

const named = ({ name }: Actor): Pick<Actor, 'name'> => (name === undefined ? {} : { name });

const UNSIGNED =
  'Nothing proves who sent this: the Slack process has no signing key. Nothing was done. Run "belay signing-key", set BELAY_SIGNING_KEY for "belay slack", and list the public key under signing.publicKeys in the worker\'s belay.yaml.';
const TAKEN = 'This start was taken before, by another run. Nothing was done: start it again.';
const unverified = ({ channel }: Pick<UpgradePolicy, 'channel'>): string =>
  `Decisions from the command line are not verified; name people and their AWS identities under people in belay.yaml, ${channel === NO_SLACK ? 'or set approvals.allowUnverifiedCli to accept them' : 'set approvals.allowUnverifiedCli to accept them, or decide in Slack'}.`;

/** The one person whose identity STS says the caller has. */
async function personOf(people: People | undefined, read: () => Promise<Caller> | undefined): Promise<Actor | { why: string }> {
  const known = people === undefined ? undefined : await read();
  if (people === undefined || known === undefined)
    return { why: 'belay.yaml had no people when this upgrade began, so nobody is known on the command line: decide in Slack.' };
  if ('why' in known) return known;
  const [person, other] = peopleOf(people, known.arn);
  if (person === undefined) return { why: `${known.arn} is nobody whom people in belay.yaml names; nothing was done.` };
  if (other !== undefined) return { why: `${known.arn} is both ${person} and ${other} by people in belay.yaml; nothing was done.` };
  return { kind: 'slack', id: person, name: identityName(known.arn), aws: known.arn };
}

async function rightOf(
  { actor, policy, requestedBy, formerly = [], phase, escalated }: Asked,
  { groups, people }: Readers,
): Promise<ApproverRight> {
  const { approvals } = policy;
  const rules = rulesOf(approvals, phase);
  const askers = approvals.allowRequester ? [] : [requestedBy, ...formerly].map(({ id }) => id);
  const others = escalated === true && approvals.escalation !== undefined ? [...rules, approvals.escalation] : rules;
  const ask = defined({ ask: whomToAsk(others, [actor.id, ...askers]) });
  if (!approvals.allowRequester && isSamePerson(actor, requestedBy)) {
    const why = 'You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off).';
    return { allowed: false, why, ...((await isMember(actor, people)) ? ask : {}) };
  }
  if (!approvals.allowRequester && formerly.some((asker) => isSamePerson(actor, asker))) {
    const why = 'You asked for this upgrade and handed it over, so somebody else has to decide (approvals.allowRequester is off).';
    return { allowed: false, why, ...((await isMember(actor, people)) ? ask : {}) };
  }
  if (actor.kind === 'cli') return { allowed: true, why: 'unverified command line (approvals.allowUnverifiedCli)' };
  const outside = await whyNotMember(actor, people);
  if (outside !== undefined) return { allowed: false, ...outside };
  const reader = new Membership(actor.id, groups);
  const own = await reader.ofThose(rules);
  if (own.length > 0) return { ...standing(rules, own), through: reader.through };
  const { escalation } = approvals;
  if (escalated === true && escalation !== undefined && (await reader.isOf(escalation)))
    return { allowed: true, why: 'asked as nobody had decided (approvals.escalation)', through: ['approvals.escalation'] };
  return { ...reader.no, ...ask };
}

/** Despite the rules: never whoever asked for the run, and those alone whom approvals.breakGlass names. */
async function glassRight({ actor, policy, requestedBy, formerly = [] }: Asked, { groups, people }: Readers): Promise<ApproverRight> {
  const { breakGlass } = policy.approvals;
  if (breakGlass?.enabled !== true)
    return {
      allowed: false,
      why: 'Break-glass is off for this cluster: approvals.breakGlass in belay.yaml names nobody, or switches it off.',
    };
  if (actor.aws === undefined)
    return { allowed: false, why: 'Break-glass is for people whom AWS knows (people in belay.yaml), by "belay break-glass".' };
  if ([requestedBy, ...formerly].some((asker) => isSamePerson(actor, asker)))
    return { allowed: false, why: 'You asked for this upgrade, so others have to break the glass.' };
  const outside = await whyNotMember(actor, people);
  if (outside !== undefined) return { allowed: false, ...outside };
  const reader = new Membership(actor.id, groups);
  if (await reader.isOf(breakGlass)) return { allowed: true, why: 'named by approvals.breakGlass' };
  return reader.isUnread ? reader.no : { allowed: false, why: 'You are not among those whom approvals.breakGlass in belay.yaml names.' };
}

/** Who may start: whoever is proved, or those whom approvals.requesters names. */
async function requesterRight({ actor, policy }: Asked, { groups, people }: Readers): Promise<ApproverRight> {
  const { requesters } = policy.approvals;
  if (requesters === undefined) return { allowed: true, why: 'whoever is proved may ask' };
  if (actor.kind === 'cli')
    return {
      allowed: false,
      why: 'Only those whom approvals.requesters names may start this, and a command line that nobody verifies is none of them.',
    };
  const outside = await whyNotMember(actor, people);
  if (outside !== undefined) return { allowed: false, ...outside };
  const reader = new Membership(actor.id, groups);
  if (await reader.isOf(requesters)) return { allowed: true, why: 'named by approvals.requesters' };
  return reader.isUnread
    ? reader.no
    : {
        allowed: false,
        why: 'You may not start this: approvals.requesters in belay.yaml names those who may.',
        ...defined({ ask: whomToAsk([requesters], [actor.id]) }),
      };
}

/** Names are for members alone; whom a command line that nobody verifies names, is none. */
const isMember = async (actor: Actor, people: PersonReader | undefined): Promise<boolean> =>
  actor.kind !== 'cli' && (await whyNotMember(actor, people)) === undefined;

const RIGHTS = { approver: rightOf, voter: rightOf, requester: requesterRight, 'break-glass': glassRight };

function standing(rules: readonly ApprovalRule[], own: readonly ApprovalRule[]): ApproverRight {
  const names = own.map(({ name }) => name);
  return { allowed: true, why: `may decide as ${names.join(', ')}`, ...(own.length === rules.length ? {} : { rules: names }) };
}

/**
 * Groups and lists outlive those who are in them: a guest, somebody who has left or somebody of another organisation decides nothing. Whom AWS has
 * verified decides while Slack is away, too: that is what the command line is for. A Slack that answers and does not know them is not away.
 */
async function whyNotMember(
  { id: person, aws }: Actor,
  people: PersonReader | undefined,
): Promise<{ why: string; unread?: true } | undefined> {
  const unread = (why: string) => ({
    why: `Who you are in Slack cannot be read now (${why}), so nothing was decided. Try again.`,
    unread: true as const,
  });
  if (people === undefined) return aws === undefined ? unread('Slack is not connected') : undefined;
  try {
    const why = await people.whyNotMember(person);
    return why === undefined ? undefined : { why: `${why}.` };
  } catch (error) {
    if (aws !== undefined && isSlackAway(error)) return undefined;
    return unread(translateError(error, 'reading the person').message);
  }
}
