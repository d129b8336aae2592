/** What changes on EKS find where it answers as the twin does not: a refusal for another reason, settings that are lost. */
import { expect, test } from '@jest/globals';
import { ResourceInUseException } from '@aws-sdk/client-eks';
import type { Ground } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import { groundOf, verdictOn } from './answers.ts';

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
