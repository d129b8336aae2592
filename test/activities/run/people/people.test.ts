import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import type { Caller } from '../../../../activities/run/people/aws-identity.ts';
import { createNotifyActivities } from '../../../../activities/run/people/notify.ts';
import { createRecordStore } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import type { GroupReader, PersonReader } from '../../../../activities/contract/ports.ts';
import { NO_SLACK } from '../../../../domain/policy/policy.ts';
import type { Notification } from '../../../../domain/run/notifications.ts';
import { WEEKDAYS } from '../../../../domain/policy/windows.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { status } from '../../../slack/fixtures.ts';
import { testSigner } from '../../../support/signing.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';
import type { ApprovalPolicy } from '../../../../domain/gates/approvals.ts';

const requester: Actor = { kind: 'slack', id: 'U0ASKS' };
const approvals: ApprovalPolicy = { users: ['U0LEAD'], groups: ['S0ONCALL'], quorum: 1, allowRequester: false, allowUnverifiedCli: false };
const groups: GroupReader = { members: async (group) => (group === 'S0ONCALL' ? ['U0MEMBER', 'U0ASKS'] : []) };
const members: PersonReader = { whyNotMember: () => Promise.resolve(undefined) };

const signer = testSigner();
const publicKeys = (): Record<string, string> => signer.publicKeys;
const claim = await signer.claim();
/** A command line of an unverified user has no proof. */
const claimOf = ({ kind }: Actor) => ({ claim: kind === 'slack' ? claim : { words: '' } });

function ask(actor: Actor, change: Partial<ApprovalPolicy> = {}, reader: GroupReader | undefined = groups) {
  const { readApprover } = createApproverActivities({ groups: reader, people: members, publicKeys });
  return readApprover({
    ...claimOf(actor),
    cluster: CLUSTER,
    actor,
    requestedBy: requester,
    policy: policy({ approvals: { ...approvals, ...change } }),
  });
}
const RULE_OF_ALL = { name: 'all', users: ['U0LEAD'], groups: [], quorum: 1 };
const slack = (id: string): Actor => ({ kind: 'slack', id });
const cli: Actor = { kind: 'cli', id: 'ann@laptop' };
const down: GroupReader = { members: () => Promise.reject(new Error('service_unavailable')) };

describe('who may decide', () => {
  test.each<[string, Actor, Partial<ApprovalPolicy>, GroupReader | undefined, boolean]>([
    ['a named user', slack('U0LEAD'), {}, groups, true],
    ['a member of a named group', slack('U0MEMBER'), {}, groups, true],
    ['a stranger', slack('U0OTHER'), {}, groups, false],
    ['S6: the requester, although a member', slack('U0ASKS'), {}, groups, false],
    ['the requester where that is allowed', slack('U0ASKS'), { allowRequester: true }, groups, true],
    ['a member while Slack cannot be asked', slack('U0MEMBER'), {}, down, false],
    ['a named user while Slack cannot be asked', slack('U0LEAD'), {}, down, true],
    ['a member where there is no Slack', slack('U0MEMBER'), {}, undefined, false],
    ['the command line', cli, {}, groups, false],
    ['the command line where that is allowed', cli, { allowUnverifiedCli: true }, groups, true],
    // A Slack id typed on a command line is no Slack user.
    ['the command line under the name of an approver', { kind: 'cli', id: 'U0LEAD' }, {}, groups, false],
  ])('%s', async (_who, actor, change, reader, allowed) => {
    const { readApprover } = createApproverActivities({ groups: reader, people: members, publicKeys });
    const answer = await readApprover({
      ...claimOf(actor),
      cluster: CLUSTER,
      actor,
      requestedBy: requester,
      policy: policy({ approvals: { ...approvals, ...change } }),
    });
    expect(answer).toMatchObject({ allowed });
  });

  test('S6: neither may who asked for it before it was handed over, unless requesters may', async () => {
    const { readApprover } = createApproverActivities({ groups, people: members, publicKeys });
    const asked = (allowRequester: boolean) =>
      readApprover({
        claim,
        cluster: CLUSTER,
        actor: slack('U0LEAD'),
        requestedBy: requester,
        formerly: [slack('U0LEAD')],
        policy: policy({ approvals: { ...approvals, allowRequester } }),
      });
    expect(await asked(false)).toMatchObject({
      allowed: false,
      why: 'You asked for this upgrade and handed it over, so somebody else has to decide (approvals.allowRequester is off).',
    });
    expect(await asked(true)).toMatchObject({ allowed: true });
  });

  describe('U8: whoever is refused hears who may instead', () => {
    const [guest, away]: PersonReader[] = [
      { whyNotMember: () => Promise.resolve('Guests may not do that') },
      { whyNotMember: () => Promise.reject(new Error('service_unavailable')) },
    ];
    const escalation = { users: ['U0BOSS'], groups: ['S0BOSSES'], after: 0.5 };
    const requesters = { users: ['U0STARTS'], groups: ['S0STARTERS'] };
    const rules = [{ name: 'owners', users: ['U0OWNER', 'U0LEAD'], groups: ['S0ONCALL'], quorum: 1 }];
    type How = Partial<Parameters<ReturnType<typeof createApproverActivities>['readApprover']>[0]> & { people?: PersonReader };

    test.each<[string, Actor, Partial<ApprovalPolicy>, How, object | undefined]>([
      ['a stranger', slack('U0OTHER'), {}, {}, { users: ['U0LEAD'], groups: ['S0ONCALL'] }],
      ['by all rules, each name once', slack('U0OTHER'), { rules }, {}, { users: ['U0LEAD', 'U0OWNER'], groups: ['S0ONCALL'] }],
      [
        'the requester, never to ask themself',
        slack('U0ASKS'),
        { users: ['U0ASKS', 'U0LEAD'] },
        {},
        { users: ['U0LEAD'], groups: ['S0ONCALL'] },
      ],
      ['nor a former one', slack('U0OTHER'), {}, { formerly: [slack('U0LEAD')] }, { users: [], groups: ['S0ONCALL'] }],
      ['a former requester', slack('U0LEAD'), {}, { formerly: [slack('U0LEAD')] }, { users: [], groups: ['S0ONCALL'] }],
      ['nobody else is there', slack('U0ASKS'), { users: ['U0ASKS'], groups: [] }, {}, undefined],
      ['an escalation that is not due', slack('U0OTHER'), { escalation }, {}, { users: ['U0LEAD'], groups: ['S0ONCALL'] }],
      [
        'an escalation that is',
        slack('U0OTHER'),
        { escalation },
        { escalated: true },
        { users: ['U0LEAD', 'U0BOSS'], groups: ['S0ONCALL', 'S0BOSSES'] },
      ],
      ['who may not start', slack('U0OTHER'), { requesters }, { as: 'requester' }, { users: ['U0STARTS'], groups: ['S0STARTERS'] }],
      ['not a guest', slack('U0OTHER'), {}, { people: guest }, undefined],
      ['not a requester who is a guest by now', slack('U0ASKS'), {}, { people: guest }, undefined],
      ['not somebody of whom Slack says nothing', slack('U0ASKS'), {}, { people: away }, undefined],
      ['not a command line that nobody verifies', { kind: 'cli', id: 'ann@laptop' }, {}, {}, undefined],
      ['not whoever proves nothing', slack('U0OTHER'), {}, { claim: { words: '' } }, undefined],
    ])('%s', async (_who, actor, change, { people = members, ...how }, expected) => {
      const { readApprover } = createApproverActivities({ groups, people, publicKeys });
      const asked = {
        ...claimOf(actor),
        cluster: CLUSTER,
        actor,
        requestedBy: requester,
        policy: policy({ approvals: { ...approvals, ...change } }),
      };
      const right = await readApprover({ ...asked, ...how });
      expect([right.allowed, right.ask]).toEqual([false, expected]);
    });

    test('while a group cannot be read, too; and nobody who may is told anything', async () => {
      expect((await ask(slack('U0MEMBER'), {}, down)).ask).toEqual({ users: ['U0LEAD'], groups: ['S0ONCALL'] });
      expect(await ask(slack('U0LEAD'))).not.toHaveProperty('ask');
    });
  });

  test('RS13: the answer says by which list and which group a person may decide', async () => {
    expect(await ask(slack('U0MEMBER'))).toMatchObject({ allowed: true, through: [expect.stringMatching(/^group S0/)] });
    expect(await ask(slack('U0LEAD'))).toMatchObject({ allowed: true, through: ['approvals.users'] });
    expect(await ask(slack('U0OTHER'))).not.toHaveProperty('through');
  });

  test('who belongs to one of several rules stands for that one alone', async () => {
    const rules = [{ name: 'on-call', users: [], groups: ['S0ONCALL'], quorum: 1 }];
    expect(await ask(slack('U0LEAD'), { rules })).toMatchObject({ allowed: true, why: 'may decide as approvers', rules: ['approvers'] });
    expect(await ask(slack('U0MEMBER'), { rules, groups: [] })).toMatchObject({
      allowed: true,
      why: 'may decide as on-call',
      rules: ['on-call'],
      through: ['group S0ONCALL'],
    });
    expect(await ask(slack('U0LEAD'), { rules: [{ ...RULE_OF_ALL }] })).toMatchObject({
      allowed: true,
      why: 'may decide as approvers, all',
      through: ['approvals.users'],
    });
    // What cannot be read is not counted for, whatever else is.
    expect(await ask(slack('U0LEAD'), { rules }, down)).toMatchObject({ allowed: true, rules: ['approvers'] });
  });

  test('whom an escalation names may decide once it is due, and not before', async () => {
    const { readApprover } = createApproverActivities({ groups, people: members, publicKeys });
    const escalation = { users: ['U0BOSS'], groups: [], after: 0.5 };
    const asked = {
      claim,
      cluster: CLUSTER,
      actor: slack('U0BOSS'),
      requestedBy: requester,
      policy: policy({ approvals: { ...approvals, escalation } }),
    };
    expect(await readApprover(asked)).toMatchObject({ allowed: false });
    expect(await readApprover({ ...asked, escalated: true })).toMatchObject({
      allowed: true,
      why: 'asked as nobody had decided (approvals.escalation)',
      through: ['approvals.escalation'],
    });
  });

  test('S8: who has left the group since the gate opened may not decide any more', async () => {
    let inGroup = ['U0MEMBER'];
    const { readApprover } = createApproverActivities({ groups: { members: () => Promise.resolve(inGroup) }, people: members, publicKeys });
    const decides = (): ReturnType<typeof readApprover> =>
      readApprover({ claim, cluster: CLUSTER, actor: slack('U0MEMBER'), requestedBy: requester, policy: policy({ approvals }) });
    expect((await decides()).allowed).toBe(true);
    inGroup = [];
    expect((await decides()).allowed).toBe(false);
  });

  test.each<[string, PersonReader | undefined, string]>([
    ['S7: a guest, although named', { whyNotMember: () => Promise.resolve('Guests may not do that') }, 'Guests may not do that.'],
    [
      'S9: somebody of whom Slack says nothing',
      { whyNotMember: () => Promise.reject(new Error('service_unavailable')) },
      'Who you are in Slack cannot be read now (reading the person: Error: service_unavailable), so nothing was decided. Try again.',
    ],
    ['S9: somebody where there is no Slack', undefined, 'Who you are in Slack cannot be read now (Slack is not connected)'],
  ])('%s', async (_who, people, why) => {
    const { readApprover } = createApproverActivities({ groups, people, publicKeys });
    const asked = { claim, cluster: CLUSTER, actor: slack('U0LEAD'), requestedBy: requester, policy: policy({ approvals }) };
    const answer = await readApprover(asked);
    expect(answer.allowed).toBe(false);
    expect(answer.why).toContain(why);
    // What Slack knows of its users says nothing about those of a command line.
    const byCli = { ...asked, ...claimOf(cli), actor: cli, policy: policy({ approvals: { ...approvals, allowUnverifiedCli: true } }) };
    expect(await readApprover(byCli)).toMatchObject({ allowed: true });
  });

  test('S9: a no because of Slack says so', async () => {
    expect((await ask(slack('U0MEMBER'), {}, down)).why).toContain('cannot be read now: group S0ONCALL');
  });
});

describe('proofs', () => {
  const GUEST: PersonReader = { whyNotMember: () => Promise.resolve('Guests may not do that') };
  const SAM = 'arn:aws:sts::111122223333:assumed-role/Platform/sam@example.com';
  const byCli = (caller: Caller, people: Record<string, string[]>) => {
    const { readApprover } = createApproverActivities({ people: members, caller: () => Promise.resolve(caller) });
    const proof = 'https://sts.eu-central-1.amazonaws.com/';
    const asked = { cluster: CLUSTER, actor: cli, requestedBy: requester, claim: { words: '', proof } };
    return readApprover({ ...asked, policy: policy({ approvals, people }) });
  };

  test('a vote that the run has taken is believed without one, and grants nothing', async () => {
    const { readApprover } = createApproverActivities({ people: members, publicKeys, grant: () => 'granted' });
    const asked = { cluster: CLUSTER, actor: slack('U0LEAD'), requestedBy: requester, policy: policy({ approvals }) };
    expect(await readApprover({ ...asked, claim: { words: '' }, as: 'voter' })).toEqual({
      allowed: true,
      why: 'may decide as approvers',
      through: ['approvals.users'],
      person: slack('U0LEAD'),
    });
    expect(await readApprover({ ...asked, claim: { words: '' } })).toMatchObject({ allowed: false });
    expect(await readApprover({ ...asked, claim })).toMatchObject({ allowed: true, grant: 'granted' });
  });

  test.each<[string, Caller, Record<string, string[]>, object]>([
    [
      'one of whom STS says nothing',
      { why: 'STS did not answer; try again.' },
      { U0LEAD: [SAM] },
      { why: 'STS did not answer; try again.' },
    ],
    [
      'one who would be two people',
      { arn: SAM },
      { U0LEAD: [SAM], U0MEMBER: [SAM] },
      { why: `${SAM} is both U0LEAD and U0MEMBER by people in belay.yaml; nothing was done.` },
    ],
  ])('%s decides nothing', async (_who, caller, people, expected) => {
    expect(await byCli(caller, people)).toEqual({ allowed: false, ...expected });
  });

  test('the glass is broken by whom AWS knows, never by a press in Slack', async () => {
    const breakGlass = { users: ['U0LEAD'], groups: [], delayMs: 0, enabled: true };
    const { readApprover } = createApproverActivities({ people: members, publicKeys });
    const asked = { cluster: CLUSTER, actor: slack('U0LEAD'), requestedBy: requester, claim };
    expect(await readApprover({ ...asked, policy: policy({ approvals: { ...approvals, breakGlass } }), as: 'break-glass' })).toMatchObject({
      allowed: false,
      why: 'Break-glass is for people whom AWS knows (people in belay.yaml), by "belay break-glass".',
    });
  });

  test('S7: a guest whom requesters names may start nothing', async () => {
    const requesters = { users: ['U0LEAD'], groups: [] };
    const { readApprover } = createApproverActivities({ people: GUEST, publicKeys });
    const asked = { cluster: CLUSTER, actor: slack('U0LEAD'), requestedBy: slack('U0LEAD'), claim };
    expect(await readApprover({ ...asked, policy: policy({ approvals: { ...approvals, requesters } }), as: 'requester' })).toMatchObject({
      allowed: false,
      why: 'Guests may not do that.',
    });
  });

  test.each<[string, GroupReader]>([
    ['that can be read', groups],
    ['that cannot', down],
  ])('a group %s is asked for once for each decision, however many rules name it', async (_what, reader) => {
    const read: string[] = [];
    const counting: GroupReader = { members: (group) => (read.push(group), reader.members(group)) };
    const rules = ['one', 'two'].map((name) => ({ name, users: [], groups: ['S0ONCALL'], quorum: 1 }));
    await ask(slack('U0MEMBER'), { rules }, counting);
    expect(read).toEqual(['S0ONCALL']);
  });
});

describe('who may start', () => {
  const asks = async (actor: Actor, requesters?: ApprovalPolicy['requesters'], reader = groups) => {
    const { readApprover } = createApproverActivities({ groups: reader, people: members, publicKeys });
    const own = policy({ approvals: { ...approvals, allowUnverifiedCli: true, ...(requesters === undefined ? {} : { requesters }) } });
    return await readApprover({ ...claimOf(actor), cluster: CLUSTER, actor, requestedBy: actor, policy: own, as: 'requester' });
  };

  test('RS16: everybody who is proved, unless requesters names those who may', async () => {
    expect(await asks(slack('U0ANY'))).toMatchObject({ allowed: true });
    expect(await asks(slack('U0ANY'), { users: ['U0SAM'], groups: ['S0ONCALL'] })).toMatchObject({
      allowed: false,
      why: 'You may not start this: approvals.requesters in belay.yaml names those who may.',
    });
    expect(await asks(slack('U0SAM'), { users: ['U0SAM'], groups: [] })).toMatchObject({ allowed: true });
    expect(await asks(slack('U0MEMBER'), { users: [], groups: ['S0ONCALL'] })).toMatchObject({ allowed: true });
    expect(await asks(slack('U0MEMBER'), { users: [], groups: ['S0ONCALL'] }, down)).toMatchObject({ allowed: false, unread: true });
    expect(await asks(cli, { users: ['ann@laptop'], groups: [] })).toMatchObject({ allowed: false });
    expect(await asks(cli)).toMatchObject({ allowed: true });
  });

  test('RS2: whoever proves nothing starts nothing', async () => {
    const { readApprover } = createApproverActivities({ groups, people: members, publicKeys });
    const asked = { cluster: CLUSTER, policy: policy({ approvals }), as: 'requester' as const, claim: { words: '' } };
    for (const actor of [slack('U0LEAD'), cli])
      expect(await readApprover({ ...asked, actor, requestedBy: actor })).toEqual({
        allowed: false,
        why: expect.stringMatching(/prove|not verified/),
      });
    const alone = { ...asked, policy: policy({ approvals, channel: NO_SLACK }), actor: cli, requestedBy: cli };
    expect(await readApprover(alone)).toEqual({
      allowed: false,
      why: 'Decisions from the command line are not verified; name people and their AWS identities under people in belay.yaml, or set approvals.allowUnverifiedCli to accept them.',
    });
  });
});

test('without Slack what is told stays in the history: the notifier of another file is not asked, and nothing fails', async () => {
  const asked: string[] = [];
  const { publish } = createNotifyActivities({ notifier: { publish: ({ key }) => Promise.reject(new Error(asked.push(key).toString())) } });
  const upgrade = { workflowId: 'eks-upgrade/111122223333/eu-west-1/prod', runId: 'run-1' };
  const messages = ['note/a', 'note/b'].map((key) => ({ key, notification: { kind: 'note' as const, level: 'info' as const, text: key } }));
  expect(await publish({ upgrade, channel: NO_SLACK, messages })).toEqual([{ key: 'note/a' }, { key: 'note/b' }]);
  expect(asked).toEqual([]);
});

describe('records', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'belay-records-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('are one file per run, replaced as a whole by a retry, with nothing left beside it', async () => {
    const store = createRecordStore(createDirectoryStorage(join(directory, 'new')).texts);
    await store.write('111122223333/eu/prod', '{"attempt":1}');
    const { location } = await store.write('111122223333/eu/prod', '{"attempt":2}');
    expect(location).toBe(join(directory, 'new', '111122223333-eu-prod.json'));
    expect(await readFile(location, 'utf8')).toBe('{"attempt":2}');
    expect(await readdir(join(directory, 'new'))).toEqual(['111122223333-eu-prod.json']);
  });

  test('are read again by when their runs began, of one cluster or of all; what is no record is passed over', async () => {
    const store = createRecordStore(createDirectoryStorage(directory).texts);
    const cluster = { account: '111122223333', region: 'eu-central-1', name: 'prod' };
    const named = (name: string, day: number): string => `111122223333_eu-central-1_${name}_2026-01-0${day}T08-00-00-000Z_run`;
    for (const [name, day] of [
      ['prod', 1],
      ['prod', 3],
      ['staging', 2],
    ] as const)
      await store.write(named(name, day), JSON.stringify({ day }));
    await writeFile(join(directory, `${named('prod', 4)}.json`), 'torn');
    expect(await store.newest(10)).toEqual([{ day: 3 }, { day: 2 }, { day: 1 }]);
    expect(await store.newest(10, cluster)).toEqual([{ day: 3 }, { day: 1 }]);
    expect(await store.newest(2, cluster)).toEqual([{ day: 3 }]);
    expect(await createRecordStore(createDirectoryStorage(join(directory, 'none-yet')).texts).newest(10, cluster)).toEqual([]);
  });

  test('P10: that cannot be written name the setting, and are tried again', async () => {
    await writeFile(join(directory, 'file'), '');
    const store = createRecordStore(createDirectoryStorage(join(directory, 'file')).texts);
    await expect(store.write('x', '{}')).rejects.toMatchObject({
      nonRetryable: false,
      message: expect.stringContaining('make records.directory in belay.yaml writable'),
    });
  });
});

describe('what people are told', () => {
  const upgrade = { workflowId: 'w', runId: 'r' };
  const note = (text: string) => ({ kind: 'note' as const, level: 'info' as const, text });
  const told = (refuse: string, error: object) => {
    const posted: string[] = [];
    const { publish } = createNotifyActivities({
      notifier: {
        publish: async ({ key, channel }) => {
          if (key === refuse) throw Object.assign(new Error(`Slack refuses ${key}`), error);
          posted.push(key);
          return { channel, ts: '1.0' };
        },
      },
    });
    const messages = [
      { key: 'note/1', notification: note('x') },
      { key: 'note/2', notification: note('y') },
    ];
    return { posted, publishing: publish({ upgrade, channel: 'C1', messages }) };
  };

  test('a message that Slack will never take does not hold up the next one', async () => {
    const { posted, publishing } = told('note/1', { code: 'msg_too_long' });
    expect(await publishing).toEqual([
      { key: 'note/1', refused: 'Slack refuses note/1' },
      { key: 'note/2', ref: { channel: 'C1', ts: '1.0' } },
    ]);
    expect(posted).toEqual(['note/2']);
  });

  test('a board is posted before what goes below it; one that is gone for good holds up no picture', async () => {
    const posted: string[] = [];
    const { publish } = createNotifyActivities({
      notifier: {
        publish: async ({ key, channel }) => {
          if (key === 'health/1') throw Object.assign(new Error('no thread'), { code: 'board_gone' });
          if (key !== 'board' && !posted.includes('board')) throw Object.assign(new Error('no board'), { retryable: true });
          posted.push(key);
          return { channel, ts: String(posted.length) };
        },
      },
    });
    const messages = [
      { key: 'note/1', notification: note('x') },
      { key: 'health/1', notification: { kind: 'curves' as const, gate: 'g', curves: [] } },
      { key: 'board', notification: { kind: 'board' as const, status: status() } },
      { key: 'note/2', notification: note('y') },
    ];
    const deliveries = await publish({ upgrade, channel: 'C1', messages });
    expect(posted).toEqual(['board', 'note/1', 'note/2']);
    expect(deliveries.map(({ key, ref }) => [key, ref?.ts])).toEqual([
      ['note/1', '2'],
      ['health/1', undefined],
      ['board', '1'],
      ['note/2', '3'],
    ]);
  });

  test('S20: a revoked token, or a channel without the app, is tried again until somebody mends it; a throttled call waits as long as Slack asks', async () => {
    for (const code of ['token_revoked', 'not_in_channel', 'is_archived', 'channel_not_found'])
      await expect(told('note/2', { name: 'SlackDeliveryError', code, retryable: false }).publishing).rejects.toMatchObject({
        type: 'Unavailable',
        nonRetryable: false,
        message: 'posting note/2 to C1: Slack refuses note/2',
      });
    await expect(told('note/2', { code: 'rate_limited', retryAfterMs: 7000 }).publishing).rejects.toMatchObject({
      type: 'Throttled',
      nonRetryable: false,
      nextRetryDelay: 7000,
    });
  });
});

test('without Slack nothing is told and nothing fails', async () => {
  const { publish } = createNotifyActivities({});
  const notification = { kind: 'note' as const, level: 'info' as const, text: 'x' };
  expect(await publish({ upgrade: { workflowId: 'w', runId: 'r' }, channel: 'C1', messages: [{ key: 'note/1', notification }] })).toEqual([
    { key: 'note/1' },
  ]);
});

describe('quiet hours', () => {
  const gate = {
    kind: 'gate',
    state: { kind: 'open', gate: { id: 'g' } },
    mention: { users: ['U0SAM'], groups: ['S0ONCALL'] },
  } as unknown as Notification;
  const quietHours = [{ days: [...WEEKDAYS], start: '22:00', end: '07:00', timeZone: 'Europe/Berlin' }];

  const wasQuiet: unknown[] = [];

  async function toldAt(now: string, notification = gate, hours = quietHours): Promise<{ posted?: Notification; heldForMs?: number }> {
    const posted: Notification[] = [];
    const { publish } = createNotifyActivities({
      notifier: {
        publish: async ({ notification, channel, quiet }) => {
          posted.push(notification);
          wasQuiet.push(quiet);
          return { channel, ts: '1.0' };
        },
      },
      nowMs: () => Date.parse(now),
    });
    const messages = [{ key: 'gate/g', notification }];
    const [delivery] = await publish({ upgrade: { workflowId: 'w', runId: 'r' }, channel: 'C1', messages, quietHours: hours });
    return { posted: posted[0], heldForMs: delivery?.heldForMs };
  }

  test('the message comes, and nobody is mentioned; by day somebody is', async () => {
    const nobody = { users: [], groups: [] };
    expect(await toldAt('2026-01-15T23:30:00Z')).toEqual({ posted: { ...gate, mention: nobody }, heldForMs: 6.5 * 3_600_000 });
    expect(await toldAt('2026-01-15T12:00:00Z')).toEqual({ posted: gate, heldForMs: undefined });
  });

  test('whatever is told then is told quietly, and nothing by day', async () => {
    const note = { kind: 'note', level: 'alarm', text: 'x' } as const;
    wasQuiet.length = 0;
    for (const each of [gate, note]) for (const hour of ['12:00', '23:30']) await toldAt(`2026-01-15T${hour}:00Z`, each);
    expect(wasQuiet).toEqual([undefined, true, undefined, true]);
  });

  const OPENED = '2026-01-15T23:30:00Z';
  const lasting = (expiresAt: string, openedAt = OPENED): Notification =>
    ({ ...gate, state: { kind: 'open', gate: { id: 'g', openedAt, expiresAt } } }) as Notification;

  test('a gate that would expire unasked, before they end or within an hour after, asks at once', async () => {
    for (const expiresAt of ['2026-01-16T03:30:00Z', '2026-01-16T06:59:00Z']) {
      const short = lasting(expiresAt);
      expect(await toldAt(OPENED, short)).toEqual({ posted: short, heldForMs: undefined });
    }
    expect((await toldAt(OPENED, lasting('2026-01-16T07:00:00Z'))).heldForMs).toBe(6.5 * 3_600_000);
  });

  test('one that was open by day has asked: its last reminder rings nobody out of bed', async () => {
    expect((await toldAt('2026-01-16T03:00:00Z', lasting('2026-01-16T05:00:00Z', '2026-01-15T19:00:00Z'))).heldForMs).toBe(3 * 3_600_000);
  });

  test('quiet all week long is quiet', async () => {
    const always = [{ days: [...WEEKDAYS], start: '00:00', end: '24:00', timeZone: 'UTC' }];
    expect((await toldAt(OPENED, lasting('2026-01-16T03:30:00Z'), always)).posted).toMatchObject({ mention: { users: [], groups: [] } });
  });

  test('a board names no approvers, and what names nobody is as it was', async () => {
    const board = { kind: 'board', status: {}, approvers: ['U0SAM'] } as unknown as Notification;
    expect((await toldAt('2026-01-15T23:30:00Z', board)).posted).toEqual({ ...board, approvers: [] });
    expect((await toldAt('2026-01-15T12:00:00Z', board)).posted).toEqual(board);
    const note = { kind: 'note', level: 'alarm', text: 'x' } as const;
    expect((await toldAt('2026-01-15T23:30:00Z', note)).posted).toEqual(note);
  });

  test.each<[string, object]>([
    ['a gate that asks nobody', { mention: { users: [], groups: [] } }],
    ['a gate that is closed', { state: { kind: 'expired', gate: { id: 'g' } } }],
  ])('%s: no mention is owed', async (_name, change) => {
    expect((await toldAt('2026-01-15T23:30:00Z', { ...gate, ...change })).heldForMs).toBeUndefined();
  });
});
