/** Quotas of a region, and what is used of them now. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricInfo, ServiceQuota } from '@aws-sdk/client-service-quotas';
import type { CloudWatchQuery } from '../../../../domain/health/metrics/cloudwatch.ts';
import type { Quota } from '../../../../domain/readiness/model/evidence.ts';
import { quotaOfInstance, STANDARD_ON_DEMAND } from '../../../../domain/tables/instance-quotas.ts';
import type { Ec2 } from '../../../clients/aws/account/ec2.ts';
import type { AccountClients } from '../../../clients/aws/account-clients.ts';
import { signalled } from '../../../clients/aws/account/pages.ts';
import { byNextToken } from '../../../clients/aws/pages.ts';
import { createCloudWatchPort } from '../../../clients/metrics/cloudwatch.ts';
import { currentSignal } from '../../../runtime/context.ts';
import { failureType, translateError } from '../../../runtime/translate-errors.ts';

const GIB_PER_TIB = 1024;
const PUBLISHED_EVERY_MS = 5 * 60_000;
/** A private network may have no way to CloudWatch. */
const LATE_MS = 3_000;

/** vCPUs by the code of the quota against which they count. */
type Vcpus = ReadonlyMap<string, number>;

interface Region {
  clients: AccountClients;
  /** What runs: pages of a thousand instances, one after the other. */
  counted: () => Promise<Vcpus>;
}

/** Those of On-Demand standard instances, in vCPUs, and of EBS, in TiB. */
export async function readQuotas({ clients, counted }: Region): Promise<Quota[]> {
  return await Promise.all([
    readInstanceQuota({ clients, counted }, STANDARD_ON_DEMAND),
    readQuota(clients, { service: 'ebs', code: 'L-D18FCD1D', unit: 'TiB' }, () => usedTib(clients, 'gp2')),
    readQuota(clients, { service: 'ebs', code: 'L-7A658B76', unit: 'TiB' }, () => usedTib(clients, 'gp3')),
  ]);
}

/** Of Spot and of other families: those against which these instances count. What a region does not have is left out. */
export async function readOtherInstanceQuotas(region: Region, instances: readonly { type: string; spot: boolean }[]): Promise<Quota[]> {
  const codes = new Set(instances.flatMap(({ type, spot }) => quotaOfInstance(type, spot) ?? []));
  codes.delete(STANDARD_ON_DEMAND);
  const read = [...codes].map(async (code): Promise<Quota[]> => {
    try {
      return [await readInstanceQuota(region, code)];
    } catch (error) {
      // A region without it, or a snapshot from before it was asked for.
      if (['InvalidRequest', 'NotFound'].includes(failureType(translateError(error, `reading quota ${code}`)) ?? '')) return [];
      throw error;
    }
  });
  return (await Promise.all(read)).flat();
}

/** By what EC2 publishes, and where that says nothing, by what runs. */
async function readInstanceQuota({ clients, counted }: Region, code: string): Promise<Quota> {
  return await readQuota(
    clients,
    { service: 'ec2', code, unit: 'vCPU' },
    async (found) => (await published(clients, (await found)?.UsageMetric)) ?? (await counted()).get(code) ?? 0,
  );
}

type Found = Promise<ServiceQuota | undefined>;

async function readQuota(
  clients: AccountClients,
  { service, code, unit }: { service: string; code: string; unit: string },
  using: (found: Found) => Promise<number>,
): Promise<Quota> {
  const limit = async (): Found => {
    const quotas = await clients.quotas();
    return (await quotas.getServiceQuota({ ServiceCode: service, QuotaCode: code }, signalled())).Quota;
  };
  const asked = limit();
  const [found, used] = await Promise.all([asked, using(asked)]);
  return { code, name: found?.QuotaName ?? code, limit: found?.Value ?? 0, used, unit };
}

/**
 * What a service itself counts against a quota, some minutes old: unused capacity reservations, too, which no list of instances shows. undefined: it
 * publishes nothing, or CloudWatch may not or cannot be asked. Whoever asks for a quota of instances has some: zero is no figure.
 */
async function published({ cloudWatch }: AccountClients, metric: MetricInfo | undefined): Promise<number | undefined> {
  const query = usageQuery(metric);
  if (query === undefined) return undefined;
  const late = new AbortController();
  try {
    const samples = await Promise.race([createCloudWatchPort(cloudWatch).query(query), sleep(LATE_MS, [], { signal: late.signal })]);
    return samples[0]?.value || undefined;
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return undefined;
  } finally {
    late.abort();
  }
}

/** What Service Quotas says of a quota, as it is asked for; undefined: it names no metric. */
export function usageQuery(metric: MetricInfo | undefined): CloudWatchQuery | undefined {
  const {
    MetricNamespace: namespace,
    MetricName: name,
    MetricDimensions: dimensions = {},
    MetricStatisticRecommendation: stat,
  } = metric ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  return { periodMs: PUBLISHED_EVERY_MS, metrics: { used: { namespace, metric: name, dimensions, stat: stat ?? 'Maximum' } } };
}

/** By page. Capacity blocks count against none. */
export async function runningVcpus(describeInstances: Ec2['describeInstances']): Promise<Vcpus> {
  const all = new Map<string, number>();
  const running = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }];
  for await (const { Reservations = [] } of byNextToken((page) => describeInstances({ Filters: running, ...page }, signalled()))) {
    for (const { InstanceType = '', InstanceLifecycle, CpuOptions } of Reservations.flatMap(({ Instances = [] }) => Instances)) {
      const code = InstanceLifecycle === 'capacity-block' ? undefined : quotaOfInstance(InstanceType, InstanceLifecycle === 'spot');
      if (code === undefined) continue;
      all.set(code, (all.get(code) ?? 0) + (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 1));
    }
  }
  return all;
}

async function usedTib(clients: AccountClients, type: 'gp2' | 'gp3'): Promise<number> {
  let gib = 0;
  const ec2 = await clients.ec2();
  const query = { Filters: [{ Name: 'volume-type', Values: [type] }] };
  for await (const { Volumes = [] } of byNextToken((page) => ec2.describeVolumes({ ...query, ...page }, signalled()))) {
    for (const { Size = 0 } of Volumes) gib += Size;
  }
  return gib / GIB_PER_TIB;
}
