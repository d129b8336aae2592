/** Control plane, node groups and add-ons, as EKS has them: what ails them is said in whole words, and what cannot be seen never passes. */
import { expect, test } from 'vitest';
import {
  checkAddOnHealth,
  checkClusterHealth,
  checkNodeGroups,
  checkNoUpdate,
  checkVisibility,
} from '../../../../activities/observe/checks/cluster.ts';
import type { Finding } from '../../../../domain/core/findings.ts';
import type { ClusterFacts, HealthIssue } from '../../../../domain/facts/facts.ts';
import { addOn, healthyFacts } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

interface Case {
  check: (facts: ClusterFacts) => Finding;
  what: string;
  change: Partial<ClusterFacts>;
  is: Partial<Finding>;
}

const { controlPlane, nodeGroups } = healthyFacts();
const SUBNET: HealthIssue = { code: 'Ec2SubnetNotFound', message: '', resourceIds: ['subnet-1'] };
const ROLE: HealthIssue = { code: 'IamRoleNotFound', message: 'The role is gone.', resourceIds: ['role-1'] };
const plane = (change: Partial<ClusterFacts['controlPlane']>): Partial<ClusterFacts> => ({ controlPlane: { ...controlPlane, ...change } });
const groups = (...changes: Partial<ClusterFacts['nodeGroups'][number]>[]): Partial<ClusterFacts> => ({
  nodeGroups: changes.flatMap((change) => nodeGroups.map((group) => ({ ...group, ...change }))),
});
const unseen = (...whats: string[]): Partial<ClusterFacts> => ({ unknowns: whats.map((what) => unread(what)) });

test.each<Case>([
  { check: checkClusterHealth, what: 'it is well', change: {}, is: { status: 'pass', message: 'The cluster is ACTIVE.' } },
  {
    check: checkClusterHealth,
    what: 'it is not ACTIVE',
    change: plane({ status: 'UPDATING' }),
    is: { status: 'fail', message: 'The cluster is UPDATING.', resources: [] },
  },
  {
    check: checkClusterHealth,
    what: 'EKS reports an issue',
    change: plane({ healthIssues: [ROLE] }),
    is: {
      status: 'fail',
      message: 'The cluster is ACTIVE and EKS reports IamRoleNotFound (The role is gone.).',
      resources: ['role-1'],
      remediation: 'Repair what EKS reports (console: cluster, health issues), then check again.',
    },
  },
  {
    check: checkClusterHealth,
    what: 'EKS reports several, the first without a message',
    change: plane({ healthIssues: [SUBNET, ROLE] }),
    is: {
      status: 'fail',
      message: 'The cluster is ACTIVE and EKS reports Ec2SubnetNotFound and 1 more.',
      resources: ['subnet-1', 'role-1'],
    },
  },
  { check: checkNoUpdate, what: 'none runs', change: {}, is: { status: 'pass' } },
  {
    check: checkNoUpdate,
    what: 'one to a version',
    change: { updateInProgress: { id: 'u-1', type: 'VersionUpdate', version: '1.34' } },
    is: {
      status: 'fail',
      message: 'EKS is busy with VersionUpdate to 1.34.',
      resources: ['u-1'],
      remediation: 'Wait until it has ended; EKS runs one update of a cluster at a time.',
    },
  },
  {
    check: checkNoUpdate,
    what: 'one of something else',
    change: { updateInProgress: { id: 'u-2', type: 'LoggingUpdate' } },
    is: { status: 'fail', message: 'EKS is busy with LoggingUpdate.', resources: ['u-2'] },
  },
  {
    check: checkNoUpdate,
    what: 'they cannot be seen',
    change: unseen('the nodes', 'the updates in progress'),
    is: { status: 'unknown', message: 'Running updates cannot be seen: access denied.' },
  },
  { check: checkNodeGroups, what: 'all are well', change: {}, is: { status: 'pass' } },
  {
    check: checkNodeGroups,
    what: 'some are not, others cannot be seen',
    change: {
      ...groups({ name: 'a' }, { name: 'b', status: 'DEGRADED' }, { name: 'c', healthIssues: [ROLE] }),
      ...unseen('node group d'),
    },
    is: {
      status: 'fail',
      message: 'Node group b is DEGRADED.',
      resources: ['b', 'c'],
      remediation: 'Repair the node groups, or delete those that are not needed.',
    },
  },
  {
    check: checkNodeGroups,
    what: 'one has an issue',
    change: groups({ name: 'c', healthIssues: [ROLE] }),
    is: { status: 'fail', message: 'Node group c has IamRoleNotFound (The role is gone.).' },
  },
  {
    check: checkNodeGroups,
    what: 'their list cannot be seen',
    change: unseen('the managed node groups'),
    is: { status: 'unknown', message: 'the managed node groups cannot be seen: access denied.' },
  },
  {
    check: checkNodeGroups,
    what: 'two of them cannot be seen',
    change: unseen('node group d', 'the nodes', 'node group e'),
    is: { status: 'unknown', message: 'node group d cannot be seen: access denied; 1 more things are unknown.' },
  },
  {
    check: checkNodeGroups,
    what: 'something else cannot be seen',
    change: unseen('the add-ons', 'the nodes'),
    is: { status: 'pass' },
  },
  {
    check: checkAddOnHealth,
    what: 'all that EKS manages are well',
    change: { addOns: [addOn('vpc-cni', 'v1', { status: 'UPDATE_FAILED', managed: false }), addOn('coredns', 'v1')] },
    is: { status: 'pass' },
  },
  {
    check: checkAddOnHealth,
    what: 'one is not',
    change: { addOns: [addOn('vpc-cni', 'v1'), addOn('coredns', 'v1', { status: 'DEGRADED' })], ...unseen('add-on kube-proxy') },
    is: {
      status: 'fail',
      message: 'Add-on coredns is DEGRADED.',
      resources: ['coredns'],
      remediation: 'Repair the add-ons before the control plane moves.',
    },
  },
  {
    check: checkAddOnHealth,
    what: 'their list cannot be seen',
    change: { addOns: [], ...unseen('the add-ons') },
    is: { status: 'unknown', message: 'the add-ons cannot be seen: access denied.' },
  },
  {
    check: checkAddOnHealth,
    what: 'one of them cannot be seen',
    change: unseen('node group a', 'add-on vpc-cni'),
    is: { status: 'unknown', message: 'add-on vpc-cni cannot be seen: access denied.' },
  },
  {
    check: checkVisibility,
    what: 'anything cannot be seen',
    change: unseen('the nodes', 'the add-ons', 'the NodeClaims'),
    is: {
      status: 'unknown',
      message: 'the nodes cannot be seen: access denied; 2 more things are unknown.',
      resources: ['the nodes', 'the add-ons', 'the NodeClaims'],
    },
  },
])('$check.name: $what', ({ check, change, is }) => {
  expect(check(healthyFacts(change))).toMatchObject(is);
});
