/** Which of what a run tells become which events: each change once, whatever is told again. */
import { describe, expect, test } from 'vitest';
import { ALL_EVENTS } from '../../../../domain/policy/deliveries.ts';
import type { EventStory } from '../../../../domain/run/events/event-story.ts';
import { decided, open, status } from '../../../slack/fixtures.ts';
import { everythingOfCampaigns, everythingOfProposals } from './campaign-told.ts';
import {
  asked,
  board,
  EVERYTHING,
  eventsOf,
  everythingOfRollbacks,
  expired,
  gateTold,
  NOW,
  note,
  report,
  step,
  story,
  type Told,
  withdrawn,
} from './told.ts';

const GATE = 'before:control-plane@1.32#1';
const STARTED = 'upgrade/started';
const LATER = '2026-03-05T12:05:00Z';

/** By their keys; the type is in each, but for notes, whose key is the thread's own. */
const keysOf = (told: readonly Told[]): string[] => eventsOf(told).map(({ key }) => key);

describe('what becomes an event', () => {
  test.each<[string, Told[], string[]]>([
    ['no plan yet', [board({ state: 'planning' })], []],
    ['a plan that is refused', [board({ state: 'refused' })], []],
    ['the first board with a plan', [board()], [STARTED]],
    ['the same board again', [board(), board()], [STARTED]],
    ['a board without a version to come from', [['board', { kind: 'board', status: withoutFrom() }]], []],
    ['paused', [board(), board({ state: 'paused' })], [STARTED, 'upgrade/paused/1']],
    [
      'paused twice, told each time twice',
      [board(), ...turns('paused', 'paused', 'running', 'running', 'paused', 'running')],
      [STARTED, 'upgrade/paused/1', 'upgrade/resumed/1', 'upgrade/paused/2', 'upgrade/resumed/2'],
    ],
    ['a step that is planned', [board({ steps: step('planned') })], [STARTED]],
    [
      'a step that runs, then waits for people',
      [board({ steps: step('running') }), board({ steps: step('waiting') })],
      [STARTED, 'step/add-ons@1.32/started/1'],
    ],
    [
      'a note of a step alone',
      [board({ steps: step('running') }), board({ steps: step('running', 'half of it') })],
      [STARTED, 'step/add-ons@1.32/started/1'],
    ],
    ...(['completed', 'skipped', 'failed', 'aborted'] as const).map((state): [string, Told[], string[]] => [
      `a step that is ${state}`,
      [board({ steps: step('running') }), board({ steps: step(state) })],
      [STARTED, 'step/add-ons@1.32/started/1', `step/add-ons@1.32/${state}/1`],
    ]),
    [
      'a step that fails, is tried again and fails again',
      [
        board({ steps: step('running') }),
        board({ steps: step('failed') }),
        board({ steps: step('running') }),
        board({ steps: step('failed') }),
      ],
      [STARTED, 'step/add-ons@1.32/started/1', 'step/add-ons@1.32/failed/1', 'step/add-ons@1.32/started/2', 'step/add-ons@1.32/failed/2'],
    ],
    ['a step that is first told when it has ended', [board({ steps: step('completed') })], [STARTED, 'step/add-ons@1.32/completed/1']],
    ['a gate that opens', [gateTold(open())], [`gate/${GATE}/opened`]],
    ['a vote at a gate', [gateTold(open()), gateTold(voted())], [`gate/${GATE}/opened`]],
    ['a reminder', [gateTold(open()), gateTold(open(), { reminder: true })], [`gate/${GATE}/opened`, `gate/${GATE}/reminder/${NOW}`]],
    [
      'more time, told twice',
      [gateTold(open()), gateTold(open({ expiresAt: LATER })), gateTold(open({ expiresAt: LATER }))],
      [`gate/${GATE}/opened`, `gate/${GATE}/extended/${LATER}`],
    ],
    [
      'a decision, told twice',
      [gateTold(open()), gateTold(decided()), gateTold(decided())],
      [`gate/${GATE}/opened`, `gate/${GATE}/decided`],
    ],
    ['nobody decided', [gateTold(expired('a'))], ['gate/a/expired']],
    ['nobody has to decide any more', [gateTold(withdrawn('a'))], ['gate/a/withdrawn']],
    ['notes, one of them told twice', [note('info'), note('warning'), note('info')], ['info', 'warning']],
    ['a change that somebody else makes', [asked], ['asked']],
    ['the end', [board(), report()], [STARTED, 'upgrade/finished']],
    [
      'the end, with a step that no board told',
      [board(), report({ steps: step('completed') })],
      [STARTED, 'step/add-ons@1.32/completed/1', 'upgrade/finished'],
    ],
    ['what is for Slack alone', [['file', { kind: 'file', below: 'x', fileName: 'f', title: 't', content: 'c' }]], []],
    ['pictures', [['curves', { kind: 'curves', gate: 'x', curves: [] }]], []],
  ])('%s', (_what, told, keys) => {
    expect(keysOf(told)).toEqual(keys);
  });
});

test('there is a way to each type, and types and keys say the same', () => {
  const events = [...eventsOf(EVERYTHING), ...everythingOfProposals(), ...everythingOfRollbacks()];
  const all = [...events, ...everythingOfCampaigns()];
  expect(new Set(all.map(({ type }) => type))).toEqual(new Set(ALL_EVENTS));
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  const last = (text: string): string => /[a-z]+$/.exec(text)?.[0] ?? '';
  for (const { key, type } of events.filter(({ type: each }) => /^(?:step|gate|upgrade|rollback)\./.test(each)))
    expect(key.split('/')).toContain(last(type));
});

describe('a gate says who may decide, and how', () => {
  const people = {
    U0SAM: ['arn:aws:sts::123456789012:assumed-role/Admin/sam@example.com', 'arn:aws:iam::123456789012:user/ops/sam'],
    rin: ['arn:aws:sts::123456789012:assumed-role/Admin/rin'],
    kim: ['arn:aws:sts::123456789012:assumed-role/Oncall/*'],
  };
  const said = (
    who: { users: string[]; groups: string[]; except?: string[] },
    change: Partial<ConstructorParameters<typeof EventStory>[0]> = {},
  ) => {
    const [key, told] = gateTold(open());
    const { users, groups, except = [] } = who;
    const notification = { ...told, mention: { users, groups }, voters: { users, groups, except } } as typeof told;
    return eventsOf([[key, notification]], story({ people, ...change }))[0]?.data.gate;
  };

  test.each([
    [{ users: ['U0SAM'], groups: [] }, ['U0SAM (sam@example.com, sam)']],
    // What is called as it stands in the file, and any session of a role, add nothing.
    [{ users: ['rin', 'kim', 'lee'], groups: [] }, ['rin', 'kim', 'lee']],
    [{ users: ['rin'], groups: ['S0PLATFORM'] }, ['rin', 'members of Slack user group S0PLATFORM']],
    // Under four eyes whoever asked may not.
    [{ users: ['rin', 'kim'], groups: [], except: ['rin'] }, ['kim']],
  ])('%j', (who, names) => {
    expect(said(who)?.approvers).toEqual({ users: who.users, groups: who.groups, names });
  });

  test('an ARN is never said', () => {
    expect(JSON.stringify(said({ users: ['U0SAM', 'rin', 'kim'], groups: [] }))).not.toContain('arn:');
  });

  test('in Slack where there is one, and by command line', () => {
    const command = `belay decide staging '${GATE}' CHOICE --reason "…"`;
    expect(said({ users: ['rin'], groups: [] })).toMatchObject({ command, inSlack: true });
    const alone = said({ users: ['rin'], groups: [] }, { inSlack: false });
    expect(alone).toMatchObject({ command });
    expect(alone).not.toHaveProperty('inSlack');
  });
});

describe('what an event says', () => {
  test('when it happened by the run, else when it was told', () => {
    const at = (told: readonly Told[]): (string | undefined)[] => eventsOf(told).map((event) => event.at);
    expect(at([board(), board({ state: 'paused' })])).toEqual(['2026-03-03T12:00:00Z', NOW]);
    expect(at([gateTold(open()), gateTold(decided())])).toEqual(['2026-03-03T12:05:00Z', '2026-03-03T12:06:00Z']);
    expect(at([gateTold(expired('a')), gateTold(withdrawn('b')), report()])).toEqual([
      '2026-03-03T12:20:00Z',
      '2026-03-03T12:20:00Z',
      '2026-03-03T13:00:00Z',
    ]);
  });

  test('its cluster and run: by what was told last', () => {
    const of = story();
    const [before] = eventsOf([note('info', 'before')], of);
    expect(before?.data.run).toEqual({ workflowId: status().workflowId, runId: status().runId });
    const [started] = eventsOf([board({ campaign: { name: 'q1', ring: 'one' } })], of);
    expect(started?.data).toEqual({
      cluster: { name: 'staging', account: '111122223333', region: 'eu-west-1', environment: 'staging' },
      run: {
        workflowId: status().workflowId,
        runId: status().runId,
        from: '1.31',
        to: '1.32',
        campaign: { name: 'q1', ring: 'one' },
        requestedBy: { kind: 'slack', id: 'U0ALEX', name: 'alex' },
      },
      links: { temporal: 'https://temporal.example/run' },
    });
  });

  test('its run, where no board is told: as a step that outlives it was told', () => {
    const run = { workflowId: status().workflowId, runId: status().runId, from: '1.31', to: '1.33' };
    expect(eventsOf([note('alarm')], story({ run }))[0]?.data.run).toEqual(run);
  });

  test('quiet runs of a campaign: boards and the end say so, gates and notes never', () => {
    const events = eventsOf([board({ steps: step('running') }, true), gateTold(open()), note('alarm'), report({}, true)]);
    expect(events.map(({ type, quiet }) => [type, quiet ?? false])).toEqual([
      ['upgrade.started', true],
      ['step.started', true],
      ['gate.opened', false],
      ['note.alarm', false],
      ['upgrade.finished', true],
    ]);
  });
});

function withoutFrom(): ReturnType<typeof status> {
  const { from: _, ...rest } = status({ steps: [] });
  return rest;
}

function turns(...states: ('paused' | 'running')[]): Told[] {
  return states.map((state) => board({ state }));
}

function voted(): ReturnType<typeof open> {
  const vote = decided();
  return { kind: 'open', gate: open().gate, votes: vote.votes, refused: [] };
}
