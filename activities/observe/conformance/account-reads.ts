/** Tries by reading what is believed of bearer tokens, STS, IAM, EC2, SSM and KMS. */
import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeSubnetsCommand, DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { GetRoleCommand, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { GetServiceQuotaCommand } from '@aws-sdk/client-service-quotas';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { type CloudWatchQuery, windowOf } from '../../../domain/health/metrics/cloudwatch.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { STANDARD_ON_DEMAND } from '../../../domain/tables/instance-quotas.ts';
import { queriesOf } from '../../clients/metrics/cloudwatch.ts';
import { presignCallerIdentity } from '../../clients/aws/presigned-identity.ts';
import { runningVcpus, usageQuery } from '../readiness/aws/quotas.ts';
import { broken, CannotTry, type Ground, held, type ReadCheck, untried } from './check.ts';
import { abort } from './eks-lists.ts';
import { clusterOf } from './eks-reads.ts';
import { nameOf, refusalOf, some, someOf, stringsAt, textAt } from './look.ts';
import { count } from '../../../domain/core/text.ts';

const MINUTE_MS = 60_000;
const HEADER = 'x-k8s-aws-id';

export const ACCOUNT_READS: Readonly<Record<string, ReadCheck>> = {
  'EKS-BEARER': async (ground) => {
    const token = await bearer(ground, new Date());
    const [taken, altered] = [await ground.statusOfToken(token), await ground.statusOfToken(`k8s-aws-v1.${token.slice(30)}`)];
    if (taken === 401) return broken('a token that was just signed is refused with 401');
    return altered === 401 ? held(`${taken}, and 401 for an altered one`) : broken(`an altered token is answered with ${altered}`);
  },
  'EKS-BEARER-AGE': async (ground) => {
    const aged = await ground.statusOfToken(await bearer(ground, new Date(Date.now() - 5 * MINUTE_MS)));
    if (aged === 401) return broken('a token signed five minutes ago is refused');
    const old = await ground.statusOfToken(await bearer(ground, new Date(Date.now() - 20 * MINUTE_MS)));
    return old === 401
      ? held('taken after five minutes, refused after twenty')
      : broken(`a token signed twenty minutes ago is answered with ${old}`);
  },
  'STS-CALLER': async (ground) => {
    const { Account: account, Arn: arn = '' } = await ground.sts.send(new GetCallerIdentityCommand({}), abort());
    if (account !== ground.ref.account) return broken(`the caller is of account ${account}`);
    const parts = /^arn:[\w-]+:(sts|iam)::(\d{12}):(assumed-role\/[^/]+\/[^/]+|user\/.+|root|federated-user\/.+)$/.exec(arn);
    return parts?.[2] === account ? held(arn) : broken(`its ARN is ${arn}`);
  },
  'STS-SIGNED-HEADERS': async (ground) => {
    const url = await presignCallerIdentity(ground.sts, { header: { [HEADER]: 'belay-conformance' }, at: new Date(), expiresIn: 60 });
    const [sent, left] = [await statusOf(url, { [HEADER]: 'belay-conformance' }), await statusOf(url, {})];
    if (sent !== 200) return untried(`with the header STS answers ${sent}`, 'unanswered');
    return left >= 400 ? held(`200 with the header, ${left} without`) : broken(`without the header STS answers ${left}`);
  },
  'IAM-TRUST': async (ground) => {
    const { Role: role } = await (await ground.iam()).send(new GetRoleCommand({ RoleName: await roleName(ground) }), abort());
    const document = role?.AssumeRolePolicyDocument ?? '';
    try {
      const policy: unknown = JSON.parse(decodeURIComponent(document));
      return textAt(policy, 'Version') === undefined ? broken('the document is no policy') : held('URL-encoded JSON');
    } catch (error) {
      return broken(messageOf(error));
    }
  },
  'IAM-SIMULATION': async (ground) => {
    const PolicySourceArn = await roleOfPods(ground);
    const ActionNames = ['ec2:DescribeInstances', 'ec2:DescribeSubnets'];
    const asked = new SimulatePrincipalPolicyCommand({ PolicySourceArn, ActionNames });
    const { EvaluationResults: results = [] } = await (await ground.iam()).send(asked, abort());
    const silent = ActionNames.filter(
      (name) => !results.some(({ EvalActionName, EvalDecision }) => EvalActionName === name && EvalDecision !== undefined),
    );
    return silent.length === 0
      ? held(some(results.map(({ EvalActionName, EvalDecision }) => `${EvalActionName} ${EvalDecision}`)))
      : broken(`nothing is said of ${some(silent)}`);
  },
  'EC2-SUBNETS': async (ground) => {
    const { resourcesVpcConfig: { subnetIds = [] } = {} } = await clusterOf(ground);
    const { Subnets: subnets = [] } = await (await ground.ec2()).send(new DescribeSubnetsCommand({ SubnetIds: subnetIds }), abort());
    const odd = subnetIds.find(
      (id) =>
        !subnets.some((each) => each.SubnetId === id && each.AvailableIpAddressCount !== undefined && each.AvailabilityZone !== undefined),
    );
    return odd === undefined ? held(count(subnets.length, 'subnet')) : broken(`${odd} has no free addresses or no zone`);
  },
  'EC2-MISSING': async (ground) => {
    const refusal = await refusalOf(
      (await ground.ec2()).send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-00000000000000000'] }), abort()),
    );
    if (refusal === undefined) return broken('it was answered without an error');
    return refusal.name === 'InvalidSubnetID.NotFound' ? held(refusal.name) : broken(`${refusal.name}: ${refusal.message}`);
  },
  'EC2-INSTANCE-OF-NODE': async (ground) => {
    const nodes = await someOf(ground, '/api/v1/nodes?limit=20', 'node');
    const ids = nodes.flatMap((node) => /\/(i-[0-9a-f]+)$/.exec(textAt(node, 'spec', 'providerID') ?? '')?.[1] ?? []);
    if (ids.length === 0) return untried('no node is an EC2 instance');
    const { Reservations: found = [] } = await (await ground.ec2()).send(new DescribeInstancesCommand({ InstanceIds: ids }), abort());
    const instances = found.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId));
    const lost = ids.filter((id) => !instances.includes(id));
    return lost.length === 0
      ? held(`${count(ids.length, 'node')}, ${nameOf(nodes[0])} among them`)
      : broken(`${some(lost)} does not exist`);
  },
  'EC2-USAGE': async (ground) => {
    const asked = new GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode: STANDARD_ON_DEMAND });
    const query = usageQuery((await (await ground.quotas()).send(asked, abort())).Quota?.UsageMetric);
    if (query === undefined) return broken(`${STANDARD_ON_DEMAND} has no metric`);
    const ec2 = await ground.ec2();
    const counted = await runningVcpus((input, options) => ec2.send(new DescribeInstancesCommand(input), options));
    const [running, published] = [counted.get(STANDARD_ON_DEMAND) ?? 0, await newestOf(ground, query)];
    if (running === 0) return untried('no On-Demand standard instance runs');
    const seen = `${published ?? 'no'} vCPUs are published while ${running} run`;
    // Instances may have started since.
    return published !== undefined && published >= running / 2 ? held(seen) : broken(seen);
  },
  'SSM-IMAGES': async (ground) => {
    const { version } = await clusterOf(ground);
    const Name = `/aws/service/eks/optimized-ami/${version}/amazon-linux-2023/x86_64/standard/recommended/image_id`;
    const { Parameter: parameter } = await (await ground.ssm()).send(new GetParameterCommand({ Name }), abort());
    const image = parameter?.Value ?? '';
    return /^ami-[0-9a-f]{8,}$/.test(image) ? held(`${image} for ${version}`) : broken(`its value is "${image}"`);
  },
  'SSM-MISSING': async (ground) => {
    const Name = '/aws/service/eks/optimized-ami/1.1/amazon-linux-2023/x86_64/standard/recommended/image_id';
    const refusal = await refusalOf((await ground.ssm()).send(new GetParameterCommand({ Name }), abort()));
    if (refusal === undefined) return broken('there is an image for 1.1');
    return refusal.name === 'ParameterNotFound' ? held(refusal.name) : broken(`${refusal.name}: ${refusal.message}`);
  },
  'KMS-STATE': async (ground) => {
    const KeyId = (await clusterOf(ground)).encryptionConfig?.[0]?.provider?.keyArn;
    if (KeyId === undefined) return untried('the cluster has no key of its own');
    const { KeyMetadata: key } = await (await ground.kms()).send(new DescribeKeyCommand({ KeyId }), abort());
    return key?.KeyState === undefined ? broken('the answer has no state') : held(key.KeyState);
  },
};

/** By EKS's clock. */
async function newestOf(ground: Ground, query: CloudWatchQuery): Promise<number | undefined> {
  const { startMs, endMs } = windowOf(query, Date.parse(ground.eksDate() ?? new Date().toISOString()));
  const asked = new GetMetricDataCommand({
    MetricDataQueries: queriesOf(query),
    StartTime: new Date(startMs),
    EndTime: new Date(endMs),
    ScanBy: 'TimestampDescending',
  });
  return (await (await ground.cloudWatch()).send(asked, abort())).MetricDataResults?.[0]?.Values?.[0];
}

async function bearer({ sts, ref }: Ground, at: Date): Promise<string> {
  const url = await presignCallerIdentity(sts, { header: { [HEADER]: ref.name }, at, expiresIn: 60 });
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers, signal: AbortSignal.any([abort().abortSignal, AbortSignal.timeout(10_000)]) });
  await response.arrayBuffer();
  return response.status;
}

async function roleName(ground: Ground): Promise<string> {
  const name = (await clusterOf(ground)).roleArn?.split('/').at(-1);
  if (name === undefined) throw new CannotTry('DescribeCluster names no role');
  return name;
}

/** A role that a ServiceAccount names. */
async function roleOfPods(ground: Ground): Promise<string> {
  const accounts = await someOf(ground, '/api/v1/serviceaccounts', 'ServiceAccount');
  const [role] = accounts.flatMap((account) => stringsAt(account, 'metadata', 'annotations')['eks.amazonaws.com/role-arn'] ?? []);
  if (role === undefined) throw new CannotTry('no ServiceAccount names an IAM role');
  return role;
}
