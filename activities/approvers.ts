/** May this person decide, and by which rules? Read at the moment of the decision; what cannot be read is a no with its reason. */
import { type ApproverRight, rulesOf } from '../domain/approvals.ts';
import type { Claim } from '../domain/binding.ts';
import type { ClusterRef } from '../domain/facts.ts';
import { type Actor, isSamePerson } from '../domain/gate.ts';
import { identityName, type People, peopleOf } from '../domain/people.ts';
import type { ApprovalPolicy, ApprovalRule } from '../domain/policy.ts';
import type { Caller } from './caller.ts';
import type { PeopleActivities } from './contract.ts';
import type { GroupReader, PersonReader } from './ports.ts';
import { translateError } from './translate-errors.ts';

export interface ApproverDeps {
  /** undefined: no Slack, so no groups can be read. */
  groups?: GroupReader;
  /** undefined: no Slack, so nobody of Slack is known. */
  people?: PersonReader;
  /** Who signed a message; undefined: nobody is known on the command line. */
  caller?: (cluster: ClusterRef, claim: Claim) => Promise<Caller>;
}

type Asked = Parameters<PeopleActivities['readApprover']>[0];
type Readers = Pick<ApproverDeps, 'groups' | 'people'>;

export function createApproverActivities({ caller, ...readers }: ApproverDeps): Pick<PeopleActivities, 'readApprover'> {
  return {
    async readApprover(asked) {
      const { claim, policy, cluster } = asked;
      if (claim === undefined) return await rightOf(asked, readers);
      const person = await personOf(policy.people, () => caller?.(cluster, claim));
      if ('why' in person) return { allowed: false, why: person.why };
      return { ...(await rightOf({ ...asked, actor: person }, readers)), person };
    },
  };
}

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
  if (!approvals.allowRequester && isSamePerson(actor, requestedBy)) {
    return { allowed: false, why: 'You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off).' };
  }
  if (!approvals.allowRequester && formerly.some((asker) => isSamePerson(actor, asker)))
    return {
      allowed: false,
      why: 'You asked for this upgrade and handed it over, so somebody else has to decide (approvals.allowRequester is off).',
    };
  if (actor.kind === 'cli') return ofCli(approvals);
  const outside = await whyOutside(actor, people);
  if (outside !== undefined) return { allowed: false, why: outside };
  const reader = new Membership(actor.id, groups);
  const rules = rulesOf(approvals, phase);
  const own = await reader.ofThose(rules);
  if (own.length > 0) return standing(rules, own);
  const { escalation } = approvals;
  if (escalated === true && escalation !== undefined && (await reader.isOf(escalation)))
    return { allowed: true, why: 'asked as nobody had decided (approvals.escalation)' };
  return { allowed: false, why: reader.whyNot() };
}

function standing(rules: readonly ApprovalRule[], own: readonly ApprovalRule[]): ApproverRight {
  const names = own.map(({ name }) => name);
  return { allowed: true, why: `may decide as ${names.join(', ')}`, ...(own.length === rules.length ? {} : { rules: names }) };
}

/**
 * Groups and lists outlive those who are in them: a guest, somebody who has left or somebody of another organisation decides nothing. Whom AWS has
 * verified decides while Slack is away, too: that is what the command line is for.
 */
async function whyOutside({ id: person, aws }: Actor, people: PersonReader | undefined): Promise<string | undefined> {
  const unread = (why: string): string | undefined =>
    aws === undefined ? `Who you are in Slack cannot be read now (${why}), so nothing was decided. Try again.` : undefined;
  if (people === undefined) return unread('Slack is not connected');
  try {
    const why = await people.whyOutsider(person);
    return why === undefined ? undefined : `${why}.`;
  } catch (error) {
    return unread(translateError(error, 'reading the person').message);
  }
}

/** The operating-system user is not verified by anybody. */
function ofCli(approvals: ApprovalPolicy): ApproverRight {
  return approvals.allowUnverifiedCli
    ? { allowed: true, why: 'unverified command line (approvals.allowUnverifiedCli)' }
    : {
        allowed: false,
        why: 'Decisions from the command line are not verified; name people and their AWS identities under people in belay.yaml, set approvals.allowUnverifiedCli to accept them, or decide in Slack.',
      };
}

/** One person's groups, each read once. */
class Membership {
  readonly #person: string;
  readonly #groups: GroupReader | undefined;
  readonly #read = new Map<string, boolean>();
  readonly #unreadable = new Map<string, string>();

  constructor(person: string, groups: GroupReader | undefined) {
    this.#person = person;
    this.#groups = groups;
  }

  async ofThose<R extends { users: string[]; groups: string[] }>(rules: readonly R[]): Promise<R[]> {
    const own: R[] = [];
    for (const rule of rules) if (await this.isOf(rule)) own.push(rule);
    return own;
  }

  async isOf({ users, groups }: { users: string[]; groups: string[] }): Promise<boolean> {
    if (users.includes(this.#person)) return true;
    for (const group of groups) if (await this.#isIn(group)) return true;
    return false;
  }

  async #isIn(group: string): Promise<boolean> {
    const known = this.#read.get(group);
    if (known !== undefined) return known;
    if (this.#unreadable.has(group)) return false;
    if (this.#groups === undefined) {
      this.#unreadable.set(group, 'Slack is not connected');
      return false;
    }
    try {
      const isMember = (await this.#groups.members(group)).includes(this.#person);
      this.#read.set(group, isMember);
      return isMember;
    } catch (error) {
      this.#unreadable.set(group, translateError(error, 'reading its members').message);
      return false;
    }
  }

  whyNot(): string {
    if (this.#unreadable.size === 0) return 'You are not among the approvers of this cluster (approvals in belay.yaml).';
    const unreadable = [...this.#unreadable].map(([group, why]) => `${group} (${why})`).join(', ');
    return `Whether you may decide cannot be read now: group ${unreadable}. Try again, or ask a person named in approvals.users.`;
  }
}
