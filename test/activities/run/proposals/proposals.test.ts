/** What the look is told: when it is due, what belay.yaml says now, and answers of regions put together. */
import { expect, test } from 'vitest';
import { createProposalActivities, nextLookMs, type ProposalDeps } from '../../../../activities/run/proposals/proposals.ts';
import type { RegionRead } from '../../../../activities/contract/proposals.ts';
import type { SupportedVersion } from '../../../../domain/facts/facts.ts';
import type { Weekday } from '../../../../domain/policy/windows.ts';
import { parseConfig } from '../../../../worker/config/config.ts';

const next = (after: string, start: string, timeZone: string, days: Weekday[] = ['mon']): string =>
  new Date(nextLookMs({ days, start, timeZone }, Date.parse(after))).toISOString();

test.each([
  ['2026-11-26T12:00:00Z', '08:00', 'UTC', '2026-11-30T08:00:00.000Z'],
  ['2026-11-30T07:59:59Z', '08:00', 'UTC', '2026-11-30T08:00:00.000Z'],
  // The one that is due now is not the next one.
  ['2026-11-30T08:00:00Z', '08:00', 'UTC', '2026-12-07T08:00:00.000Z'],
  ['2026-11-30T08:00:00Z', '08:00', 'Europe/Zurich', '2026-12-07T07:00:00.000Z'],
  // Summer time: eight o'clock stays eight o'clock.
  ['2027-03-24T08:00:00Z', '08:00', 'Europe/Zurich', '2027-03-29T06:00:00.000Z'],
  ['2026-11-30T23:50:00Z', '23:30', 'UTC', '2026-12-07T23:30:00.000Z'],
])('after %s, Mondays at %s %s: %s', (after, start, zone, expected) => {
  expect(next(after, start, zone)).toBe(expected);
});

test('a time that clocks leave out is looked at when they are put forward', () => {
  expect(next('2027-03-27T12:00:00Z', '02:30', 'Europe/Zurich', ['sun'])).toBe('2027-03-28T01:00:00.000Z');
});

test('every day at midnight is every day', () => {
  const days: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  expect(next('2026-11-26T00:00:00Z', '00:00', 'UTC', days)).toBe('2026-11-27T00:00:00.000Z');
});

const FILE = `clusters:
  dev-1: { region: eu-west-1, account: "111122223333", environment: dev }
  prod-1: { region: us-east-1, account: "111122223333", environment: prod }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

function activities(more: string, owners: ProposalDeps['runs']['owners'] = async () => ({})) {
  return createProposalActivities({
    file: () => {
      const file = parseConfig(`${FILE}${more}`, 'belay.yaml');
      const policies = [...file.clusters.values()].map(({ policy }) => policy);
      return { campaigns: [...file.campaigns.values()], policies, ...(file.proposals === undefined ? {} : { proposals: file.proposals }) };
    },
    runs: { owners },
    nowMs: () => Date.parse('2026-11-28T07:00:00Z'),
  });
}

const offered: SupportedVersion[] = [
  { version: '1.34', status: 'STANDARD_SUPPORT' },
  { version: '1.35', status: 'STANDARD_SUPPORT' },
];
const READ: RegionRead[] = [
  { account: '111122223333', region: 'eu-west-1', readAt: '2026-11-28T07:00:00Z', clusters: [{ name: 'dev-1', version: '1.34' }], offered },
  { account: '111122223333', region: 'us-east-1', readAt: '2026-11-28T07:00:01Z', clusters: [], offered: [], whyNotOffered: 'throttled' },
];

test('without proposals nothing is planned; a file that cannot be read is a failure of its configuration', async () => {
  expect(await activities('').loadProposals({})).toEqual({});
  await expect(activities('proposals: { at: now }').loadProposals({})).rejects.toMatchObject({ type: 'Configuration' });
});

test('F36: the channel and the approvers are those of the file, and the next look is after the one that was', async () => {
  const { loadProposals } = activities('proposals: { enabled: true }');
  expect(await loadProposals({})).toMatchObject({
    proposals: {
      nextAt: '2026-11-30T08:00:00.000Z',
      policy: { channel: 'C012AB3CD', approvals: { users: ['U012AB3CD'] } },
      clusters: [{ name: 'dev-1' }, { name: 'prod-1' }],
    },
  });
  // A clock that is slow does not have it look twice.
  expect(await loadProposals({ after: '2026-11-30T08:00:00.000Z' })).toMatchObject({ proposals: { nextAt: '2026-12-07T08:00:00.000Z' } });
});

test('F36: pace and quiet hours are those of all clusters, not of the first one in the file', async () => {
  const night = (start: string): string => `{ quietHours: [{ start: "${start}", end: "06:00", timeZone: UTC }] }`;
  const file = parseConfig(
    FILE.replace('environment: dev }', `environment: dev, windows: ${night('18:00')}, timing: { boardEdit: 9s } }`) +
      `windows: ${night('22:00')}\ntiming: { boardEdit: 4s }\nproposals: { enabled: true }\n`,
    'belay.yaml',
  );
  const policies = [...file.clusters.values()].map(({ policy }) => policy);
  expect(policies[0]).toMatchObject({ timing: { boardEditMs: 9_000 }, windows: { quietHours: [{ start: '18:00' }] } });
  const { loadProposals } = createProposalActivities({
    file: () => ({ ...file, campaigns: [], policies }),
    runs: { owners: async () => ({}) },
  });
  expect((await loadProposals({})).proposals?.policy).toMatchObject({
    timing: { boardEditMs: 4_000 },
    windows: { quietHours: [{ start: '22:00' }] },
  });
});

test('a cluster that no answer names was not read; open campaigns that cannot be asked are said', async () => {
  const { judgeProposals } = activities('proposals: { enabled: true }', () => Promise.reject(new Error('no answer from to-1-35')));
  expect((await judgeProposals({ read: READ })).looked).toMatchObject({
    kind: 'read',
    due: [{ target: '1.35', clusterCount: 1 }],
    unread: { count: 1, why: ['it is missing from the answer'] },
    campaignsUnread: 'no answer from to-1-35',
  });
});

test('a target with a campaign in belay.yaml names it; one without gets what could be written there', async () => {
  const facts = { target: '1.35', environments: [{ name: 'dev', clusterCount: 1 }] } as Parameters<
    ReturnType<typeof activities>['describeProposal']
  >[0]['facts'];
  const campaigns = 'campaigns: { autumn: { target: "1.35", rings: [{ name: dev }] }, other: { target: "1.34", rings: [{ name: dev }] } }';
  expect(await activities(campaigns).describeProposal({ facts })).toEqual({ campaigns: ['autumn'] });
  expect(await activities('').describeProposal({ facts })).toMatchObject({ campaigns: [], snippet: expect.stringContaining('to-1-35:') });
});
