/** At which gates one person is asked to vote, as far as it can be read now: a hint that the decision itself never relies on. */
import type { Actor } from '../../../domain/gates/actor.ts';
import { type ApprovalPolicy, isEscalatedAt, rulesOf } from '../../../domain/gates/approvals.ts';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import { type PhaseId, phaseOf } from '../../../domain/core/phases.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { gateStep } from '../../../workflows/contract/ids.ts';
import { shownGroups } from '../../api/group-cache.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { groupUnread } from '../../messages/home.ts';

/** Whose gate it is. `approvals` throws where the configuration does not know it. */
export interface AskedAt {
  approvals: () => ApprovalPolicy;
  requesters: readonly Actor[];
}

export class Membership {
  readonly #deps: SlackDeps;
  readonly #user: string;
  readonly #nowMs: number;
  readonly #groups = new Map<string, Promise<readonly string[]>>();
  readonly #unreadable = new Set<string>();

  constructor(deps: SlackDeps, user: string, nowMs: number) {
    this.#deps = deps;
    this.#user = user;
    this.#nowMs = nowMs;
  }

  hasVoted({ voted = [] }: OpenGate): boolean {
    return voted.includes(this.#user);
  }

  async isAsked(gate: OpenGate, { approvals: read, requesters }: AskedAt): Promise<boolean> {
    if (gate.byItself === true) return false;
    try {
      const approvals = read();
      if (this.#hasAskedFor(requesters) && !approvals.allowRequester) return false;
      const { openedAt } = gate;
      const isEscalated = openedAt !== undefined && isEscalatedAt(approvals, { ...gate, openedAt }, this.#nowMs);
      const escalation = isEscalated && approvals.escalation !== undefined ? [approvals.escalation] : [];
      return await this.#isOf(approvals, phaseOf(gateStep(gate.id)), escalation);
    } catch (error) {
      this.#deps.log.warn(`whether ${this.#user} may vote at ${gate.id}: ${messageOf(error)}`);
      return false;
    }
  }

  /** Whoever asked for it, and whoever decides at its gates, sees to what has failed. */
  async maySteer({ approvals, requesters }: AskedAt): Promise<boolean> {
    return this.#hasAskedFor(requesters) || (await this.#isOf(approvals(), undefined, []));
  }

  unreadable(): string[] {
    return [...this.#unreadable].map(groupUnread);
  }

  #hasAskedFor(requesters: readonly Actor[]): boolean {
    return requesters.some(({ kind, id }) => kind === 'slack' && id === this.#user);
  }

  async #isOf(
    approvals: ApprovalPolicy,
    phase: PhaseId | undefined,
    more: readonly { users: string[]; groups: string[] }[],
  ): Promise<boolean> {
    for (const { users, groups } of [...rulesOf(approvals, phase), ...more]) {
      if (users.includes(this.#user)) return true;
      for (const group of groups) if ((await this.#members(group)).includes(this.#user)) return true;
    }
    return false;
  }

  /** Each group is read once, however many gates it may decide at. */
  #members(group: string): Promise<readonly string[]> {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const read = shownGroups(this.#deps.web)
      .members(group)
      .catch((): readonly string[] => {
        this.#unreadable.add(group);
        return [];
      });
    this.#groups.set(group, read);
    return read;
  }
}
