/** What a snapshot answers in place of AWS and Kubernetes, and how it says what it does not hold. */
import { DescribeClusterCommand, DescribeNodegroupCommand, paginateListNodegroups, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { describe, expect, test } from 'vitest';
import { describeAddon } from '../../../../../activities/clients/aws/eks-api.ts';
import { signalled } from '../../../../../activities/clients/aws/account/pages.ts';
import { replayedClients } from '../../../../../activities/observe/snapshot/replay/clients.ts';
import { byFields, byLabels } from '../../../../../activities/observe/snapshot/replay/selectors.ts';
import type { Snapshot, SnapshotCall, SnapshotKubeObject, SnapshotList } from '../../../../../domain/facts/snapshot/format.ts';
import { CLUSTER } from '../../../../support/facts.ts';

const TAKEN_AT = '2026-09-08T09:00:00.000Z';
const eks = (operation: string, input: Record<string, unknown>, answer: Pick<SnapshotCall, 'output' | 'error'>): SnapshotCall => ({
  kind: 'aws',
  service: 'eks',
  operation,
  input,
  ...answer,
});

const CALLS: SnapshotCall[] = [
  eks(
    'DescribeCluster',
    { name: 'prod' },
    { output: { cluster: { createdAt: '2024-03-01T09:00:00Z', tags: { createdAt: '2024-03-01T09:00:00Z' } } } },
  ),
  eks('ListNodegroups', { clusterName: 'prod' }, { output: { nodegroups: ['a'], nextToken: 'two' } }),
  eks('ListNodegroups', { clusterName: 'prod', nextToken: 'two' }, { output: { nodegroups: ['b'] } }),
  eks('DescribeAddon', { clusterName: 'prod', addonName: 'coredns' }, { error: { name: 'ResourceNotFoundException' } }),
  eks('DescribeNodegroup', { clusterName: 'prod', nodegroupName: 'denied' }, { error: { name: 'AccessDeniedException' } }),
  eks('DescribeNodegroup', { clusterName: 'prod', nodegroupName: 'throttled' }, { error: { name: 'ThrottlingException' } }),
  { kind: 'aws', service: 'ec2', operation: 'DescribeSubnets', input: { SubnetIds: ['a', 'b'] }, output: { Subnets: [{ SubnetId: 'a' }] } },
];

const pod = (name: string, labels: Record<string, string>, nodeName: string): SnapshotKubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name, labels },
  spec: { nodeName },
});

const list = (apiVersion: string, plural: string, outcome: SnapshotList['outcome'], more: Partial<SnapshotList> = {}): SnapshotList => ({
  kind: 'list',
  apiVersion,
  plural,
  outcome,
  ...more,
});

const SNAPSHOT: Snapshot = {
  header: {
    kind: 'header',
    format: 'belay-snapshot',
    version: 1,
    takenAt: TAKEN_AT,
    belay: '0.1.0',
    cluster: CLUSTER,
    kubernetes: { minor: '1.33', gitVersion: 'v1.33.5-eks-113cf36' },
    anonymized: false,
  },
  endedAt: TAKEN_AT,
  calls: CALLS,
  lists: [
    list('v1', 'pods', 'read', { count: 2 }),
    list('karpenter.sh/v1', 'nodepools', 'absent'),
    list('policy/v1', 'poddisruptionbudgets', 'unread', { why: 'Kubernetes answered 403', denied: true }),
  ],
  objects: new Map([['v1 pods', [pod('web', { app: 'web' }, 'one'), pod('api', { app: 'api' }, 'two')]]]),
  metrics: [],
  gaps: [],
};

const clients = replayedClients(SNAPSHOT);
const aws = clients.aws(CLUSTER);
const ports = clients.clusterPorts(CLUSTER);

describe('AWS', () => {
  test('dates are dates, but in tags, which are people’s', async () => {
    const { cluster } = await aws.eks.send(new DescribeClusterCommand({ name: 'prod' }));
    expect(cluster).toEqual({ createdAt: new Date('2024-03-01T09:00:00Z'), tags: { createdAt: '2024-03-01T09:00:00Z' } });
    expect(aws.eksDate()).toBe(TAKEN_AT);
  });

  test('pages follow each other', async () => {
    const names: string[] = [];
    for await (const page of paginateListNodegroups({ client: aws.eks }, { clusterName: 'prod' })) names.push(...(page.nodegroups ?? []));
    expect(names).toEqual(['a', 'b']);
  });

  test('what was not there is not there', async () => {
    expect(await describeAddon(aws, CLUSTER, 'coredns')).toBeUndefined();
  });

  test.each([
    ['denied', { name: 'AccessDeniedException' }],
    [
      'throttled',
      { type: 'Throttled', nonRetryable: true, message: expect.stringContaining('ThrottlingException when the snapshot was taken') },
    ],
    [
      'other',
      {
        type: 'InvalidRequest',
        nonRetryable: true,
        message: 'the snapshot does not hold the answer of eks:DescribeNodegroup to {"clusterName":"prod","nodegroupName":"other"}',
      },
    ],
  ])('a node group that was %s fails as it did then, and for good', async (nodegroupName, failure) => {
    await expect(aws.eks.send(new DescribeNodegroupCommand({ clusterName: 'prod', nodegroupName }))).rejects.toMatchObject(failure);
  });

  test('ids may be asked for in any order', async () => {
    const ec2 = await clients.account(CLUSTER).ec2();
    expect((await ec2.describeSubnets({ SubnetIds: ['b', 'a'], DryRun: undefined }, signalled())).Subnets).toEqual([{ SubnetId: 'a' }]);
  });

  test('nothing is changed, and nobody is who asks', async () => {
    const update = new UpdateClusterVersionCommand({ name: 'prod', version: '1.34' });
    await expect(aws.eks.send(update)).rejects.toThrow('eks:UpdateClusterVersion: a snapshot is only read');
    await expect(aws.writing()).rejects.toThrow('changing prod: a snapshot is only read');
    await expect(aws.sts.send(new GetCallerIdentityCommand({}))).rejects.toThrow('the snapshot does not hold who asks');
    expect(() => clients.aws({ ...CLUSTER, account: '999999999999' })).toThrow(
      'the snapshot does not hold cluster prod of account 999999999999',
    );
  });
});

describe('Kubernetes', () => {
  test.each<[string, object, string[]]>([
    ['by label', { labelSelector: 'app=web' }, ['web']],
    ['by field', { fieldSelector: 'spec.nodeName=two' }, ['api']],
    ['by namespace', { namespace: 'other' }, []],
    ['all', {}, ['web', 'api']],
  ])('lists are selected %s', async (_how, selection, names) => {
    const found = await (await ports).kubernetes.list({ apiVersion: 'v1', plural: 'pods', ...selection });
    expect(found?.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test('metadata alone where that is asked for, and objects by name', async () => {
    const { kubernetes } = await ports;
    const [first] = (await kubernetes.list({ apiVersion: 'v1', plural: 'pods', metadataOnly: true })) ?? [];
    expect(Object.keys(first ?? {})).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(await kubernetes.get({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'web' })).toMatchObject({
      spec: { nodeName: 'one' },
    });
    expect(await kubernetes.get({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'gone' })).toBeUndefined();
    expect(await kubernetes.version()).toEqual({ minor: '1.33', gitVersion: 'v1.33.5-eks-113cf36', serverDate: TAKEN_AT });
  });

  test('F53: a type that is not served is none; one that was not read, or not asked for, is a failure that says so', async () => {
    const { kubernetes } = await ports;
    expect(await kubernetes.list({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools' })).toBeUndefined();
    await expect(kubernetes.list({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })).rejects.toMatchObject({
      type: 'AccessDenied',
      message: 'listing poddisruptionbudgets for the snapshot: Kubernetes answered 403',
    });
    await expect(kubernetes.list({ apiVersion: 'v1', plural: 'secrets' })).rejects.toMatchObject({
      type: 'InvalidRequest',
      message: 'the snapshot does not hold v1 secrets',
    });
    await expect(kubernetes.metrics()).rejects.toThrow('the snapshot does not hold /metrics');
  });
});

test.each<[string, Record<string, string>, boolean]>([
  ['app=web,tier!=back', { app: 'web' }, true],
  ['app==web,tier!=back', { app: 'web', tier: 'back' }, false],
  ['env in (a, b),app', { env: 'b', app: 'x' }, true],
  ['env notin (a,b)', { env: 'c' }, true],
  ['env notin (a,b)', {}, true],
  ['!env', { env: 'a' }, false],
  ['karpenter.sh/nodepool', { 'karpenter.sh/nodepool': 'default' }, true],
])('label selector %s on %j', (query, labels, expected) => {
  expect(byLabels(query)(labels)).toBe(expected);
});

test.each<[string, boolean]>([
  ['involvedObject.kind=Pod,reason!=Killing', true],
  ['metadata.namespace=shop', false],
  ['metadata.namespace!=shop', true],
])('field selector %s', (query, expected) => {
  expect(byFields(query)({ involvedObject: { kind: 'Pod' }, reason: 'BackOff', metadata: {} })).toBe(expected);
});

test('what is no selector is refused', () => {
  expect(() => byLabels('a b')).toThrow('"a b" is no label selector');
  expect(() => byFields('a')).toThrow('"a" is no field selector');
});
