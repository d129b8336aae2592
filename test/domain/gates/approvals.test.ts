/** Who stands for which rule, against an oracle that tries everything; and gates under ten thousand random sequences of votes. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  type ApprovalPolicy,
  type GateRule,
  isEscalatedAt,
  isMet,
  progressOf,
  progressText,
  rulesOf,
} from '../../../domain/gates/approvals.ts';
import { type DecideGateInput, type Decision, type GateDefinition, type GateState, WITHDRAW_VOTE } from '../../../domain/gates/gate.ts';
import {
  breakGlassNow,
  dropVote,
  expireGate,
  openGate,
  reduceBreakGlass,
  reduceDecision,
  validateDecision,
} from '../../../domain/gates/gate-rules.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { breakGlass } from '../../../workflows/messages/votes.ts';

const NAMES = ['platform', 'owners', 'security'];

/** Can the people be told apart so that every rule has its quorum? Tries all ways. */
function canBeMet(rules: readonly GateRule[], people: readonly (readonly string[])[]): boolean {
  const [rule, ...others] = rules.flatMap(({ name, quorum }) => Array.from({ length: quorum }, () => ({ name, quorum: 1 })));
  if (rule === undefined) return true;
  return people.some((own, index) => own.includes(rule.name) && canBeMet(others, [...people.slice(0, index), ...people.slice(index + 1)]));
}

const rulesArbitrary = fc
  .array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 })
  .map((quorums) => quorums.map((quorum, index) => ({ name: NAMES[index] ?? '', quorum })));
const memberships = fc.subarray(NAMES);

describe('several rules at once', () => {
  test.each<[string, GateRule[], string[][], string, boolean]>([
    ['one of each, by two people', [rule('platform'), rule('owners')], [['platform'], ['owners']], 'platform 1 of 1, owners 1 of 1', true],
    ['one person in both groups', [rule('platform'), rule('owners')], [['platform', 'owners']], 'platform 1 of 1, owners 0 of 1', false],
    [
      'who could stand for both makes room for who can only for one',
      [rule('platform'), rule('owners')],
      [['platform', 'owners'], ['platform']],
      'platform 1 of 1, owners 1 of 1',
      true,
    ],
    ['two of one rule', [rule('platform', 2)], [['platform'], ['platform']], '2 of 2 approvals', true],
    [
      'a third does not count for another',
      [rule('platform', 2), rule('owners')],
      [['platform'], ['platform'], ['platform']],
      'platform 2 of 2, owners 0 of 1',
      false,
    ],
  ])('%s', (_title, rules, people, text, met) => {
    const progress = progressOf(
      rules,
      people.map((own) => ({ rules: own })),
    );
    expect(progressText(progress)).toBe(text);
    expect(isMet(progress)).toBe(met);
  });

  test('are met exactly where trying all ways finds one', () => {
    fc.assert(
      fc.property(rulesArbitrary, fc.array(memberships, { maxLength: 6 }), (rules, people) => {
        expect(
          isMet(
            progressOf(
              rules,
              people.map((own) => ({ rules: own })),
            ),
          ),
        ).toBe(canBeMet(rules, people));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a phase may want more, and who is named nowhere else is no rule', () => {
    const owners = { name: 'owners', users: ['U0OWN'], groups: [], quorum: 1 };
    const approvals: ApprovalPolicy = {
      users: ['U0LEAD'],
      groups: [],
      quorum: 1,
      allowRequester: false,
      allowUnverifiedCli: false,
      phases: { 'control-plane': { quorum: 2, rules: [owners] } },
    };
    expect(rulesOf(approvals, 'node-groups').map(({ name, quorum }) => `${name} ${quorum}`)).toEqual(['approvers 1']);
    expect(rulesOf(approvals, 'control-plane').map(({ name, quorum }) => `${name} ${quorum}`)).toEqual(['approvers 2', 'owners 1']);
    expect(rulesOf({ ...approvals, users: [], rules: [owners] }, undefined).map(({ name }) => name)).toEqual(['owners']);
  });
});

describe('the second group', () => {
  const GATE = { openedAt: '2026-03-03T12:00:00Z', expiresAt: '2026-03-04T12:00:00Z' };
  const escalation = { users: ['U0BOSS'], groups: [], after: 0.5 };
  /** A day more. */
  const given = (at: string) => ({ ...GATE, expiresAt: '2026-03-05T12:00:00Z', extended: [{ at, byMs: 24 * 3_600_000 }] });

  test.each([
    ['before half of the time', false, { escalation }, GATE, '2026-03-03T23:59:59Z'],
    ['from half of the time on', true, { escalation }, GATE, '2026-03-04T00:00:00Z'],
    ['once it was, though somebody has given more time since', true, { escalation }, given('2026-03-04T01:00:00Z'), '2026-03-04T01:00:01Z'],
    ['later, where more time was given before that', false, { escalation }, given('2026-03-03T23:00:00Z'), '2026-03-04T11:59:59Z'],
    ['from half of the longer time on', true, { escalation }, given('2026-03-03T23:00:00Z'), '2026-03-04T12:00:00Z'],
    ['where belay.yaml names none', false, {}, GATE, '2026-03-04T11:00:00Z'],
    ['at a gate that goes on by itself', false, { escalation }, { ...GATE, byItself: true as const }, '2026-03-04T11:00:00Z'],
  ])('is asked %s: %s', (_when, asked, approvals, gate, at) => {
    expect(isEscalatedAt(approvals, gate, Date.parse(at))).toBe(asked);
  });
});

function rule(name: string, quorum = 1): GateRule {
  return { name, quorum };
}

type Step =
  | {
      kind: 'vote';
      person: number;
      choice: string;
      revision: number;
      reason: boolean;
      mayDecide: boolean;
      rules: string[];
      glass: 'no' | 'verified' | 'unknown';
      otherPlan: boolean;
    }
  | { kind: 'expire' };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('vote' as const),
      person: fc.integer({ min: 0, max: 4 }),
      choice: fc.constantFrom('approve', 'approve', 'approve', 'reject', 'skip', WITHDRAW_VOTE, 'nonsense'),
      // How far behind the newest message is the one that was pressed.
      revision: fc.integer({ min: -1, max: 3 }),
      reason: fc.boolean(),
      mayDecide: fc.boolean(),
      rules: memberships,
      // Despite the rules, by somebody whom AWS knows or not.
      glass: fc.constantFrom('no' as const, 'no' as const, 'verified' as const, 'unknown' as const),
      otherPlan: fc.integer({ min: 0, max: 9 }).map((tenth) => tenth === 0),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
);

/** The simplest description of a gate there is: who has voted for what, and what closes it. */
class Oracle {
  readonly votes = new Map<number, { choice: string; rules: string[]; glass: boolean }>();
  end: string | undefined;
  readonly #rules: GateRule[];
  readonly #heard = new Set<string>();

  constructor(rules: GateRule[]) {
    this.#rules = rules;
  }

  take(step: Step, id: string, revisionIsKnown: boolean): void {
    if (this.end !== undefined) return;
    if (step.kind === 'expire') return void (this.end = 'expired');
    if (this.#heard.has(id) || !revisionIsKnown || step.choice === 'nonsense') return;
    const glass = step.glass !== 'no';
    if (step.choice !== WITHDRAW_VOTE && !step.reason && (glass || step.choice !== 'approve')) return;
    if (step.otherPlan) return;
    this.#heard.add(id);
    if (glass ? step.glass === 'unknown' : !step.mayDecide || step.rules.length === 0) return;
    if (step.choice === WITHDRAW_VOTE) return void this.votes.delete(step.person);
    this.votes.set(step.person, { choice: step.choice, rules: glass ? [] : step.rules, glass });
    const same = [...this.votes.values()].filter(({ choice }) => choice === step.choice);
    if (glass) {
      // Two people, never two shells of one.
      if (same.filter((vote) => vote.glass).length === 2) this.end = step.choice;
      return;
    }
    const approvals = same.map(({ rules }) => rules);
    if (step.choice !== 'approve') this.end = step.choice;
    else if (canBeMet(this.#rules, approvals)) this.end = 'approve';
  }
}

function gateOf(rules: GateRule[]): GateDefinition {
  const choices: GateDefinition['choices'] = [
    { id: 'approve', label: 'Approve', needsQuorum: true, does: '' },
    { id: 'reject', label: 'Reject', needsReason: true, needsQuorum: false, does: '' },
    { id: 'skip', label: 'Skip', needsReason: true, needsQuorum: false, does: '' },
  ];
  const quorum = rules.reduce((sum, each) => sum + each.quorum, 0);
  const times = { openedAt: '2026-03-03T12:00:00Z', expiresAt: '2026-03-04T12:00:00Z' };
  return {
    planHash: 'p',
    id: 'G#1',
    step: 'bake@1.32',
    title: 'Go on?',
    next: '',
    evidence: [],
    undo: '',
    choices,
    quorum,
    rules,
    revision: 1,
    ...times,
  };
}

test('ten thousand random sequences of votes end as the oracle says, restarts in between', () => {
  fc.assert(
    fc.property(rulesArbitrary, fc.array(stepArbitrary, { maxLength: 14 }), (rules, steps) => {
      let state: GateState = { kind: 'open', gate: gateOf(rules), votes: [], refused: [] };
      const oracle = new Oracle(rules);
      const sent = new Set<string>();
      for (const step of steps) {
        const { revision: newest } = state.gate;
        if (step.kind === 'expire') {
          oracle.take(step, '', true);
          state = expireGate(state, '2026-03-04T12:00:00Z');
          continue;
        }
        const revision = newest - step.revision;
        const decisionId = `G#1:${step.person}${step.glass}:${step.choice}:${revision}`;
        // Temporal answers a repeated update id by itself.
        if (sent.has(decisionId)) continue;
        sent.add(decisionId);
        oracle.take(step, decisionId, revision <= newest);
        const input: DecideGateInput = {
          gateId: 'G#1',
          decisionId,
          choice: step.choice,
          actor: { kind: 'slack', id: `U${step.person}` },
          reason: step.reason ? 'why' : undefined,
          planHash: step.otherPlan ? 'q' : 'p',
          ...(step.glass === 'no' ? {} : { breakGlass: true }),
        };
        if (validateDecision(state, input) !== undefined) continue;
        const right = { allowed: step.mayDecide && step.rules.length > 0, why: 'no', rules: step.rules };
        const decision = { ...input, at: '2026-03-03T13:00:00Z' };
        const person: Actor | undefined = step.glass === 'verified' ? { ...input.actor, aws: 'arn' } : undefined;
        ({ state } =
          step.glass === 'no' ? reduceDecision(state, decision, right) : reduceBreakGlass(state, decision, { person, why: 'unknown' }));
        // What a restart keeps is what JSON keeps.
        state = JSON.parse(JSON.stringify(state)) as GateState;
      }
      const ended = state.kind === 'decided' ? state.decision.choice : state.kind === 'open' ? undefined : state.kind;
      expect(ended).toBe(oracle.end);
      if (state.kind === 'open')
        expect(state.votes.map(({ actor, choice }) => `${actor.id} ${choice}`).toSorted()).toEqual(
          [...oracle.votes].map(([person, { choice }]) => `U${person} ${choice}`).toSorted(),
        );
    }),
    { numRuns: 10_000 },
  );
});

describe('break-glass with a delay', () => {
  const person = (id: string): Actor => ({ kind: 'slack', id, aws: `arn:${id}` });
  const glass = (to: GateState, id: string, choice: string, revision: number): GateState => {
    const input = {
      gateId: 'G#1',
      decisionId: `G#1:${id}:${choice}:${revision}`,
      actor: person(id),
      choice,
      reason: 'outage',
      breakGlass: true,
    };
    return reduceBreakGlass(to, { ...input, at: '2026-03-03T13:00:00Z' }, { person: person(id), why: '', delayMs: 600_000 }).state;
  };
  const atMs = (time: string): number => Date.parse(`2026-03-03T${time}Z`);
  const both = (): GateState =>
    glass(glass({ kind: 'open', gate: gateOf([rule('platform', 2)]), votes: [], refused: [] }, 'U1', 'approve', 1), 'U2', 'approve', 2);

  test('RS10: two people pass it when the delay is over, and not before', () => {
    const state = both();
    expect(state).toMatchObject({ kind: 'open', gate: { glass: { choice: 'approve', at: '2026-03-03T13:10:00.000Z' } } });
    expect(breakGlassNow(state, atMs('13:09:59'))).toBe(state);
    expect(breakGlassNow(state, atMs('13:10:00'))).toMatchObject({ kind: 'decided', decision: { choice: 'approve', breakGlass: true } });
  });

  test('whoever breaks the glass of a gate that expires before the delay is over is told so, and the channel as well', () => {
    const gate = { ...gateOf([rule('platform', 2)]), expiresAt: '2026-03-03T13:05:00.000Z' };
    const first = glass({ kind: 'open', gate, votes: [], refused: [] }, 'U1', 'approve', 1);
    const said: Decision = {
      gateId: 'G#1',
      decisionId: 'G#1:U2:approve:2',
      actor: person('U2'),
      choice: 'approve',
      reason: 'outage',
      breakGlass: true,
      at: '2026-03-03T13:00:00Z',
    };
    const { state, reply } = reduceBreakGlass(first, said, { person: person('U2'), why: '', delayMs: 600_000 });
    const label = gate.choices.find(({ id }) => id === 'approve')?.label ?? '';
    expect(reply.message).toBe(
      `Recorded: ${label} despite the rules. It would take effect at 2026-03-03T13:10:00.000Z, but the gate expires first, at 2026-03-03T13:05:00.000Z: give it more time, or it ends unanswered.`,
    );
    expect(breakGlass(state, said).text).toContain(
      ' But the gate expires first, at 2026-03-03 13:05 UTC: give it more time, or it ends unanswered.',
    );
  });

  test('a gate that is closed takes no break-glass vote, and loses none', () => {
    const open: GateState = { kind: 'open', gate: gateOf([rule('platform', 2)]), votes: [], refused: [] };
    const expired = expireGate(open, '2026-03-03T13:00:00.000Z');
    expect(expired.kind).toBe('expired');
    expect(glass(expired, 'U1', 'approve', 1)).toBe(expired);
    const decided = breakGlassNow(both(), atMs('13:10:00'));
    const [vote] = decided.kind === 'decided' ? decided.votes : [];
    if (vote === undefined) throw new Error('the gate was not passed');
    expect(dropVote(decided, vote)).toBe(decided);
  });

  test('RS10: an approver rejects it meanwhile, or one of the two takes it back: then it passes nothing', () => {
    const reject = {
      gateId: 'G#1',
      decisionId: 'G#1:U3:reject:3',
      actor: { kind: 'slack' as const, id: 'U3' },
      choice: 'reject',
      reason: 'no',
      at: '2026-03-03T13:05:00Z',
    };
    expect(reduceDecision(both(), reject, { allowed: true, why: '' }).state).toMatchObject({
      kind: 'decided',
      decision: { choice: 'reject' },
    });
    const back = glass(both(), 'U1', WITHDRAW_VOTE, 3);
    expect(back.gate.glass).toBeUndefined();
    expect(breakGlassNow(back, atMs('14:00:00'))).toBe(back);
  });
});

describe('what a voter is told', () => {
  const state = (): GateState => ({ kind: 'open', gate: gateOf([rule('platform', 2), rule('owners')]), votes: [], refused: [] });
  const vote = (id: string, choice: string, revision = 1): DecideGateInput => ({
    gateId: 'G#1',
    decisionId: `G#1:${id}:${choice}:${revision}`,
    actor: { kind: 'slack', id },
    choice,
    reason: 'why',
  });
  const cast = (to: GateState, input: DecideGateInput, rules?: string[]): { state: GateState; reply: { message: string } } =>
    reduceDecision(to, { ...input, at: '2026-03-03T13:00:00Z' }, { allowed: true, why: '', rules });

  test('how far each rule is; a vote is taken back; an approval turns into a refusal', () => {
    const first = cast(state(), vote('U1', 'approve'), ['platform']);
    expect(first.reply.message).toBe('Recorded: Approve, platform 1 of 2, owners 0 of 1.');
    const back = cast(first.state, vote('U1', WITHDRAW_VOTE, 2));
    expect(back.reply.message).toBe('Your vote is withdrawn.');
    expect(cast(back.state, vote('U1', WITHDRAW_VOTE, 3)).reply).toEqual({ accepted: false, message: 'You have no vote at gate G#1.' });
    expect(cast(first.state, vote('U1', 'reject')).state).toMatchObject({ kind: 'decided', decision: { choice: 'reject' } });
  });

  test('two who press the same message at once are both heard', () => {
    const first = cast(state(), vote('U1', 'approve'), ['platform']);
    expect(validateDecision(first.state, vote('U2', 'approve'))).toBeUndefined();
    const second = cast(first.state, vote('U2', 'approve'), ['platform']);
    expect(second.reply.message).toBe('Recorded: Approve, platform 2 of 2, owners 0 of 1.');
    expect(second.state.kind === 'open' ? openGate(second.state).progress : '').toBe('platform 2 of 2, owners 0 of 1');
  });

  test('S15: a decision about another plan is refused', () => {
    const about = state();
    about.gate.planHash = 'b';
    expect(validateDecision(about, { ...vote('U1', 'approve'), planHash: 'a' })).toBe(
      'This message shows plan a, and gate G#1 is about plan b. Look at the newest message.',
    );
    expect(validateDecision(about, { ...vote('U1', 'approve'), planHash: 'b' })).toBeUndefined();
  });
});
