/** Which cluster a context is of: what the AWS CLI, eksctl and aws-iam-authenticator write, and what is none of EKS. */
import { describe, expect, test } from 'vitest';
import { mergeKubeconfigs } from '../../../../domain/facts/kubeconfig/contexts.ts';
import { eksClusterOf, isOtherCluster, tunnelTo } from '../../../../domain/facts/kubeconfig/eks-cluster.ts';

const ARN = 'arn:aws:eks:eu-west-1:111122223333:cluster/prod';
const HOST = 'https://0A1B.gr7.us-east-2.eks.amazonaws.com';

interface Given {
  context?: string;
  cluster?: string;
  server?: string;
  exec?: object;
}

function eks({ context = 'c', cluster = 'k', server = 'https://192.0.2.1', exec }: Given) {
  const { contexts } = mergeKubeconfigs([
    {
      clusters: [{ name: cluster, cluster: { server } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: context, context: { cluster, user: 'u' } }],
    },
  ]);
  const [only] = contexts;
  if (only === undefined) throw new Error('no context');
  const found = eksClusterOf(only);
  if (found === undefined) return undefined;
  const { server: _, context: __, ...rest } = found;
  return rest;
}

const getToken = (...more: string[]) => ({
  command: 'aws',
  args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'prod', ...more],
});

describe('a context of EKS', () => {
  test.each<[string, Given, object]>([
    ['the ARN as cluster', { cluster: ARN }, { name: 'prod', region: 'eu-west-1', account: '111122223333' }],
    ['the ARN as context', { context: ARN }, { name: 'prod', region: 'eu-west-1', account: '111122223333' }],
    [
      'an ARN of China',
      { cluster: 'arn:aws-cn:eks:cn-north-1:111122223333:cluster/p_1' },
      { name: 'p_1', region: 'cn-north-1', account: '111122223333' },
    ],
    [
      'the ARN, with profile and role of the program',
      { cluster: ARN, exec: { ...getToken('--role-arn', 'arn:aws:iam::1:role/r'), env: [{ name: 'AWS_PROFILE', value: 'work' }] } },
      { name: 'prod', region: 'eu-west-1', account: '111122223333', profile: 'work', role: 'arn:aws:iam::1:role/r' },
    ],
    ['aws eks get-token', { exec: getToken('--profile', 'work') }, { name: 'prod', region: 'eu-west-1', profile: 'work' }],
    [
      'aws eks get-token with = and --role',
      { exec: { command: '/usr/bin/aws', args: ['eks', 'get-token', '--cluster-name=prod', '--region=eu-west-1', '--role=arn:r'] } },
      { name: 'prod', region: 'eu-west-1', role: 'arn:r' },
    ],
    [
      'aws eks get-token by way of aws-vault',
      { exec: { command: 'aws-vault', args: ['exec', 'work', '--', ...getToken().args] } },
      { name: 'prod', region: 'eu-west-1' },
    ],
    [
      'the region in the environment of the program',
      {
        exec: {
          command: 'aws',
          args: ['eks', 'get-token', '--cluster-id', 'prod'],
          env: [{ name: 'AWS_DEFAULT_REGION', value: 'eu-west-3' }],
        },
      },
      { name: 'prod', region: 'eu-west-3' },
    ],
    [
      'the region in the address of the API server',
      { server: HOST, exec: { command: 'aws', args: ['eks', 'get-token', '--cluster-name', 'prod'] } },
      { name: 'prod', region: 'us-east-2' },
    ],
    [
      'the region in an address for IPv6',
      {
        server: 'https://0A1B.eks-cluster.us-west-2.api.aws',
        exec: { command: 'aws', args: ['eks', 'get-token', '--cluster-name', 'prod'] },
      },
      { name: 'prod', region: 'us-west-2' },
    ],
    ['eksctl’s cluster', { cluster: 'shop.eu-north-1.eksctl.io' }, { name: 'shop', region: 'eu-north-1' }],
    ['eksctl’s context', { context: 'ada@shop.eu-north-1.eksctl.io' }, { name: 'shop', region: 'eu-north-1' }],
    [
      'eksctl with the authenticator',
      {
        cluster: 'shop.eu-north-1.eksctl.io',
        exec: { command: 'aws-iam-authenticator', args: ['token', '-i', 'shop'], env: [{ name: 'AWS_PROFILE', value: 'work' }] },
      },
      { name: 'shop', region: 'eu-north-1', profile: 'work' },
    ],
    [
      'the authenticator by itself',
      { server: HOST, exec: { command: 'C:\\bin\\aws-iam-authenticator.exe', args: ['token', '--cluster-id', 'shop', '-r', 'arn:r'] } },
      { name: 'shop', region: 'us-east-2', role: 'arn:r' },
    ],
  ])('%s', (_title, given, expected) => {
    expect(eks(given)).toEqual(expected);
  });

  test.each<[string, Given]>([
    ['another cloud', { cluster: 'gke_p_z_c', exec: { command: 'gke-gcloud-auth-plugin' } }],
    ['a server of EKS alone: it has no name', { server: HOST }],
    ['the program without a region anywhere', { exec: { command: 'aws', args: ['eks', 'get-token', '--cluster-name', 'prod'] } }],
    ['the program without a cluster', { server: HOST, exec: { command: 'aws', args: ['eks', 'get-token', '--cluster-name'] } }],
    [
      'another command of the AWS CLI',
      { server: HOST, exec: { command: 'aws', args: ['eks', 'list-clusters', '--cluster-name', 'prod'] } },
    ],
    ['an ARN of something else', { cluster: 'arn:aws:ecs:eu-west-1:111122223333:cluster/prod' }],
    ['an ARN with something after it', { cluster: `${ARN}/nodegroup/x` }],
    ['arguments that are no list', { server: HOST, exec: { command: 'aws', args: 'eks get-token --cluster-name prod' } }],
  ])('not: %s', (_title, given) => {
    expect(eks(given)).toBeUndefined();
  });
});

describe('several kubeconfigs', () => {
  test('the first to set a value wins, and a file that is none adds nothing', () => {
    const merged = mergeKubeconfigs([
      null,
      { contexts: [{ name: 'a', context: { cluster: 'x' } }], clusters: [{ name: 'x', cluster: { server: 'https://one' } }] },
      {
        'current-context': 'b',
        contexts: [
          { name: 'a', context: { cluster: 'y' } },
          { name: 'b', context: { cluster: 'x' } },
        ],
        clusters: [{ name: 'x', cluster: { server: 'https://two' } }],
      },
      { 'current-context': 'a' },
    ]);
    expect(merged).toEqual({
      current: 'b',
      contexts: [
        { name: 'a', cluster: 'x', server: 'https://one' },
        { name: 'b', cluster: 'x', server: 'https://one' },
      ],
    });
  });
});

describe('a tunnel', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['EKS’s own endpoint', HOST, undefined],
    ['the endpoint that a former cluster had', 'https://FFFF.gr7.us-east-2.eks.amazonaws.com', undefined],
    ['an address of this machine', 'https://localhost:8443/', 'https://localhost:8443'],
    ['an address without TLS', 'http://localhost:8001', undefined],
    ['nothing', undefined, undefined],
    ['something that is no address', 'localhost', undefined],
  ])('%s', (_title, server, expected) => {
    expect(tunnelTo(HOST, server)).toBe(expected);
  });

  test('not where the server is the endpoint under no name of EKS', () => {
    expect(tunnelTo('https://127.0.0.1:4001', 'https://127.0.0.1:4001')).toBeUndefined();
  });
});

test.each<[string, string, string | undefined, boolean]>([
  ['its own endpoint', HOST, HOST, false],
  ['its own endpoint, in other letters', HOST, HOST.toLowerCase(), false],
  ['the endpoint of a cluster of that name elsewhere', HOST, 'https://FFFF.gr7.us-east-2.eks.amazonaws.com', true],
  ['an endpoint of the other form', HOST, 'https://FFFF.eks-cluster.us-east-2.api.aws', false],
  ['other endpoints of that form', 'https://EEEE.eks-cluster.us-east-2.api.aws', 'https://FFFF.eks-cluster.us-east-2.api.aws', true],
  ['a tunnel', HOST, 'https://localhost:8443', false],
  ['nothing', HOST, undefined, false],
])('another cluster: a server that is %s', (_title, endpoint, server, expected) => {
  expect(isOtherCluster(endpoint, server)).toBe(expected);
});
