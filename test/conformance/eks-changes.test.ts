/** What changes on EKS find where it answers as the twin does not: a refusal for another reason, settings that are lost. */
import { expect, test } from 'vitest';
import { ResourceInUseException } from '@aws-sdk/client-eks';
import type { Ground } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import { groundOf, type Outside, verdictOn } from './answers.ts';

test.each(['EKS-ONE-MINOR', 'EKS-SAME-VERSION', 'EKS-NODEGROUP-NEWER'])(
  '%s: a refusal because something else runs says nothing of the belief',
  async (id) => {
    const busy = (): never => {
      throw new ResourceInUseException({ message: 'another update is in progress', $metadata: { httpStatusCode: 409 } });
    };
    const ground = groundOf({
      aws: {
        DescribeCluster: () => ({ cluster: { version: '1.33' } }),
        ListNodegroups: () => ({ nodegroups: ['workers'] }),
        DescribeNodegroup: () => ({ nodegroup: { nodegroupName: 'workers', amiType: 'AL2023_x86_64_STANDARD' } }),
        UpdateClusterVersion: busy,
        UpdateNodegroupVersion: busy,
      },
    });
    const [tried] = await tryBeliefs(ground, { only: [id], disposable: true });
    expect(tried?.verdict).toMatchObject({ kind: 'untried', because: 'unanswered', why: expect.stringContaining('in progress') });
  },
);

const ROLE = 'arn:aws:iam::111122223333:role/cni-pods';
const association = (id: string): string => `arn:aws:eks:eu-central-1:111122223333:podidentityassociation/prod/${id}`;

/** An add-on whose associations every update drops that does not name them. `keeps` false: and those that are named as well. */
function dropping(keeps: boolean): { ground: Ground; now: () => string[] } {
  let arns = [association('a-1')];
  const ground = groundOf({
    aws: {
      ListAddons: () => ({ addons: ['vpc-cni'] }),
      DescribeAddon: () => ({ addon: { addonName: 'vpc-cni', addonVersion: 'v1', status: 'ACTIVE', podIdentityAssociations: arns } }),
      DescribePodIdentityAssociation: () => ({ association: { serviceAccount: 'aws-node', roleArn: ROLE } }),
      UpdateAddon: ({ podIdentityAssociations: named }) => {
        const isGiven = JSON.stringify(named) === JSON.stringify([{ serviceAccount: 'aws-node', roleArn: ROLE }]);
        arns = isGiven && keeps ? [association('a-2')] : [];
        return { update: { id: 'u-1' } };
      },
      DescribeUpdate: () => ({ update: { id: 'u-1', status: 'Successful' } }),
    },
  });
  return { ground, now: () => arns };
}

test('EKS-ADDON-IDENTITIES: pod identities that an update has dropped are put back by their roles', async () => {
  const { ground, now } = dropping(true);
  const [tried] = await tryBeliefs(ground, { only: ['EKS-ADDON-IDENTITIES'], disposable: true });
  expect(tried).toMatchObject({ verdict: { kind: 'broken' }, restored: ['settings of add-on vpc-cni'], left: [] });
  expect(now()).toEqual([association('a-2')]);
});

test('EKS-ADDON-IDENTITIES: pod identities that do not come back are said, with their roles and what mends it', async () => {
  const { ground } = dropping(false);
  const [tried] = await tryBeliefs(ground, { only: ['EKS-ADDON-IDENTITIES'], disposable: true });
  expect(tried?.restored).toEqual([]);
  expect(tried?.left).toEqual([
    { what: 'settings of add-on vpc-cni', why: expect.stringMatching(new RegExp(`pod identities .*${ROLE}.*aws eks update-addon`)) },
  ]);
});

test.each([
  ['seen, and taken away', 'trial', 'held: put on, seen, taken away'],
  ['put on as another one', 'other', 'broken: the tag is not there after it was put on'],
  ['not put on', undefined, 'broken: the tag is not there after it was put on'],
])('EKS-TAGS, a tag that is %s', async (_what, value, verdict) => {
  let tags: Record<string, string> = { team: 'shop' };
  const aws = {
    DescribeCluster: () => ({ cluster: { arn: 'arn', tags } }),
    TagResource: () => void (tags = { ...tags, ...(value === undefined ? {} : { 'belay-conformance': value }) }),
    UntagResource: () => void (tags = { team: 'shop' }),
  };
  expect(await verdictOn('EKS-TAGS', { aws })).toBe(verdict);
});

test('EKS-TAGS: a tag of that name that is there already is left alone; one that stays is found out', async () => {
  const cluster = { arn: 'arn', tags: { 'belay-conformance': 'mine' } };
  const touch = (): never => {
    throw new Error('it was touched');
  };
  const aws = { DescribeCluster: () => ({ cluster }), TagResource: touch, UntagResource: touch };
  expect(await verdictOn('EKS-TAGS', { aws })).toBe('untried, absent: the cluster has a tag belay-conformance already');
  let tags = {};
  const staying = {
    DescribeCluster: () => ({ cluster: { arn: 'arn', tags } }),
    TagResource: () => void (tags = { 'belay-conformance': 'trial' }),
  };
  expect(await verdictOn('EKS-TAGS', { aws: staying })).toBe('broken: other tags have changed, or it is still there');
});

const group = (amiType: string) => ({
  DescribeCluster: () => ({ cluster: { version: '1.33' } }),
  ListNodegroups: () => ({ nodegroups: ['workers'] }),
  DescribeNodegroup: () => ({ nodegroup: { nodegroupName: 'workers', amiType } }),
  UpdateNodegroupVersion: () => ({ update: { id: 'u-1' } }),
});

/** One add-on, each update of which is `status`; undefined: EKS does not say so. */
const updating = (status: string | undefined, more: NonNullable<Outside['aws']> = {}): NonNullable<Outside['aws']> => ({
  ListAddons: () => ({ addons: ['coredns'] }),
  DescribeAddon: () => ({ addon: { addonName: 'coredns', addonVersion: 'v1', status: 'ACTIVE', configurationValues: '{}' } }),
  UpdateAddon: () => ({ update: { id: 'u-1' } }),
  DescribeUpdate: ({ updateId: id }) => ({ update: status === undefined ? undefined : { id, status } }),
  ...more,
});

test.each<[string, NonNullable<Outside['aws']>, string]>([
  ['EKS-NODEGROUP-NEWER', group('CUSTOM'), 'untried, absent: every node group has an AMI of its own'],
  ['EKS-NODEGROUP-CUSTOM', group('AL2023_x86_64_STANDARD'), 'untried, absent: no node group has an AMI of its own'],

  ['EKS-ADDON-CONFIGURATION', updating('Successful'), 'held: coredns has it still'],
  // What a failed update leaves as it was proves nothing.
  ['EKS-ADDON-CONFIGURATION', updating('Failed'), 'untried, unanswered: update u-1 of coredns ended as Failed'],
  ['EKS-ADDON-CONFIGURATION', updating('InProgress'), 'untried, unanswered: update u-1 of coredns has not ended'],
  ['EKS-ADDON-CONFIGURATION', updating(undefined), 'untried, unanswered: update u-1 of coredns has not ended'],
  [
    'EKS-ADDON-CONFIGURATION',
    updating('Successful', { UpdateAddon: () => ({}) }),
    'untried, unanswered: UpdateAddon answered without an update',
  ],
  [
    'EKS-ADDON-CONFIGURATION',
    updating('Successful', { DescribeAddon: () => ({}) }),
    'untried, unanswered: DescribeAddon answered without coredns',
  ],

  [
    'EKS-TOKEN-OTHER',
    updating('Successful', { ListUpdates: () => ({ updateIds: ['u-1', 'u-2'] }) }),
    'broken: the other request was accepted',
  ],
  ['EKS-TOKEN-OTHER', updating('Successful'), 'untried, unanswered: EKS remembers no update of coredns'],
])('%s (case %#)', async (id, aws, verdict) => {
  expect(await verdictOn(id, { aws, ground: { limitMs: 20 } })).toBe(verdict);
});

test('EKS-ADDON-IDENTITIES: the same pod identities in another order are no change to put back', async () => {
  const sent: unknown[] = [];
  const described = (): string[] => [association('aws-node'), association('cni-metrics')];
  const aws = updating('Successful', {
    DescribeAddon: () => {
      const arns = sent.length === 0 ? described() : described().toReversed();
      return { addon: { addonName: 'vpc-cni', addonVersion: 'v1', status: 'ACTIVE', podIdentityAssociations: arns } };
    },
    DescribePodIdentityAssociation: ({ associationId }) => ({ association: { serviceAccount: associationId, roleArn: ROLE } }),
    UpdateAddon: (input) => {
      sent.push(input['podIdentityAssociations']);
      return { update: { id: 'u-1' } };
    },
  });
  const [tried] = await tryBeliefs(groundOf({ aws }), { only: ['EKS-ADDON-IDENTITIES'], disposable: true });
  expect(tried).toMatchObject({
    verdict: { kind: 'held', saw: 'vpc-cni has 2 still' },
    restored: ['settings of add-on vpc-cni'],
    left: [],
  });
  expect(sent).toEqual([undefined]);
});
