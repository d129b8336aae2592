/** What lies around a cluster and is not always there: no subnet to look at, no key, a launch template that is gone. */
import { describe, expect, test } from 'vitest';
import type { Cluster } from '@aws-sdk/client-eks';
import { DisabledException, NotFoundException } from '@aws-sdk/client-kms';
import type { AccountClients } from '../../../../../activities/clients/aws/account-clients.ts';
import type { AwsClients } from '../../../../../activities/clients/aws/clients.ts';
import {
  readEncryptionKey,
  readLaunchTemplates,
  readSecurityGroups,
  readSubnets,
} from '../../../../../activities/observe/readiness/aws/account.ts';
import { readEksSide } from '../../../../../activities/observe/readiness/aws/aws-evidence.ts';
import { parseKubernetesVersion } from '../../../../../domain/core/version.ts';
import { policy as defaultPolicy } from '../../../../support/facts.ts';
import { FakeKubernetes } from '../../../../support/fake-kubernetes.ts';

/** Clients that answer these operations and are asked for no other. */
const account = (operations: Partial<Record<keyof AccountClients, object>>): AccountClients =>
  Object.fromEntries(Object.entries(operations).map(([service, client]) => [service, async () => client])) as unknown as AccountClients;

test('of no subnets, and no security groups, nobody is asked: a question without ids would be about all of the account', async () => {
  expect(await readSubnets(account({}), { cluster: [], nodes: [], pods: [] })).toEqual([]);
  expect(await readSecurityGroups(account({}), { resourcesVpcConfig: { securityGroupIds: [] } })).toEqual([]);
});

test('volumes, which take EC2 the longest, are asked for before the cluster is described', async () => {
  const asked: unknown[] = [];
  const ec2 = {
    describeInstances: async () => ({}),
    describeVolumes: async ({ Filters: [filter] }: { Filters: [{ Values: string[] }] }) => {
      asked.push(...filter.Values);
      return {};
    },
  };
  const quotas = { getServiceQuota: async () => ({ Quota: { Value: 100 } }) };
  const { promise: described, resolve } = Promise.withResolvers<Cluster>();
  const read = readEksSide({
    described,
    aws: {} as AwsClients,
    account: account({ ec2, quotas }),
    kubernetes: new FakeKubernetes(),
    ref: { account: '111122223333', region: 'eu-central-1', name: 'prod' },
    timing: defaultPolicy().timing,
    target: parseKubernetesVersion('1.34'),
    wanted: new Set(['quotas']),
    onTransient: 'unknown',
  });
  await expect.poll(() => asked).toEqual(['gp2', 'gp3']);
  resolve({});
  expect((await read).quotas).toMatchObject({ ok: true, value: [{ used: 0 }, { used: 0 }, { used: 0 }] });
  expect(asked).toEqual(['gp2', 'gp3']);
});

test('a subnet that EC2 does not answer with is gone', async () => {
  const ec2 = {
    describeSubnets: async () => ({ Subnets: [{ SubnetId: 'a', AvailabilityZone: 'eu-west-1a', AvailableIpAddressCount: 7 }] }),
  };
  expect(await readSubnets(account({ ec2 }), { cluster: ['a', 'x'], nodes: ['a'], pods: [] })).toEqual([
    { id: 'a', zone: 'eu-west-1a', freeIps: 7, uses: ['cluster', 'nodes'] },
    { id: 'x', zone: '', freeIps: 0, gone: true, uses: ['cluster'] },
  ]);
});

test('a security group that EC2 does not answer with is gone', async () => {
  const ec2 = { describeSecurityGroups: async () => ({ SecurityGroups: [{ GroupId: 'sg-own' }] }) };
  const cluster: Cluster = { resourcesVpcConfig: { securityGroupIds: ['sg-gone'], clusterSecurityGroupId: 'sg-own' } };
  expect(await readSecurityGroups(account({ ec2 }), cluster)).toEqual([
    { id: 'sg-gone', present: false },
    { id: 'sg-own', present: true },
  ]);
});

describe('launch templates', () => {
  const read = (...nodegroups: [name: string, version: string][]) =>
    readLaunchTemplates(
      account({
        ec2: {
          describeLaunchTemplates: async () => ({
            LaunchTemplates: [{ LaunchTemplateId: 'lt-a', LatestVersionNumber: 5, DefaultVersionNumber: 3 }],
          }),
        },
        autoScaling: { describeAutoScalingGroups: async () => ({ AutoScalingGroups: [] }) },
      }),
      'prod',
      nodegroups.map(([id, version]) => ({ nodegroupName: `of-${id}-${version}`, launchTemplate: { id, version } })),
    );

  test('by the version that is in use, whatever it is called', async () => {
    const uses = await read(['lt-a', '4'], ['lt-a', '$Default'], ['lt-a', '$Latest']);
    expect(uses.map(({ usedBy, version, latest }) => [usedBy.name, version, latest])).toEqual([
      ['of-lt-a-4', '4', '5'],
      ['of-lt-a-$Default', '3', '5'],
      ['of-lt-a-$Latest', '5', '5'],
    ]);
  });

  test('one that EC2 does not answer with is not known to be up to date', async () => {
    await expect(read(['lt-a', '5'], ['lt-gone', '1'])).rejects.toThrow(
      'reading launch template lt-gone of of-lt-gone-1: EC2 does not have it',
    );
  });
});

describe('the key of secrets', () => {
  const KEY = 'arn:aws:kms:eu-central-1:111122223333:key/k-1';
  const encrypted: Cluster = { encryptionConfig: [{ provider: { keyArn: KEY } }] };
  const fails = (Failure: typeof NotFoundException | typeof DisabledException) => async () => {
    throw new Failure({ message: 'refused', $metadata: {} });
  };

  test.each([
    { what: 'none is configured', cluster: {}, kms: undefined, is: 'none' },
    {
      what: 'its state is said',
      cluster: encrypted,
      kms: { describeKey: async () => ({ KeyMetadata: { KeyState: 'PendingDeletion' } }) },
      is: { id: KEY, state: 'PendingDeletion' },
    },
    { what: 'it is gone', cluster: encrypted, kms: { describeKey: fails(NotFoundException) }, is: { id: KEY, state: 'not there' } },
  ])('$what', async ({ cluster, kms, is }) => {
    expect(await readEncryptionKey(account({ ...(kms !== undefined && { kms }) }), cluster)).toEqual(is);
  });

  test('another failure says nothing of it', async () => {
    await expect(readEncryptionKey(account({ kms: { describeKey: fails(DisabledException) } }), encrypted)).rejects.toThrow('refused');
  });
});
