/** What is found of bearer tokens, STS, IAM, EC2, SSM and KMS where they answer as believed, and where they do not. */
import { createServer } from 'node:http';
import { STSClient } from '@aws-sdk/client-sts';
import { expect, test } from 'vitest';
import { listen } from '../../rehearsal/world/core/loopback.ts';
import { type Outside, refusing, verdictOn } from './answers.ts';

const MINUTE_MS = 60_000;

/** The status by the age of a token; undefined: it is no signed URL any more. */
const tokens = (statusOf: (ageMs: number | undefined) => number): Outside => ({
  ground: {
    statusOfToken: async (token) => {
      const signed = Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString();
      if (!URL.canParse(signed)) return statusOf(undefined);
      const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(new URL(signed).searchParams.get('X-Amz-Date') ?? '') ?? [];
      const [year = 0, month = 0, ...rest] = parts.map(Number);
      return statusOf(Date.now() - Date.UTC(year, month - 1, ...rest));
    },
  },
});

const caller = (account: string, arn?: string): Outside => ({ aws: { GetCallerIdentity: () => ({ Account: account, Arn: arn }) } });

const cluster = (described: object): NonNullable<Outside['aws']> => ({ DescribeCluster: () => ({ cluster: described }) });

const trust = (document?: string): Outside => ({
  aws: {
    ...cluster({ roleArn: 'arn:aws:iam::111122223333:role/prod' }),
    GetRole: ({ RoleName }) => ({ Role: { AssumeRolePolicyDocument: RoleName === 'prod' ? document : 'another role' } }),
  },
});

const ACCOUNTS = '/api/v1/serviceaccounts';
const podRole = { metadata: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::111122223333:role/cni' } } };
const simulated = (results: object[], items: object[] = [podRole]): Outside => ({
  aws: { SimulatePrincipalPolicy: () => ({ EvaluationResults: results }) },
  kube: { [ACCOUNTS]: { items } },
});
const instances = { EvalActionName: 'ec2:DescribeInstances', EvalDecision: 'allowed' };
const subnetsDenied = { EvalActionName: 'ec2:DescribeSubnets', EvalDecision: 'implicitDeny' };

const subnets = (...found: object[]): Outside => ({
  aws: { ...cluster({ resourcesVpcConfig: { subnetIds: ['subnet-1', 'subnet-2'] } }), DescribeSubnets: () => ({ Subnets: found }) },
});
const subnet = (id: number) => ({ SubnetId: `subnet-${id}`, AvailableIpAddressCount: 0, AvailabilityZone: 'eu-central-1a' });

const node = (name: string, providerID?: string) => ({ metadata: { name }, spec: { providerID } });
const nodes = (items: object[], ...ids: string[]): Outside => ({
  aws: { DescribeInstances: () => ({ Reservations: ids.map((InstanceId) => ({ Instances: [{ InstanceId }] })) }) },
  kube: { '/api/v1/nodes?limit=20': { items } },
});

const STANDARD = { InstanceType: 'm5.large', CpuOptions: { CoreCount: 1, ThreadsPerCore: 2 } };
const usage = (published: number[], ...instances: object[]): Outside => ({
  aws: {
    GetServiceQuota: () => ({ Quota: { UsageMetric: { MetricNamespace: 'AWS/Usage', MetricName: 'ResourceCount' } } }),
    GetMetricData: () => ({ MetricDataResults: [{ Values: published }] }),
    DescribeInstances: () => ({ Reservations: [{ Instances: instances }] }),
  },
});

const image = (value?: string): Outside => ({
  aws: { ...cluster({ version: '1.33' }), GetParameter: () => ({ Parameter: { Value: value } }) },
});

const key = (state: string | undefined, keyArn: string | undefined = 'arn:key'): Outside => ({
  aws: { ...cluster({ encryptionConfig: [{ provider: { keyArn } }] }), DescribeKey: () => ({ KeyMetadata: { KeyState: state } }) },
});

test.each<[string, Outside, string]>([
  ['EKS-BEARER', tokens((ageMs) => (ageMs === undefined ? 401 : 200)), 'held: 200, and 401 for an altered one'],
  ['EKS-BEARER', tokens((ageMs) => (ageMs === undefined ? 401 : 403)), 'held: 403, and 401 for an altered one'],
  ['EKS-BEARER', tokens(() => 401), 'broken: a token that was just signed is refused with 401'],
  ['EKS-BEARER', tokens(() => 200), 'broken: an altered token is answered with 200'],
  ['EKS-BEARER-AGE', tokens((ageMs = 0) => (ageMs > 15 * MINUTE_MS ? 401 : 200)), 'held: taken after five minutes, refused after twenty'],
  ['EKS-BEARER-AGE', tokens((ageMs = 0) => (ageMs > MINUTE_MS ? 401 : 200)), 'broken: a token signed five minutes ago is refused'],
  ['EKS-BEARER-AGE', tokens(() => 200), 'broken: a token signed twenty minutes ago is answered with 200'],

  [
    'STS-CALLER',
    caller('111122223333', 'arn:aws:sts::111122223333:assumed-role/belay/pod'),
    'held: arn:aws:sts::111122223333:assumed-role/belay/pod',
  ],
  ['STS-CALLER', caller('111122223333', 'arn:aws-cn:iam::111122223333:root'), 'held: arn:aws-cn:iam::111122223333:root'],
  ['STS-CALLER', caller('444455556666', 'arn:aws:iam::444455556666:user/sam'), 'broken: the caller is of account 444455556666'],
  ['STS-CALLER', caller('111122223333', 'arn:aws:iam::444455556666:user/sam'), 'broken: its ARN is arn:aws:iam::444455556666:user/sam'],
  ['STS-CALLER', caller('111122223333', 'arn:aws:iam::111122223333:group/all'), 'broken: its ARN is arn:aws:iam::111122223333:group/all'],

  ['IAM-TRUST', trust(encodeURIComponent('{"Version":"2012-10-17"}')), 'held: URL-encoded JSON'],
  ['IAM-TRUST', trust(encodeURIComponent('{"Statement":[]}')), 'broken: the document is no policy'],
  ['IAM-TRUST', trust(), 'broken: Unexpected end of JSON input'],
  ['IAM-TRUST', { aws: cluster({}) }, 'untried, absent: DescribeCluster names no role'],

  ['IAM-SIMULATION', simulated([instances, subnetsDenied]), 'held: ec2:DescribeInstances allowed, ec2:DescribeSubnets implicitDeny'],
  ['IAM-SIMULATION', simulated([instances]), 'broken: nothing is said of ec2:DescribeSubnets'],
  [
    'IAM-SIMULATION',
    simulated([instances, { ...subnetsDenied, EvalDecision: undefined }]),
    'broken: nothing is said of ec2:DescribeSubnets',
  ],
  ['IAM-SIMULATION', simulated([], []), 'untried, absent: there is no ServiceAccount on this cluster'],
  ['IAM-SIMULATION', simulated([], [{ metadata: {} }]), 'untried, absent: no ServiceAccount names an IAM role'],

  ['EC2-SUBNETS', subnets(subnet(1), subnet(2)), 'held: 2 subnets'],
  ['EC2-SUBNETS', subnets(subnet(1)), 'broken: subnet-2 has no free addresses or no zone'],
  ['EC2-SUBNETS', subnets({ ...subnet(1), AvailabilityZone: undefined }, subnet(2)), 'broken: subnet-1 has no free addresses or no zone'],
  [
    'EC2-SUBNETS',
    subnets(subnet(1), { ...subnet(2), AvailableIpAddressCount: undefined }),
    'broken: subnet-2 has no free addresses or no zone',
  ],
  ['EC2-MISSING', { aws: { DescribeSubnets: refusing('InvalidSubnetID.NotFound') } }, 'held: InvalidSubnetID.NotFound'],
  ['EC2-MISSING', { aws: { DescribeSubnets: refusing('InvalidParameter', 'not that') } }, 'broken: InvalidParameter: not that'],
  ['EC2-MISSING', {}, 'broken: it was answered without an error'],
  ['EC2-INSTANCE-OF-NODE', nodes([node('a', 'aws:///eu-central-1a/i-0a'), node('fargate')], 'i-0a'), 'held: 1 node, a among them'],
  [
    'EC2-INSTANCE-OF-NODE',
    nodes([node('a', 'aws:///eu-central-1a/i-0a'), node('b', 'aws:///eu-central-1b/i-0b')], 'i-0a'),
    'broken: i-0b does not exist',
  ],
  ['EC2-INSTANCE-OF-NODE', nodes([node('fargate')]), 'untried, absent: no node is an EC2 instance'],

  [
    'EC2-USAGE',
    usage([3, 9], STANDARD, { ...STANDARD, InstanceLifecycle: 'spot' }, { ...STANDARD, InstanceType: 'p4d.24xlarge' }),
    'held: 3 vCPUs are published while 2 run',
  ],
  ['EC2-USAGE', usage([], STANDARD), 'broken: no vCPUs are published while 2 run'],
  ['EC2-USAGE', usage([1], STANDARD, STANDARD), 'broken: 1 vCPUs are published while 4 run'],
  ['EC2-USAGE', usage([4]), 'untried, absent: no On-Demand standard instance runs'],
  ['EC2-USAGE', { aws: { GetServiceQuota: () => ({ Quota: {} }) } }, 'broken: L-1216C47A has no metric'],
  ['SSM-IMAGES', image('ami-0123456789abcdef0'), 'held: ami-0123456789abcdef0 for 1.33'],
  ['SSM-IMAGES', image('latest'), 'broken: its value is "latest"'],
  ['SSM-IMAGES', image(), 'broken: its value is ""'],
  ['SSM-MISSING', { aws: { GetParameter: refusing('ParameterNotFound') } }, 'held: ParameterNotFound'],
  ['SSM-MISSING', { aws: { GetParameter: refusing('ValidationException', 'no path') } }, 'broken: ValidationException: no path'],
  ['SSM-MISSING', {}, 'broken: there is an image for 1.1'],

  ['KMS-STATE', key('Enabled'), 'held: Enabled'],
  ['KMS-STATE', key(undefined), 'broken: the answer has no state'],
  ['KMS-STATE', { aws: cluster({ encryptionConfig: [] }) }, 'untried, absent: the cluster has no key of its own'],

  ['KMS-STATE', { aws: { DescribeCluster: refusing('AccessDeniedException', 'not you') } }, 'untried, right: a right is missing: not you'],
  [
    'KMS-STATE',
    { aws: { DescribeCluster: refusing('UnknownOperationException', 'what?') } },
    'untried, unanswered: this endpoint does not have the operation: what?',
  ],
  [
    'SSM-MISSING',
    { aws: { GetParameter: refusing('ThrottlingException', 'slow down') } },
    'untried, unanswered: it could not be asked: slow down',
  ],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});

test.each([
  { with: 200, without: 403, verdict: 'held: 200 with the header, 403 without' },
  { with: 200, without: 200, verdict: 'broken: without the header STS answers 200' },
  { with: 503, without: 503, verdict: 'untried, unanswered: with the header STS answers 503' },
])('STS-SIGNED-HEADERS where STS answers $with with the header and $without without', async (answers) => {
  const server = createServer(({ headers }, response) => {
    response.writeHead('x-k8s-aws-id' in headers ? answers.with : answers.without).end();
  });
  try {
    const endpoint = `http://127.0.0.1:${await listen(server)}`;
    const sts = new STSClient({ region: 'eu-central-1', endpoint, credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'none' } });
    expect(await verdictOn('STS-SIGNED-HEADERS', { ground: { sts } })).toBe(answers.verdict);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
