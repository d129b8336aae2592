/** Permissions: their sum, their names, and the one that a server says is missing. */
import { describe, expect, test } from 'vitest';
import { permissionNamedIn, permissionNames, permissionsOf, SOURCES } from '../../../../domain/readiness/model/sources.ts';

test('the sum has each action once, and one rule for each API group', () => {
  expect(permissionsOf(['nodeGroups', 'launchTemplates', 'pods', 'nodes', 'budgets', 'helmReleases'])).toEqual({
    iam: ['autoscaling:DescribeAutoScalingGroups', 'ec2:DescribeLaunchTemplates', 'eks:DescribeNodegroup', 'eks:ListNodegroups'],
    rbac: [
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['list'] },
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
    ],
  });
});

test('the optional role is in it only where it is asked for', () => {
  expect(permissionsOf(['helmReleases'], true).rbac).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]);
});

test('permissions are named as IAM and kubectl write them', () => {
  expect(permissionNames(SOURCES.subnets)).toEqual([
    'ec2:DescribeSubnets',
    'eks:ListNodegroups',
    'eks:DescribeNodegroup',
    'eks:ListFargateProfiles',
    'eks:DescribeFargateProfile',
    'list on eniconfigs.crd.k8s.amazonaws.com',
    'list on ec2nodeclasses.karpenter.k8s.aws',
  ]);
  expect(permissionNames(SOURCES.apiMetrics)).toEqual(['get on /metrics']);
});

describe('the missing permission in a refusal', () => {
  test.each([
    {
      refusal:
        'AWS answered AccessDeniedException (User: arn:aws:iam::111122223333:user/ci is not authorized to perform: eks:ListUpdates on resource: arn:aws:eks:…)',
      named: 'eks:ListUpdates',
    },
    {
      refusal:
        'Kubernetes answered 403 (poddisruptionbudgets.policy is forbidden: User "ci" cannot list resource "poddisruptionbudgets" in API group "policy" at the cluster scope)',
      named: 'list on poddisruptionbudgets.policy',
    },
    { refusal: 'pods is forbidden: User "ci" cannot list resource "pods" in API group "" at the cluster scope', named: 'list on pods' },
    { refusal: 'Kubernetes answered 403 (forbidden: User "ci" cannot get path "/metrics")', named: 'get on /metrics' },
    { refusal: 'it needs an optional role', named: undefined },
  ])('$named', ({ refusal, named }) => {
    expect(permissionNamedIn(refusal)).toBe(named);
  });
});
