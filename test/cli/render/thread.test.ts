import { expect, test } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { ThreadText, threadJson } from '../../../cli/render/thread/thread.ts';
import type { Notification } from '../../../domain/run/notifications.ts';
import { decided, open, plan, RUN_ID, status } from '../../slack/fixtures.ts';

const AT = '2026-03-03T12:05:00.000Z';

/** As somebody in Berlin sees it. */
function shown(...told: { key: string; notification: Notification; at?: string }[]): string {
  const text = new ThreadText({ cluster: 'staging', timeZone: 'Europe/Berlin' });
  return told
    .map((each) => text.lines({ at: AT, runId: RUN_ID, ...each }))
    .filter((lines) => lines !== undefined)
    .map(stripVTControlCharacters)
    .join('\n');
}

const note = (text: string): Notification => ({ kind: 'note', level: 'warning', text });
const gate = (state = open()): Notification => ({
  kind: 'gate',
  state,
  workflowId: 'w',
  revision: 1,
  mention: { users: ['U0SAM'], groups: ['S0PLATFORM'] },
});

test('a thread in order: the board when it says something new, a gate in full with its commands, how it was decided', () => {
  expect(
    shown(
      { key: 'board', notification: { kind: 'board', status: status() } },
      { key: 'board', notification: { kind: 'board', status: status({ revision: 8 }) } },
      { key: 'gate/before:control-plane@1.32#1', notification: gate() },
      { key: 'gate/before:control-plane@1.32#1', notification: gate() },
      { key: 'gate/before:control-plane@1.32#1', notification: { ...gate(), reminder: true } as Notification },
      { key: 'note/run/1', notification: note('Pod **web/a** is pending'), at: '2026-03-03T23:05:00.000Z' },
      { key: 'gate/before:control-plane@1.32#1', notification: gate(decided()) },
    ),
  ).toBe(`2026-03-03 13:05  staging 1.31 → 1.32: Running – The control plane moves to 1.32
2026-03-03 13:05  ⏳ Move the control plane to 1.32?
                  @S0PLATFORM @U0SAM: decide by 2026-03-04 13:05. If nobody does, the gate expires and approves nothing.
                  What happens next
                  EKS moves the control plane; this takes about ten minutes.
                  Pre-checks
                  • 12 passed
                  • 1 warning: <b> & co
                  What can be undone
                  Within 7 days the control plane can be rolled back.
                  • Reject: Stops before the step.
                  • Skip: Continues without the step.
                  belay decide staging 'before:control-plane@1.32#1' approve
                  belay decide staging 'before:control-plane@1.32#1' reject
                  belay decide staging 'before:control-plane@1.32#1' skip
2026-03-03 13:05  ⏳ Move the control plane to 1.32?
2026-03-04 00:05  ⚠ Pod web/a is pending
2026-03-03 13:05  ✅ Move the control plane to 1.32?
                  Approve by @sam, 2026-03-03 13:06
                  > looks good <!channel>
                  Pre-checks: 12 passed (1 more in the record)`);
});

test('a vote that is withdrawn is news, although the gate has said so before', () => {
  const votes = ['U0SAM', 'U0ADA'].map((id) => {
    const by = decided();
    return by.kind === 'decided' ? { ...by.decision, decisionId: id, actor: { kind: 'slack' as const, id, name: id } } : undefined;
  });
  const rules = [{ name: 'approvers', quorum: 3 }];
  const voted = (count: number): Notification => {
    const state = open({ quorum: 3, rules });
    return gate({ ...state, votes: votes.slice(0, count).filter((vote) => vote !== undefined) });
  };
  const text = new ThreadText({ cluster: 'staging', timeZone: 'UTC' });
  const said = [voted(1), voted(2), voted(1), voted(1)].map((notification) =>
    text.lines({ at: AT, runId: RUN_ID, key: 'gate/x', notification }),
  );
  expect(said.map((lines) => /\d of 3[^\n]*/.exec(stripVTControlCharacters(lines ?? ''))?.[0])).toEqual([
    expect.stringMatching(/^1 of 3/),
    expect.stringMatching(/^2 of 3/),
    expect.stringMatching(/^1 of 3/),
    undefined,
  ]);
});

test('every kind that a run tells has text, and what this version does not know is named', () => {
  const pending = { key: 'plan', notification: { kind: 'plan', plan: plan() } } as const;
  expect(shown(pending)).toContain('Control plane to 1.32');
  const file = { kind: 'file', below: 'board', fileName: 'a.csv', title: 'Clusters', content: 'x' } as const;
  expect(shown({ key: 'f', notification: file })).toBe('2026-03-03 13:05  Clusters (a.csv; --format json has its text)');
  expect(shown({ key: 'f', notification: { kind: 'curves', gate: 'before:x@1.32#1', curves: [] } })).toContain(
    'Health checks at before:x@1.32#1',
  );
  const strange = { kind: 'hologram' } as unknown as Notification;
  expect(shown({ key: 'k', notification: strange })).toBe(
    '2026-03-03 13:05  k: this version of Belay cannot show messages of kind hologram; see --format json.',
  );
  const halved = { kind: 'gate' } as unknown as Notification;
  expect(shown({ key: 'k', notification: halved })).toContain('cannot show messages of kind gate');
});

test('a terminal obeys nothing that somebody has written into a message', () => {
  const text = new ThreadText({ cluster: 'staging', timeZone: 'UTC' });
  const evil = 'red \u001b[31m, title \u009d0;owned\u0007, \u001b]8;;http://evil\u0007link';
  const lines = text.lines({ at: AT, runId: RUN_ID, key: 'n\u001b[2J', notification: note(evil) }) ?? '';
  const dots = stripVTControlCharacters(lines);
  // oxlint-disable-next-line no-control-regex
  expect(dots).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  const json = threadJson({ at: AT, runId: RUN_ID, key: 'k', notification: note(evil) });
  // oxlint-disable-next-line no-control-regex
  expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(JSON.parse(json)).toMatchObject({ notification: { text: evil } });
});
