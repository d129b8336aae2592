/** Who belongs to a user group or is a person of the workspace, asked of Slack once for each decision. */
import { field } from '../../../domain/core/unknown.ts';
import type { GroupReader } from '../../contract/ports.ts';
import { translateError } from '../../runtime/translate-errors.ts';
import type { ApproverRight } from '../../../domain/gates/approvals.ts';

/** Codes of slack/api/errors.ts, and those by which Slack says that it failed itself (docs.slack.dev/reference/methods/users.info, Errors). */
export const AWAY = ['rate_limited', 'timeout', 'unreachable', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'];

/** Network errors, 5xx and 429: `user_not_found`, `token_revoked` and their like are answers. */
export function isSlackAway(error: unknown): boolean {
  const code = field(error, 'code');
  return typeof code === 'string' && (AWAY.includes(code) || /^http_(429|5\d\d)$/.test(code));
}

/** One person's groups, each read once. */
export class Membership {
  readonly #person: string;
  readonly #groups: GroupReader | undefined;
  readonly #read = new Map<string, boolean>();
  readonly #unreadable = new Map<string, string>();
  #isListed = false;

  constructor(person: string, groups: GroupReader | undefined) {
    this.#person = person;
    this.#groups = groups;
  }

  async ofThose<R extends { users: string[]; groups: string[] }>(rules: readonly R[]): Promise<R[]> {
    const own: R[] = [];
    for (const rule of rules) if (await this.isOf(rule)) own.push(rule);
    return own;
  }

  /** What the person was found in, for the record. */
  get through(): string[] {
    const groups = [...this.#read].flatMap(([group, isMember]) => (isMember ? [`group ${group}`] : []));
    return [...(this.#isListed ? ['approvals.users'] : []), ...groups];
  }

  async isOf({ users, groups }: { users: string[]; groups: string[] }): Promise<boolean> {
    if (users.includes(this.#person)) {
      this.#isListed = true;
      return true;
    }
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

  get isUnread(): boolean {
    return this.#unreadable.size > 0;
  }

  get no(): ApproverRight {
    if (!this.isUnread) return { allowed: false, why: 'You are not among the approvers of this cluster (approvals in belay.yaml).' };
    const unreadable = [...this.#unreadable].map(([group, why]) => `${group} (${why})`).join(', ');
    const why = `Whether you may decide cannot be read now: group ${unreadable}. Try again, or ask a person named in approvals.users.`;
    return { allowed: false, why, unread: true };
  }
}
