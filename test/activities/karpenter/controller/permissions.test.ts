/** What IAM does not say of Karpenter's role is unknown, never a yes; what passes is tried again. */
import type { SimulatePrincipalPolicyCommandInput } from '@aws-sdk/client-iam';
import { describe, expect, test } from 'vitest';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import { checkPermissions } from '../../../../activities/karpenter/controller/permissions.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

const ROLE = 'arn:aws:iam::111122223333:role/karpenter';
type Simulation = Pick<SimulatePrincipalPolicyCommandInput, 'ActionNames' | 'ContextEntries'>;
const ACTIONS = ['ec2:RunInstances', 'iam:ListInstanceProfiles'];

function granted(simulate: (input: Simulation) => Promise<unknown>, actions = ACTIONS, cluster: ClusterRef = CLUSTER) {
  const annotations = { 'eks.amazonaws.com/role-arn': ROLE };
  const port = new FakeKubernetes().put('v1', 'serviceaccounts', {
    metadata: { name: 'karpenter', namespace: 'kube-system', annotations },
  });
  const account = { iam: async () => ({ simulatePrincipalPolicy: simulate }) } as unknown as AccountClients;
  const sources = { aws: {} as AwsClients, account, port };
  return checkPermissions(sources, cluster, { namespace: 'kube-system', name: 'karpenter' }, actions);
}

test('an action that IAM passes over is unknown', async () => {
  const EvaluationResults = [{ EvalActionName: 'ec2:RunInstances', EvalDecision: 'allowed' }];
  expect(await granted(async () => ({ EvaluationResults }))).toEqual([
    { action: 'ec2:RunInstances', granted: 'yes' },
    { action: 'iam:ListInstanceProfiles', granted: 'unknown', why: `IAM says nothing of iam:ListInstanceProfiles for ${ROLE}` },
  ]);
});

test('a version that needs nothing new: IAM is not asked', async () => {
  const refuse = () => Promise.reject(failureOf('InvalidRequest', 'ActionNames must not be empty'));
  expect(await granted(refuse, [])).toEqual([]);
});

test('a failure that passes is no answer', async () => {
  await expect(granted(() => Promise.reject(failureOf('Throttled', 'rate exceeded')))).rejects.toMatchObject({ type: 'Throttled' });
});

/** IAM, for a role whose policies allow `action` where `key` has this value, and have other keys beside. */
function conditioned({ allows, key, value, others = [] }: { allows: string; key: string; value: string; others?: string[] }) {
  return async ({ ActionNames = [], ContextEntries = [] }: Simulation) => ({
    EvaluationResults: ActionNames.map((EvalActionName) => {
      const entry = ContextEntries.find(({ ContextKeyName }) => ContextKeyName === key);
      const allowed = EvalActionName === allows && entry?.ContextKeyValues?.includes(value) === true;
      return {
        EvalActionName,
        EvalDecision: allowed ? 'allowed' : 'implicitDeny',
        MissingContextValues: [...(entry === undefined ? [key] : []), ...others],
      };
    }),
  });
}

describe('conditions of the role’s policies', () => {
  const REGION = 'aws:RequestedRegion';
  const STATUS = 'ec2:DescribeInstanceStatus';
  const PROFILES = 'iam:ListInstanceProfiles';
  // As in the policy that Karpenter publishes, in statements about other actions.
  const TAGS = [
    'aws:RequestTag/karpenter.sh/nodepool',
    'aws:ResourceTag/kubernetes.io/cluster/staging',
    'aws:TagKeys',
    'iam:PassedToService',
  ];

  test.each([
    ['eu-central-1', STATUS, 'eu-central-1'],
    ['eu-central-1', PROFILES, 'us-east-1'],
    ['cn-northwest-1', STATUS, 'cn-northwest-1'],
    ['cn-northwest-1', PROFILES, 'cn-north-1'],
    ['us-gov-east-1', PROFILES, 'us-gov-west-1'],
  ])('a cluster in %s: %s is simulated in %s', async (region, action, value) => {
    const iam = conditioned({ allows: action, key: REGION, value, others: TAGS });
    expect(await granted(iam, [action], { ...CLUSTER, region })).toEqual([{ action, granted: 'yes' }]);
  });

  test('ec2:Region is the cluster’s as well', async () => {
    const iam = conditioned({ allows: STATUS, key: 'ec2:Region', value: CLUSTER.region });
    expect(await granted(iam, [STATUS])).toEqual([{ action: STATUS, granted: 'yes' }]);
  });

  test('another region only: no, whatever tags other statements ask for', async () => {
    const iam = conditioned({ allows: STATUS, key: REGION, value: 'ap-southeast-2', others: TAGS });
    expect(await granted(iam, [STATUS])).toEqual([{ action: STATUS, granted: 'no', why: `${ROLE}: implicitDeny` }]);
  });

  test('a key that only a real request has: unknown, and named', async () => {
    const iam = conditioned({ allows: STATUS, key: 'aws:SourceVpc', value: 'vpc-1', others: TAGS });
    const why = `${ROLE}: implicitDeny, but its policies depend on aws:SourceVpc, which a simulation does not know`;
    expect(await granted(iam, [STATUS])).toEqual([{ action: STATUS, granted: 'unknown', why }]);
  });

  test('an action that changes something: its tags may be what allows it', async () => {
    const iam = conditioned({ allows: 'ec2:RunInstances', key: 'aws:TagKeys', value: 'team' });
    const why = `${ROLE}: implicitDeny, but its policies depend on aws:TagKeys, which a simulation does not know`;
    expect(await granted(iam, ['ec2:RunInstances'])).toEqual([{ action: 'ec2:RunInstances', granted: 'unknown', why }]);
  });
});
