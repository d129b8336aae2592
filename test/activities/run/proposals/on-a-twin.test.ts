/** What is due, from what EKS answers over the wire. */
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVersionActivities } from '../../../../activities/run/planning/fleet-versions.ts';
import { createProposalActivities } from '../../../../activities/run/proposals/proposals.ts';
import type { RegionRead } from '../../../../activities/contract/proposals.ts';
import type { Looked } from '../../../../domain/run/proposals/proposal.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin('seed-002');
});
afterAll(() => twin.close());

async function look(): Promise<{ read: RegionRead; looked: Looked }> {
  const { account, region } = twin.ref;
  const { approvals, timing } = policy();
  const { judgeProposals } = createProposalActivities({
    file: () => ({
      proposals: {
        at: { days: ['mon'], start: '08:00', timeZone: 'UTC' },
        channel: 'C0PLATFORM',
        withinDays: 90,
        approvals,
        timing,
        windows: DEFAULT_WINDOWS,
      },
      campaigns: [],
      policies: [{ ...policy(), cluster: twin.ref, environment: 'test' }],
    }),
    runs: { owners: async () => ({}) },
  });
  const read = { account, region, ...(await createVersionActivities(twin.clients).readVersions({ clusters: [twin.ref] })) };
  return { read, looked: (await judgeProposals({ read: [read] })).looked };
}

test('F36: the next minor is due, with the dates that EKS names', async () => {
  expect((await look()).looked).toMatchObject({
    kind: 'read',
    due: [{ target: '1.33', from: '1.32', clusterCount: 1, endOfStandardSupport: '2026-03-23', endOfExtendedSupport: '2027-03-23' }],
    unread: { count: 0 },
  });
});

test('F36: without the right to read what EKS offers nothing is known, and the permission is named', async () => {
  const { middlewareStack } = twin.clients.aws(twin.ref).eks;
  middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== 'DescribeClusterVersionsCommand') return await next(args);
      throw Object.assign(new Error('not authorized to perform: eks:DescribeClusterVersions'), { name: 'AccessDeniedException' });
    },
    { name: 'refused', step: 'initialize' },
  );
  try {
    const { read, looked } = await look();
    expect(read).toMatchObject({ offered: [], whyNotOffered: expect.stringContaining('eks:DescribeClusterVersions') });
    expect(looked).toEqual({ kind: 'unread', why: [expect.stringContaining(`what EKS offers in ${twin.ref.region} could not be read: `)] });
  } finally {
    middlewareStack.remove('refused');
  }
});
