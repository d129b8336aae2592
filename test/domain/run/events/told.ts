/** What a run tells, for tests of what comes of it elsewhere than in Slack. */
import type { GateState } from '../../../../domain/gates/gate.ts';
import { EventStory } from '../../../../domain/run/events/event-story.ts';
import type { RunEvent } from '../../../../domain/run/events/event.ts';
import { rollbackEvent, type RollbackNews } from '../../../../domain/run/events/rollback-events.ts';
import type { Notification } from '../../../../domain/run/notifications.ts';
import type { StepState, UpgradeReport, UpgradeStatus } from '../../../../domain/run/record/status.ts';
import { CLUSTER, decided, gate, open, status, UPGRADE } from '../../../slack/fixtures.ts';

/** The workflow's time at each notice. */
export const NOW = '2026-03-03T12:30:00.000Z';

export type Told = readonly [key: string, notification: Notification];

export const story = (change: Partial<ConstructorParameters<typeof EventStory>[0]> = {}): EventStory =>
  new EventStory({
    upgrade: UPGRADE,
    cluster: CLUSTER,
    environment: 'staging',
    temporalUrl: 'https://temporal.example/run',
    inSlack: true,
    ...change,
  });

/** All that is told, in order, to one story. */
export const eventsOf = (told: readonly Told[], of = story()): RunEvent[] =>
  told.flatMap(([key, notification]) => of.hear({ key, notification }, NOW));

export const board = (change: Partial<UpgradeStatus> = {}, quiet?: true): Told => [
  'board',
  { kind: 'board', status: status({ steps: [], ...change }), ...(quiet === undefined ? {} : { quiet }) },
];

export const step = (state: StepState, note?: string): UpgradeStatus['steps'] => [
  { id: 'add-ons@1.32', title: 'Add-ons', state, expectedMs: 60_000, ...(note === undefined ? {} : { note }) },
];

export const gateTold = (state: GateState, more: { reminder?: true } = {}): Told => [
  `gate/${state.gate.id}`,
  { kind: 'gate', state, workflowId: UPGRADE.workflowId, revision: 1, mention: { users: ['U0SAM'], groups: ['S0PLATFORM'] }, ...more },
];

export const note = (level: 'info' | 'warning' | 'alarm', key: string = level): Told => [key, { kind: 'note', level, text: `A ${level}.` }];

export const asked: Told = [
  'asked',
  {
    kind: 'note',
    level: 'warning',
    text: 'Merge coredns v1.11.4.',
    ask: { component: 'add-on', name: 'coredns', version: 'v1.11.4', managedBy: 'terraform' },
  },
];

export const report = (change: Partial<UpgradeStatus> = {}, quiet?: true): Told => {
  const ended: UpgradeReport = {
    status: status({ state: 'completed', endedAt: '2026-03-03T13:00:00Z', steps: [], ...change }),
    outcome: 'completed',
    decisions: [],
    leftBehind: [{ what: 'NodePool default: budgets', why: 'the API server did not answer', kept: false }],
  };
  return ['report', { kind: 'report', report: ended, ...(quiet === undefined ? {} : { quiet }) }];
};

const at = '2026-03-03T12:20:00Z';
const another = (id: string): ReturnType<typeof gate> => gate({ id });
export const expired = (id: string): GateState => ({ kind: 'expired', gate: another(id), at, votes: [] });
export const withdrawn = (id: string): GateState => ({
  kind: 'withdrawn',
  gate: another(id),
  at,
  votes: [],
  why: 'the run is being stopped',
});

/** One of each type of event. */
export const EVERYTHING: readonly Told[] = [
  board(),
  board({ state: 'paused' }),
  board({ state: 'running' }),
  board({ steps: step('running', 'EKS says InProgress') }),
  board({ steps: step('failed', 'EKS refused it') }),
  board({ steps: step('running') }),
  board({ steps: step('completed') }),
  board({ steps: [...step('skipped')].map((each) => ({ ...each, id: 'istio@1.32' })) }),
  board({ steps: [...step('aborted')].map((each) => ({ ...each, id: 'nodes@1.32' })) }),
  gateTold(open({ rules: [{ name: 'platform', quorum: 2, approvers: [] }], planHash: 'abc' } as never)),
  gateTold(open(), { reminder: true }),
  gateTold(open({ expiresAt: '2026-03-05T12:05:00Z' })),
  gateTold(decided()),
  gateTold(expired('second')),
  gateTold(withdrawn('third')),
  note('info'),
  note('warning'),
  note('alarm'),
  asked,
  report({ campaign: { name: 'q1', ring: 'one' } }),
];

/** Likewise of the clock of the rollback window. */
export function everythingOfRollbacks(): RunEvent[] {
  const { name, account, region } = CLUSTER;
  const about = {
    cluster: { name, account, region, environment: 'staging' },
    run: { ...UPGRADE },
    links: { temporal: 'https://temporal.example/clock' },
  };
  const of = { backTo: '1.31', until: '2026-03-10T12:00:00.000Z' };
  const news: RollbackNews[] = [
    { what: 'opened', ...of, text: 'EKS moved staging to 1.32 after its run had ended.' },
    { what: 'closing', ...of, left: 'one more day', text: 'There is one more day.' },
    { what: 'closing', ...of, left: 'one more hour', text: 'There is one more hour.' },
    { what: 'closed', ...of, text: 'staging stays at 1.32.' },
    { what: 'unrequested', backTo: '1.31', updateId: 'u-1', text: 'EKS is rolling the control plane back to 1.31.' },
    { what: 'unrequested', backTo: '1.31', updateId: 'u-2', text: 'EKS is rolling the control plane back to 1.31.' },
  ];
  return news.map((each) => rollbackEvent('1.32', each, { about, nowIso: NOW }));
}
