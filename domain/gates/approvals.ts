/** The rules that a gate's approvals have to meet, and who of those that approved stands for which rule. */
import type { PhaseId } from '../core/phases.ts';
import type { Actor } from './actor.ts';

/** What a gate keeps of a rule: whose members they are is read when they vote. */
export interface GateRule {
  name: string;
  quorum: number;
}

/** One who approved; `rules`: names of those that the person may stand for, absent for all. */
export interface Approval {
  rules?: readonly string[];
}

/** Slack ids of people and user groups. */
export interface WhomToAsk {
  users: string[];
  groups: string[];
}

/** `rules`: names of the rules that somebody may stand for; absent for all. */
export interface ApproverRight {
  allowed: boolean;
  why: string;
  /** It is a no because something could not be read. */
  unread?: true;
  rules?: string[];
  /** By what the person is in the rules: `approvals.users`, or groups by their ids. */
  through?: string[];
  /** Who it is that acted by command line, by `people:` in belay.yaml; there even where the person may not. */
  person?: Actor;
  /** Of a no: who may instead. Only for whoever is proved to be a member of the workspace. */
  ask?: WhomToAsk;
  /** For the run that has asked, where this worker lets it change something. */
  grant?: string;
}

export interface RuleProgress extends GateRule {
  approvals: number;
}

/** The name of the rule that approvals.users, approvals.groups and approvals.quorum make. */
export const MAIN_RULE = 'approvers';

/** A way back is decided by whoever decides the same step of an upgrade. */
const SAME_RULES: Partial<Record<PhaseId, PhaseId>> = {
  'rollback-checks': 'pre-checks',
  'add-ons-back': 'add-ons-target',
  'control-plane-back': 'control-plane',
  'node-classes-back': 'karpenter-drift',
};

/** The rules of a phase's gates, all of which have to be met; never empty. `phase` undefined: as for phases that nothing is said about. */
export function rulesOf(approvals: ApprovalPolicy, phase: PhaseId | undefined): ApprovalRule[] {
  const own = phase === undefined ? undefined : approvals.phases?.[SAME_RULES[phase] ?? phase];
  const further = own?.rules ?? approvals.rules ?? [];
  const main: ApprovalRule = {
    name: MAIN_RULE,
    users: approvals.users,
    groups: approvals.groups,
    quorum: own?.quorum ?? approvals.quorum,
  };
  const namesSomebody = main.users.length + main.groups.length > 0;
  return namesSomebody || further.length === 0 ? [main, ...further] : further;
}

/** Everybody whom one of these names, each once, but for `without`: ids of people who may not themselves. undefined: nobody is left. */
export function whomToAsk(named: readonly WhomToAsk[], without: readonly string[]): WhomToAsk | undefined {
  const users = [...new Set(named.flatMap((each) => each.users))].filter((id) => !without.includes(id));
  const groups = [...new Set(named.flatMap((each) => each.groups))];
  return users.length + groups.length === 0 ? undefined : { users, groups };
}

/**
 * Is the second group asked by then, as nobody has decided for so large a share of the gate's time? More time puts that off where they were not asked yet;
 * where they were, they stay asked, and their votes count.
 */
export function isEscalatedAt(
  { escalation }: Pick<ApprovalPolicy, 'escalation'>,
  {
    openedAt,
    expiresAt,
    byItself,
    extended = [],
  }: { openedAt: string; expiresAt: string; byItself?: true; extended?: readonly MoreTime[] },
  atMs: number,
): boolean {
  if (escalation === undefined || byItself === true) return false;
  const openedAtMs = Date.parse(openedAt);
  let expiresAtMs = extended.reduce((ms, { byMs }) => ms - byMs, Date.parse(expiresAt));
  const dueAtMs = (): number => openedAtMs + escalation.after * (expiresAtMs - openedAtMs);
  for (const { at, byMs } of extended) {
    if (Date.parse(at) >= dueAtMs()) break;
    expiresAtMs += byMs;
  }
  return atMs >= dueAtMs();
}

/** When a gate was given more time, and how much. */
interface MoreTime {
  at: string;
  byMs: number;
}

/**
 * How far each rule is met if everybody stands for one rule only, whoever else would have them: as many approvals as possible count
 * (a maximum matching of people and places, by augmenting paths).
 */
export function progressOf(rules: readonly GateRule[], approvals: readonly Approval[]): RuleProgress[] {
  const places = rules.flatMap(({ name, quorum }) => Array.from({ length: quorum }, () => name));
  const holders = new Map<number, number>();
  const seat = (person: number, tried: Set<number>): boolean => {
    for (const [place, rule] of places.entries()) {
      if (tried.has(place) || approvals[person]?.rules?.includes(rule) === false) continue;
      tried.add(place);
      const holder = holders.get(place);
      if (holder !== undefined && !seat(holder, tried)) continue;
      holders.set(place, person);
      return true;
    }
    return false;
  };
  for (const person of approvals.keys()) seat(person, new Set());
  return rules.map(({ name, quorum }) => ({
    name,
    quorum,
    approvals: [...holders.keys()].filter((place) => places[place] === name).length,
  }));
}

export function isMet(progress: readonly RuleProgress[]): boolean {
  return progress.every(({ quorum, approvals }) => approvals >= quorum);
}

/** `1 of 2 approvals`, or of each rule where there are several: `platform 1 of 2, owners 0 of 1`. */
export function progressText(progress: readonly RuleProgress[]): string {
  const [only] = progress;
  if (only !== undefined && progress.length === 1) return `${only.approvals} of ${only.quorum} approvals`;
  return progress.map(({ name, quorum, approvals }) => `${name} ${approvals} of ${quorum}`).join(', ');
}

/** So many approvals by some of these people. */
export interface ApprovalRule {
  /** Shown at gates: `platform`. */
  name: string;
  /** Slack user ids. */
  users: string[];
  /** Slack user group ids. */
  groups: string[];
  quorum: number;
}

export interface ApprovalPolicy {
  /** Slack user ids. */
  users: string[];
  /** Slack user group ids. */
  groups: string[];
  quorum: number;
  /** Rules that hold beside the one of `users`, `groups` and `quorum`: all have to be met, by different people. */
  rules?: ApprovalRule[];
  /** What gates of a phase need instead. */
  phases?: Partial<Record<PhaseId, { quorum?: number; rules?: ApprovalRule[] }>>;
  /** Mentioned as well once this share of a gate's time has gone by undecided, and from then on they may stand for any rule. */
  escalation?: { users: string[]; groups: string[]; after: number };
  /** Who may answer gates despite their rules, two together, and how long others can still reject it. Absent: nobody. */
  breakGlass?: { users: string[]; groups: string[]; delayMs: number; enabled: boolean };
  /** Who may start runs. Absent: whoever is proved to be somebody. */
  requesters?: { users: string[]; groups: string[] };
  /** May the person who asked for the upgrade also approve? */
  allowRequester: boolean;
  /** May `belay decide` record the operating-system user, unverified? */
  allowUnverifiedCli: boolean;
  /** Choices that one approver makes alone although they change something: see domain/gates/choices. */
  singleApprover?: string[];
  /** Choices that nobody makes without a reason, beside those that say so themselves. */
  reasonsFor?: string[];
}
