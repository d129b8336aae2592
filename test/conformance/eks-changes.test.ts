/** What changes on EKS find where it answers as the twin does not: a refusal for another reason, settings that are lost. */
import { expect, test } from '@jest/globals';
import { EKSClient, ResourceInUseException } from '@aws-sdk/client-eks';
import type { Ground } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import { CLUSTER } from '../support/facts.ts';

type Answer = (input: Record<string, unknown>) => unknown;

/** Each operation by the name of its command; what is not named is answered with nothing. */
function groundOf(answers: Record<string, Answer>): Ground {
  const eks = new EKSClient({ region: CLUSTER.region });
  const send = async (command: { constructor: { name: string }; input: Record<string, unknown> }): Promise<unknown> =>
    answers[command.constructor.name.replace(/Command$/, '')]?.(command.input) ?? {};
  Object.assign(eks, { send });
  const ground: Partial<Ground> = { ref: CLUSTER, eks, eksDate: () => undefined, pollMs: 1, limitMs: 200, holdMs: 1 };
  return ground as Ground;
}

test.each(['EKS-ONE-MINOR', 'EKS-SAME-VERSION', 'EKS-NODEGROUP-NEWER'])(
  '%s: a refusal because something else runs says nothing of the belief',
  async (id) => {
    const busy = (): never => {
      throw new ResourceInUseException({ message: 'another update is in progress', $metadata: { httpStatusCode: 409 } });
    };
    const ground = groundOf({
      DescribeCluster: () => ({ cluster: { version: '1.33' } }),
      ListNodegroups: () => ({ nodegroups: ['workers'] }),
      DescribeNodegroup: () => ({ nodegroup: { nodegroupName: 'workers', amiType: 'AL2023_x86_64_STANDARD' } }),
      UpdateClusterVersion: busy,
      UpdateNodegroupVersion: busy,
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
    ListAddons: () => ({ addons: ['vpc-cni'] }),
    DescribeAddon: () => ({ addon: { addonName: 'vpc-cni', addonVersion: 'v1', status: 'ACTIVE', podIdentityAssociations: arns } }),
    DescribePodIdentityAssociation: () => ({ association: { serviceAccount: 'aws-node', roleArn: ROLE } }),
    UpdateAddon: ({ podIdentityAssociations: named }) => {
      const isGiven = JSON.stringify(named) === JSON.stringify([{ serviceAccount: 'aws-node', roleArn: ROLE }]);
      arns = isGiven && keeps ? [association('a-2')] : [];
      return { update: { id: 'u-1' } };
    },
    DescribeUpdate: () => ({ update: { id: 'u-1', status: 'Successful' } }),
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
