/** `approvals:` in belay.yaml: who may decide, how many have to, and what that means for one cluster. */
import { z } from 'zod';
import { duration, flag, text } from '../base/fields.ts';
import { type ConfigProblem } from '../base/errors.ts';
import { type ApprovalPolicy, type ApprovalRule, isMet, MAIN_RULE, progressOf, rulesOf } from '../../../gates/approvals.ts';
import { LOOSENABLE } from '../../../gates/choices.ts';
import { PHASES } from '../../../core/phases.ts';
import { everyOne } from '../../../core/text.ts';
import { PERSON } from '../../identities.ts';

const RIGHT_QUORUM = 'write a whole number from 1';
const RIGHT_SHARE = 'write a share between 0 and 1, such as 0.5';

export const RIGHT_SLACK_USER = 'write a Slack user id such as U012AB3CD';
export const RIGHT_PERSON = `${RIGHT_SLACK_USER}, or without Slack a name such as sam`;

const users = z
  .array(text(RIGHT_PERSON, PERSON), { error: 'write a list of Slack user ids' })
  .describe('Slack user ids of approvers; without Slack names that stand under people');
const groups = z
  .array(text('write a Slack user group id such as S012AB3CD', /^S[A-Z0-9]{2,}$/), { error: 'write a list of Slack user group ids' })
  .describe('Slack user group ids of approvers');
const quorum = z
  .number({ error: RIGHT_QUORUM })
  .int({ error: RIGHT_QUORUM })
  .min(1, { error: RIGHT_QUORUM })
  .describe('Approvals a gate needs');

const rules = z
  .record(
    text('write a name such as platform', /^[a-z][a-z0-9-]{0,39}$/),
    z
      .strictObject({ users: users.optional(), groups: groups.optional(), quorum: quorum.optional() })
      .refine((rule) => (rule.users?.length ?? 0) + (rule.groups?.length ?? 0) > 0, { error: 'name somebody under users or groups' }),
    { error: 'write rules by name, each with users or groups, and quorum' },
  )
  .describe(
    'Further rules by name, each with users or groups and a quorum. A gate needs them all, beside users, groups and quorum above; each person counts for one',
  );

export const approvalsSchema = z
  .strictObject({
    users: users.optional(),
    groups: groups.optional(),
    quorum: quorum.optional(),
    rules: rules.optional(),
    phases: z
      .partialRecord(z.enum(PHASES), z.strictObject({ quorum: quorum.optional(), rules: rules.optional() }), {
        error: `write phases by name: ${PHASES.join(', ')}`,
      })
      .describe('By phase, such as control-plane, what its gates need instead: quorum, rules or both')
      .optional(),
    escalation: z
      .strictObject({
        users: users.optional(),
        groups: groups.optional(),
        after: z
          .number({ error: RIGHT_SHARE })
          .gt(0, { error: RIGHT_SHARE })
          .lt(1, { error: RIGHT_SHARE })
          .describe("Share of a gate's time after which they are asked")
          .optional(),
      })
      .describe('Who is asked as well where nobody has decided for long, and may then stand for any rule')
      .optional(),
    singleApprover: z
      .array(z.enum(LOOSENABLE), { error: `write choices by name: ${LOOSENABLE.join(', ')}` })
      .describe(
        'Choices one approver makes alone. Others that change something need quorum and rules; looking again, waiting and stopping never do',
      )
      .optional(),
    breakGlass: z
      .strictObject({
        users: users.optional(),
        groups: groups.optional(),
        delay: duration('Delay, announced in the channel, before it takes effect; any approver can reject the gate meanwhile').optional(),
        enabled: flag().describe('false: nobody may, even if named').optional(),
      })
      .describe(
        'Who may answer a gate despite its rules, two together, by `belay break-glass`; by default nobody. Never whoever asked for the run',
      )
      .optional(),
    requesters: z
      .strictObject({ users: users.optional(), groups: groups.optional() })
      .refine((of) => (of.users?.length ?? 0) + (of.groups?.length ?? 0) > 0, { error: 'name somebody under users or groups' })
      .describe('Who may start upgrades and ways back; by default everybody whom Slack or AWS proves to be a member')
      .optional(),
    allowRequester: flag().describe('May the requester approve the upgrade?').optional(),
    allowUnverifiedCli: flag().describe('May `belay decide` record the operating-system user, unverified?').optional(),
  })
  .describe('Who may decide at gates');

export type ApprovalsInput = z.output<typeof approvalsSchema>;

/** Layers of the file, the later over the earlier. */
export function mergeApprovals(base: ApprovalPolicy, over: ApprovalsInput | undefined): ApprovalPolicy {
  if (over === undefined) return base;
  const phases = Object.entries(over.phases ?? {}).map(([phase, own]) => [phase, { quorum: own?.quorum, rules: rulesFrom(own?.rules) }]);
  return {
    users: over.users ?? base.users,
    groups: over.groups ?? base.groups,
    quorum: over.quorum ?? base.quorum,
    rules: rulesFrom(over.rules) ?? base.rules,
    phases: over.phases === undefined ? base.phases : Object.fromEntries(phases),
    escalation:
      over.escalation === undefined
        ? base.escalation
        : { users: over.escalation.users ?? [], groups: over.escalation.groups ?? [], after: over.escalation.after ?? 0.5 },
    singleApprover: over.singleApprover ?? base.singleApprover,
    ...requestersOf(over.requesters, base.requesters),
    ...glassOf(over.breakGlass, base.breakGlass),
    allowRequester: over.allowRequester ?? base.allowRequester,
    allowUnverifiedCli: over.allowUnverifiedCli ?? base.allowUnverifiedCli,
    reasonsFor: base.reasonsFor,
  };
}

const GLASS_DELAY_MS = 10 * 60_000;

function glassOf(over: ApprovalsInput['breakGlass'], base: ApprovalPolicy['breakGlass']): Pick<ApprovalPolicy, 'breakGlass'> {
  if (over === undefined) return base === undefined ? {} : { breakGlass: base };
  const { users: named = base?.users ?? [], groups: members = base?.groups ?? [] } = over;
  const delayMs = over.delay ?? base?.delayMs ?? GLASS_DELAY_MS;
  return { breakGlass: { users: named, groups: members, delayMs, enabled: over.enabled ?? base?.enabled ?? true } };
}

function requestersOf(over: ApprovalsInput['requesters'], base: ApprovalPolicy['requesters']): Pick<ApprovalPolicy, 'requesters'> {
  const requesters = over === undefined ? base : { users: over.users ?? [], groups: over.groups ?? [] };
  return requesters === undefined ? {} : { requesters };
}

/** The rules of gates without a phase, then those of each phase. */
const rulesByPhase = (approvals: ApprovalPolicy): ApprovalRule[][] => [undefined, ...PHASES].map((phase) => rulesOf(approvals, phase));

/** Command lines that nobody verifies are one voter together, so they can neither meet a quorum of several nor stand for a rule. */
export function unverifiable(approvals: ApprovalPolicy): string | undefined {
  if (!approvals.allowUnverifiedCli) return undefined;
  if (rulesByPhase(approvals).every((rules) => rules.length === 1 && rules.every(({ quorum }) => quorum === 1))) return undefined;
  return 'is for one approver and no rules: all command lines that nobody verifies count as one voter. Name people by AWS under people instead, or lower quorum to 1 and remove rules';
}

function rulesFrom(input: ApprovalsInput['rules']): ApprovalRule[] | undefined {
  if (input === undefined) return undefined;
  return Object.entries(input).map(([name, rule]) => ({
    name,
    users: rule.users ?? [],
    groups: rule.groups ?? [],
    quorum: rule.quorum ?? 1,
  }));
}

/** Every group that somebody may belong to who decides or starts. */
export function groupsOf(approvals: ApprovalPolicy): string[] {
  return [
    ...new Set([
      ...rulesByPhase(approvals).flatMap((rules) => rules.flatMap((rule) => rule.groups)),
      ...(approvals.escalation?.groups ?? []),
      ...(approvals.requesters?.groups ?? []),
      ...(approvals.breakGlass?.groups ?? []),
    ]),
  ];
}

/** Why no upgrade can be decided by these rules, or undefined: nobody is named, or too few for a quorum. */
export function undecidable(approvals: ApprovalPolicy): ConfigProblem | undefined {
  if (rulesByPhase(approvals).some((of) => of.every((rule) => rule.users.length + rule.groups.length === 0))) {
    const message = 'names nobody who may decide, so no upgrade is started; add Slack user ids under users or group ids under groups';
    return { path: 'approvals', message };
  }
  if (approvals.allowUnverifiedCli) return undefined;
  const short = shortageOf(approvals);
  if (short === undefined) return undefined;
  const needed = short.rules.reduce((sum, { quorum: each }) => sum + each, 0);
  const message = `${needed} people have to approve${asWhat(short.rules)} but users names only ${short.voters.length}, so no gate could pass; add users or groups, or lower it`;
  return { path: 'approvals.quorum', message };
}

/** " as owners", ", 2 as approvers and 1 as owners," */
function asWhat(rules: readonly ApprovalRule[]): string {
  const [only] = rules;
  if (only === undefined || rules.length > 1) return `, ${everyOne(rules.map(({ name, quorum: each }) => `${each} as ${name}`))},`;
  return only.name === MAIN_RULE ? '' : ` as ${only.name}`;
}

interface Shortage {
  rules: ApprovalRule[];
  voters: string[];
}

/**
 * Which rules of a phase no gate can meet even if everybody approves who can, no more rules than it takes, and who could stand for them; undefined: all
 * can be met. Who is in groups is not known here, so a rule with groups counts as met.
 */
export function shortageOf(approvals: ApprovalPolicy, canApprove: (user: string) => boolean = () => true): Shortage | undefined {
  const { users = [], groups = [] } = approvals.escalation ?? {};
  if (groups.length > 0) return undefined;
  const named = (some: readonly ApprovalRule[]): string[] => [...new Set(some.flatMap((rule) => rule.users))].filter(canApprove);
  for (const rules of rulesByPhase(approvals)) {
    // Whoever is in no rule may stand for any of them once they are asked as well.
    const later = users.filter((user) => canApprove(user) && !named(rules).includes(user));
    const isShort = (some: readonly ApprovalRule[]): boolean => {
      const own = named(some).map((user) => ({ rules: some.filter(({ users: of }) => of.includes(user)).map(({ name }) => name) }));
      return !isMet(progressOf(some, [...own, ...later.map(() => ({}))]));
    };
    const counted = rules.filter(({ groups: members }) => members.length === 0);
    if (!isShort(counted)) continue;
    const short = counted.reduce((left, rule) => {
      const fewer = left.filter((other) => other !== rule);
      return isShort(fewer) ? fewer : left;
    }, counted);
    return { rules: short, voters: [...named(short), ...later] };
  }
  return undefined;
}
