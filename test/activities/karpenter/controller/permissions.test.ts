/** What IAM does not say of Karpenter's role is unknown, never a yes; what passes is tried again. */
import { expect, test } from 'vitest';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import { checkPermissions } from '../../../../activities/karpenter/controller/permissions.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

const ROLE = 'arn:aws:iam::111122223333:role/karpenter';
const ACTIONS = ['ec2:RunInstances', 'iam:ListInstanceProfiles'];

function granted(simulate: () => Promise<unknown>, actions = ACTIONS) {
  const annotations = { 'eks.amazonaws.com/role-arn': ROLE };
  const port = new FakeKubernetes().put('v1', 'serviceaccounts', {
    metadata: { name: 'karpenter', namespace: 'kube-system', annotations },
  });
  const account = { iam: async () => ({ simulatePrincipalPolicy: simulate }) } as unknown as AccountClients;
  const sources = { aws: {} as AwsClients, account, port };
  return checkPermissions(sources, CLUSTER, { namespace: 'kube-system', name: 'karpenter' }, actions);
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
