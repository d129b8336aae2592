/** What a mail says that somebody has to act on: who, by when and how. Read from a real mail server. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeliverInput, GateData, RunEvent } from '../../../domain/run/events/event.ts';
import { mailSink } from '../../../worker/notifications/smtp.ts';
import { CAMPAIGN, DISMISSED, everythingOfCampaigns, everythingOfProposals } from '../../domain/run/events/campaign-told.ts';
import { everythingOfRollbacks } from '../../domain/run/events/told.ts';
import { proposalEvent } from '../../../domain/run/events/proposal-events.ts';
import { proposed } from '../../slack/proposal-fixture.ts';
import { mailReceiver } from '../../support/receivers.ts';
import { UPGRADE as OF_STAGING } from '../../slack/fixtures.ts';
import { OPENED, UPGRADE } from './events.ts';

let server: Awaited<ReturnType<typeof mailReceiver>>;
beforeEach(async () => {
  server = await mailReceiver();
});
afterEach(() => server.close());

/** Its plain text, as it arrived. */
async function mailed(event: RunEvent, of: DeliverInput['upgrade'] = UPGRADE): Promise<string> {
  const access = {
    kind: 'email',
    name: 'team',
    events: [],
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    from: 'belay@example.com',
    to: ['team@example.com'],
  } as const;
  const count = server.mails.length;
  expect(await mailSink({ access: { ...access, events: [], to: [...access.to] } }).send(event, of)).toEqual({ outcome: 'sent' });
  return server.mails[count]?.trimEnd() ?? '';
}

const opened = (change: Partial<GateData>, links?: { temporal: string }): RunEvent => ({
  ...OPENED,
  data: {
    ...OPENED.data,
    gate: { ...(OPENED.data.gate as GateData), ...change },
    ...(links === undefined ? {} : { links }),
  },
});

test('a gate: who may decide, by when, and how', async () => {
  const approvers = { users: ['sam', 'rin'], groups: [], names: ['sam (sam@example.com)', 'rin'] };
  expect(await mailed(opened({ approvers }, { temporal: 'https://temporal.example/run' }))).toBe(
    `prod: decision needed: Move the control plane to 1.34?

Next
  EKS moves the control plane.

Pre-checks
  12 checks passed

Can be undone afterwards
  For seven days EKS can move it back.

Who may decide
  sam (sam@example.com), rin

Decide by 2026-11-03 09:05 UTC
  Approve (approve): Moves it.
  Reject (reject): Stops.

By command line
  belay decide prod 'before:control-plane@1.34#1' CHOICE --reason "…"
  Temporal UI shows it: https://temporal.example/run

Run
  Cluster prod (production), eks-upgrade/111122223333/eu-west-1/prod
  https://temporal.example/run`,
  );
});

test.each<[string, Partial<GateData>, string]>([
  ['in Slack as well', { inSlack: true }, 'In Slack, or by command line\n  belay decide prod'],
  ['of an earlier release, by ids alone', {}, 'Who may decide\n  U2\n\n'],
  ['two of them', { quorum: 2 }, 'Who may decide\n  U2\n  Approvals needed: 2\n\n'],
  [
    'by several rules',
    { quorum: 2, rules: ['platform', 'owners'].map((name) => ({ name, quorum: 1 })) },
    'Who may decide\n  U2\n  Approvals needed: 1 as platform, 1 as owners\n\n',
  ],
  ['nobody', { approvers: { users: ['U2'], groups: [], names: [] } }, 'Who may decide\n  Nobody who is named in belay.yaml\n\n'],
])('a gate: %s', async (_what, change, text) => {
  expect(await mailed(opened(change))).toContain(text);
});

test('a gate that goes on by itself asks nobody', async () => {
  expect(await mailed(opened({ byItself: true }))).not.toMatch(/Who may decide|Decide by|belay decide/);
});

test('a campaign: its gate, and its end', async () => {
  const events = everythingOfCampaigns();
  const of = async (type: RunEvent['type']): Promise<string> =>
    await mailed(events.find((event) => event.type === type) ?? none(type), CAMPAIGN);
  const gate = await of('campaign.gate.opened');
  expect(gate.split('\n')[0]).toMatch(/^campaign to-1-34: decision needed: /);
  expect(gate).toContain(`Who may decide
  U0SAM, members of Slack user group S0PLATFORM

Decide by `);
  expect(gate).toContain(`In Slack, or by command line
  belay campaign promote to-1-34 --reason "…"
  Temporal UI shows it: https://temporal.example/run

Rings
  dev (awaiting-approval): 0/2 done

Campaign
  to-1-34 to 1.34, eks-campaign/to-1-34
  https://temporal.example/run`);
  expect((await of('campaign.started')).split('\n')[0]).toBe('campaign to-1-34: to 1.34 started, requested by Alex');
  expect((await of('campaign.finished')).split('\n')[0]).toBe(
    'campaign to-1-34: to 1.34 complete, 0 of 2 clusters done: Ring dev waits for approval.',
  );
});

test('the rollback window: what has happened, until when, in the thread of the run', async () => {
  const [arrived, day, hour, closed, unrequested] = everythingOfRollbacks();
  expect(await mailed(day ?? none('closing'), OF_STAGING)).toBe(
    `staging: one more day to roll the control plane back from 1.32 to 1.31

Rollback
  There is one more day.

Run
  Cluster staging (staging), ${OF_STAGING.workflowId}
  https://temporal.example/clock`,
  );
  const firstLines: string[] = [];
  for (const event of [arrived, hour, closed, unrequested])
    firstLines.push((await mailed(event ?? none('it'), OF_STAGING)).split('\n')[0] ?? '');
  expect(firstLines).toEqual([
    'staging: the control plane has moved to 1.32 after its run had ended',
    'staging: one more hour to roll the control plane back from 1.32 to 1.31',
    'staging: the control plane stays at 1.32: it cannot be rolled back any more',
    'staging: the control plane is rolled back to 1.31, and no run of Belay requested it',
  ]);
});

test('a proposal: why now, and how to start it', async () => {
  const [made, , unread] = everythingOfProposals();
  expect(await mailed(made ?? none('proposal'))).toBe(
    `campaigns: proposed to 1.35 for 12 clusters at 1.34

Clusters at 1.34
  dev: 4
  production: 8

Why now
  Standard support of 1.34 ends on 2026-12-02
  Waiting 90 days costs $10,356

To start it
  belay campaign start to-1-35`,
  );
  expect(await mailed(proposalEvent(proposed({ campaigns: [], snippet: 'campaigns:' })))).toContain(
    'No campaign in belay.yaml has target 1.35\n  "belay campaign proposals" shows one that could be added',
  );
  const dismissed = await mailed(proposalEvent(DISMISSED));
  expect(dismissed).toMatch(/^campaigns: the one to 1\.35 was dismissed by Sam\n\nDismissed\n {2}later\n/);
  expect(dismissed).not.toContain('To start it');
  expect(await mailed(unread ?? none('unread'))).toBe('campaigns: Belay could not read what it needs.');
});

function none(what: string): never {
  throw new Error(`no ${what}`);
}
