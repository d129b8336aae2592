/** Service Quotas and KMS over JSON 1.1. Shapes as in botocore's data/service-quotas/2019-06-24 and data/kms/2014-11-01. */
import { AwsError } from './eks/errors.ts';
import { page, text } from './eks/http.ts';
import type { World } from '../world/world.ts';
import { usageMetricOf } from './metrics/usage.ts';

type Body = Record<string, unknown>;

interface Quota {
  service: string;
  code: string;
  name: string;
  value: number;
}

const SERVICE_NAMES: Record<string, string> = {
  ec2: 'Amazon Elastic Compute Cloud (Amazon EC2)',
  ebs: 'Amazon Elastic Block Store (Amazon EBS)',
  eks: 'Amazon Elastic Kubernetes Service (Amazon EKS)',
  vpc: 'Amazon Virtual Private Cloud (Amazon VPC)',
};

/** AWS's own codes and names; values of an account that has asked for more than the default vCPUs. */
const QUOTAS: readonly (Quota & { byDefault: number })[] = [
  quota('ec2', 'L-1216C47A', 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances', 640, 5),
  quota('ec2', 'L-34B43A08', 'All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests', 640, 5),
  quota('ec2', 'L-DB2E81BA', 'Running On-Demand G and VT instances', 64, 0),
  quota('ec2', 'L-3819A6DF', 'All G and VT Spot Instance Requests', 64, 0),
  quota('ec2', 'L-417A185B', 'Running On-Demand P instances', 384, 0),
  quota('ec2', 'L-7212CCBC', 'All P Spot Instance Requests', 384, 0),
  quota('ec2', 'L-1945791B', 'Running On-Demand Inf instances', 64, 0),
  quota('ec2', 'L-B5D1601B', 'All Inf Spot Instance Requests', 64, 0),
  quota('ec2', 'L-2C3B7624', 'Running On-Demand Trn instances', 256, 0),
  quota('ec2', 'L-6B0D517C', 'All Trn Spot Instance Requests', 256, 0),
  quota('ec2', 'L-6E869C2A', 'Running On-Demand DL instances', 96, 0),
  quota('ec2', 'L-85EED4F7', 'All DL Spot Instance Requests', 96, 0),
  quota('ec2', 'L-74FC7D96', 'Running On-Demand F instances', 128, 0),
  quota('ec2', 'L-88CF9481', 'All F Spot Instance Requests', 128, 0),
  quota('ec2', 'L-7295265B', 'Running On-Demand X instances', 128, 0),
  quota('ec2', 'L-E3A00192', 'All X Spot Instance Requests', 128, 0),
  quota('ec2', 'L-43DA4232', 'Running On-Demand High Memory instances', 448, 0),
  quota('ec2', 'L-F7808C92', 'Running On-Demand HPC instances', 768, 0),
  quota('ebs', 'L-D18FCD1D', 'Storage for General Purpose SSD (gp2) volumes, in TiB', 50),
  quota('ebs', 'L-7A658B76', 'Storage for General Purpose SSD (gp3) volumes, in TiB', 50),
  quota('eks', 'L-1194D53C', 'Clusters', 100),
  quota('eks', 'L-6D54EA21', 'Managed node groups per cluster', 30),
  quota('eks', 'L-BD136A63', 'Nodes per managed node group', 450),
  quota('vpc', 'L-DF5E4CA3', 'Network interfaces per Region', 5000),
];

function quota(service: string, code: string, name: string, value: number, byDefault = value) {
  return { service, code, name, value, byDefault };
}

/** What the account has: a scenario may say otherwise. */
const valueOf = (world: World, { code, value }: Quota): number => world.eks.network.quotas[code] ?? value;

function render(world: World, { service, code, name }: Quota, value: number): Body {
  const { account, region } = world.eks.cluster;
  return {
    ServiceCode: service,
    ServiceName: SERVICE_NAMES[service],
    QuotaArn: `arn:aws:servicequotas:${region}:${account}:${service}/${code}`,
    QuotaCode: code,
    QuotaName: name,
    Value: value,
    Unit: 'None',
    Adjustable: true,
    GlobalQuota: false,
    UsageMetric: usageMetricOf(code),
    QuotaAppliedAtLevel: 'ACCOUNT',
  };
}

function quotasOf(body: Body): typeof QUOTAS {
  const service = text(body, 'ServiceCode') ?? '';
  if (SERVICE_NAMES[service] === undefined)
    throw new AwsError(400, 'NoSuchResourceException', `The request failed because the specified service does not exist.`);
  const code = text(body, 'QuotaCode');
  return QUOTAS.filter((each) => each.service === service && (code === undefined || each.code === code));
}

function oneQuota(body: Body): (typeof QUOTAS)[number] {
  const [found] = quotasOf({ ...body, QuotaCode: text(body, 'QuotaCode') ?? '' });
  if (found === undefined)
    throw new AwsError(400, 'NoSuchResourceException', 'The request failed because the specified quota does not exist.');
  return found;
}

function describeKey(world: World, body: Body): Body {
  const { keyArn, account, createdAtMs, keyState = 'Enabled' } = world.eks.cluster;
  const asked = text(body, 'KeyId') ?? '';
  const id = keyArn.split('/').at(-1) ?? '';
  if (asked !== keyArn && asked !== id) throw new AwsError(400, 'NotFoundException', `Key '${asked}' does not exist`);
  const KeyMetadata = {
    AWSAccountId: account,
    KeyId: id,
    Arn: keyArn,
    CreationDate: createdAtMs / 1000,
    Enabled: keyState === 'Enabled',
    Description: 'Secrets of the cluster',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: keyState,
    Origin: 'AWS_KMS',
    KeyManager: 'CUSTOMER',
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    KeySpec: 'SYMMETRIC_DEFAULT',
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    MultiRegion: false,
  };
  return { KeyMetadata };
}

/** By the service's X-Amz-Target prefix. */
const OPERATIONS: Record<'ServiceQuotasV20190624' | 'TrentService', Record<string, (world: World, body: Body) => Body>> = {
  ServiceQuotasV20190624: {
    GetServiceQuota: (world, body) => ({ Quota: render(world, oneQuota(body), valueOf(world, oneQuota(body))) }),
    GetAWSDefaultServiceQuota: (world, body) => ({ Quota: render(world, oneQuota(body), oneQuota(body).byDefault) }),
    ListServiceQuotas(world, body) {
      const { items, nextToken } = page(quotasOf(body), body.MaxResults, text(body, 'NextToken'));
      return { Quotas: items.map((each) => render(world, each, valueOf(world, each))), NextToken: nextToken };
    },
  },
  TrentService: { DescribeKey: describeKey },
};

/** Answers one operation. Throws AwsError in the service's words. */
export function jsonService(world: World, prefix: keyof typeof OPERATIONS, operation: string, body: Body): Body {
  const run = OPERATIONS[prefix][operation];
  if (run === undefined) throw new AwsError(400, 'UnknownOperationException', `The stand-in has no ${operation}.`);
  return run(world, body);
}
