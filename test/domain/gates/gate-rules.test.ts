/** What is answered to messages that come twice, too late, for no gate, or with a choice that there is not. */
import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { DecideGateInput, Decision, DecisionReply, GateDefinition, GateState } from '../../../domain/gates/gate.ts';
import {
  breakGlassNow,
  dropVote,
  expireGate,
  reduceBreakGlass,
  reduceDecision,
  reduceExtension,
  validateDecision,
  withdrawGate,
} from '../../../domain/gates/gate-rules.ts';

const SAM: Actor = { kind: 'slack', id: 'U1', name: 'Sam' };
const KIM: Actor = { kind: 'slack', id: 'U2', name: 'Kim' };
const MAY = { allowed: true, why: '' };

const GATE: GateDefinition = {
  id: 'G#1',
  step: 'bake@1.32',
  title: 'Go on?',
  next: '',
  evidence: [],
  undo: '',
  choices: [
    { id: 'approve', label: 'Approve', needsQuorum: true, does: '' },
    { id: 'reject', label: 'Reject', needsReason: true, needsQuorum: false, does: '' },
  ],
  quorum: 2,
  revision: 1,
  openedAt: '2026-03-03T12:00:00Z',
  expiresAt: '2026-03-04T12:00:00.000Z',
};

const open = (gate: Partial<GateDefinition> = {}): GateState => ({ kind: 'open', gate: { ...GATE, ...gate }, votes: [], refused: [] });

function said(actor: Actor, choice: string, more: Partial<Decision> = {}): Decision {
  const input: DecideGateInput = { gateId: 'G#1', decisionId: `G#1:${actor.id}:${choice}:1`, actor, choice, reason: 'why' };
  return { ...input, at: '2026-03-03T13:00:00Z', ...more };
}

const vote = (to: GateState, decision: Decision, right = MAY): { state: GateState; reply: DecisionReply } =>
  reduceDecision(to, decision, right);
const glass = (to: GateState, decision: Decision, person: Actor | undefined = decision.actor): { state: GateState; reply: DecisionReply } =>
  reduceBreakGlass(to, { ...decision, breakGlass: true }, { person, why: '' });

describe('the same message again', () => {
  const RECORDED = { accepted: true, message: 'Your decision for G#1 is recorded.' };

  test.each([
    ['a vote', vote],
    ['a vote despite the rules', glass],
  ])('%s is answered as recorded and changes nothing, even once the gate is closed', (_what, take) => {
    const decision = said(SAM, 'approve');
    const { state } = take(open(), decision);
    expect(validateDecision(state, decision)).toBeUndefined();
    expect(take(state, decision)).toEqual({ state, reply: RECORDED });
    const expired = expireGate(state, '2026-03-04T12:00:00Z');
    expect(validateDecision(expired, decision)).toBeUndefined();
    expect(take(expired, decision)).toEqual({ state: expired, reply: RECORDED });
  });

  test('what was refused is refused for the same reason, whatever its sender may do by now', () => {
    const { state } = vote(open(), said(SAM, 'approve'), { allowed: false, why: 'Sam is no approver.' });
    expect(vote(state, said(SAM, 'approve'))).toEqual({ state, reply: { accepted: false, message: 'Sam is no approver.' } });
  });
});

describe('what no gate takes', () => {
  test.each<[string, GateState | undefined, Partial<DecideGateInput>, string]>([
    ['a gate of another run', undefined, {}, 'There is no gate G#1 here; it may belong to an earlier run.'],
    [
      'a reason as long as a page',
      open(),
      { reason: 'x'.repeat(501) },
      'The reason has 501 characters; write at most 500, and put the rest behind a link.',
    ],
    ['an expired gate', expireGate(open(), 'noon'), {}, 'Gate G#1 expired at noon; nobody decided in time.'],
    ['a gate that is taken back', withdrawGate(open(), 'noon', 'the run stops'), {}, 'Gate G#1 was withdrawn at noon: the run stops.'],
  ])('%s', (_what, state, more, why) => {
    expect(validateDecision(state, { ...said(SAM, 'approve'), ...more })).toBe(why);
  });

  test.each([
    ['a vote', vote],
    ['a vote despite the rules', glass],
  ])('%s for a gate that closed while its giver’s right was read', (_what, take) => {
    const withdrawn = withdrawGate(open(), 'noon', 'the run stops');
    expect(take(withdrawn, said(SAM, 'approve'))).toEqual({
      state: withdrawn,
      reply: { accepted: false, message: 'Gate G#1 was withdrawn at noon: the run stops.' },
    });
  });

  test.each([
    ['a vote', vote],
    ['a vote despite the rules', glass],
  ])('%s for a choice that the gate does not offer', (_what, take) => {
    const state = open();
    expect(take(state, said(SAM, 'skip'))).toEqual({ state, reply: { accepted: false, message: '"skip" is not a choice at gate G#1.' } });
  });
});

test('a closed gate stays as it was closed: nothing expires it or takes it back', () => {
  const { state } = vote(open(), said(SAM, 'reject'));
  expect(state).toMatchObject({ kind: 'decided', decision: { choice: 'reject' } });
  expect(withdrawGate(state, 'noon', 'the run stops')).toBe(state);
  expect(expireGate(state, 'noon')).toBe(state);
});

test('one person’s word despite the rules passes nothing when its moment comes', () => {
  const { state } = glass(open({ glass: { choice: 'approve', at: '2026-03-03T13:00:00Z' } }), said(SAM, 'reject'));
  const alone: GateState = { ...state, gate: { ...state.gate, glass: { choice: 'reject', at: '2026-03-03T13:00:00Z' } } };
  expect(breakGlassNow(alone, Date.parse('2026-03-03T14:00:00Z'))).toBe(alone);
});

test('a vote is dropped by its id: others stay, and messages stay current where there was none', () => {
  const { state: one } = vote(open({ quorum: 3 }), said(SAM, 'approve'));
  const { state: two } = vote(one, said(KIM, 'approve'));
  expect(dropVote(two, said(KIM, 'reject'))).toBe(two);
  expect(dropVote(two, said(KIM, 'approve'))).toMatchObject({ gate: { revision: two.gate.revision + 1 }, votes: [{ actor: SAM }] });
});

describe('more time', () => {
  const DAY_MS = 86_400_000;
  const extend = (state: GateState, byMs: number): { state: GateState; reply: DecisionReply } =>
    reduceExtension(state, { actor: SAM, byMs, at: '2026-03-04T11:00:00Z' });

  test('moves the deadline, and says to when', () => {
    const { state, reply } = extend(open(), DAY_MS);
    expect(reply).toEqual({ accepted: true, message: 'Gate G#1 now waits until 2026-03-05T12:00:00.000Z.' });
    expect(state.gate).toMatchObject({ expiresAt: '2026-03-05T12:00:00.000Z', extended: [{ actor: SAM, byMs: DAY_MS }], revision: 2 });
  });

  test.each<[string, GateState, number, string]>([
    ['for a closed gate', expireGate(open(), 'noon'), DAY_MS, 'Gate G#1 expired at noon; nobody decided in time.'],
    ['of nothing', open(), 0, 'Say by how much, such as 2h or 1d.'],
    ['of less than nothing', open(), -DAY_MS, 'Say by how much, such as 2h or 1d.'],
    ['of no number', open(), Number.NaN, 'Say by how much, such as 2h or 1d.'],
    [
      'beyond a week from now',
      open(),
      7 * DAY_MS,
      'Gate G#1 waits until 2026-03-04T12:00:00.000Z; more time may end a week from now at the latest.',
    ],
  ])('%s is refused', (_what, state, byMs, message) => {
    expect(extend(state, byMs)).toEqual({ state, reply: { accepted: false, message } });
  });
});
