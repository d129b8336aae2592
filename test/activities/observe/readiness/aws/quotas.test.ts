/** What is read of quotas, against answers as EC2, Service Quotas and CloudWatch write them. */
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { openCloudWatch } from '../../../../../activities/clients/aws/account/cloudwatch.ts';
import { openEc2 } from '../../../../../activities/clients/aws/account/ec2.ts';
import { openQuotas } from '../../../../../activities/clients/aws/account/quotas.ts';
import type { AccountClients } from '../../../../../activities/clients/aws/account-clients.ts';
import { readOtherInstanceQuotas, readQuotas, runningVcpus } from '../../../../../activities/observe/readiness/aws/quotas.ts';
import { see } from '../../../../../activities/runtime/see.ts';
import { close, listen } from '../../../../../rehearsal/world/core/loopback.ts';

let end: (() => Promise<unknown>) | undefined;
afterEach(() => end?.());

interface Asked {
  MetricDataQueries: object[];
}

interface Answers {
  ec2: (parameters: URLSearchParams) => { status?: number; xml: string };
  /** Of a quota by its code; default: one without a metric. */
  quota?: (code: string) => object;
  /** Of CloudWatch, to what is asked; undefined: none at all. */
  metrics?: (asked: Asked) => { status?: number; json: object } | undefined;
}

async function region({ ec2, quota = () => ({}), metrics = () => ({ status: 500, json: {} }) }: Answers) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const target = String(request.headers['x-amz-target'] ?? '');
      if (target.endsWith('GetServiceQuota'))
        return void response.end(JSON.stringify({ Quota: { QuotaName: 'a quota', Value: 100, ...quota(JSON.parse(body).QuotaCode) } }));
      if (target.endsWith('GetMetricData')) {
        const { status = 200, json } = metrics(JSON.parse(body)) ?? {};
        return json === undefined
          ? undefined
          : void response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(json));
      }
      const { status = 200, xml } = ec2(new URLSearchParams(body));
      response.writeHead(status, { 'Content-Type': 'text/xml' }).end(xml);
    });
  });
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const config = { endpoint, region: 'eu-west-1', credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'test' }, maxAttempts: 1 };
  const unused = (): never => {
    throw new Error('not asked');
  };
  const opened = { cloudWatch: openCloudWatch(config), ec2: openEc2(config, () => Promise.resolve(config)), quotas: openQuotas(config) };
  end = () => {
    for (const client of Object.values(opened)) client.destroy();
    server.closeAllConnections();
    return close(server);
  };
  const clients: AccountClients = {
    cloudWatch: async () => opened.cloudWatch,
    ec2: async () => opened.ec2,
    quotas: async () => opened.quotas,
    autoScaling: unused,
    iam: unused,
    kms: unused,
    ssm: unused,
    close: unused,
  };
  return { clients, counted: () => runningVcpus(opened.ec2.describeInstances) };
}

const instance = (type: string, more: string): string =>
  `<item><instanceId>i-1</instanceId><instanceType>${type}</instanceType>${more}<networkInterfaceSet><item><attachment><attachTime>x</attachTime></attachment></item></networkInterfaceSet><cpuOptions><coreCount>2</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions></item>`;
const page = (items: string, next = ''): string =>
  `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item><instancesSet>${items}</instancesSet></item></reservationSet>${next}</DescribeInstancesResponse>`;

const SPOT = '<instanceLifecycle>spot</instanceLifecycle>';
const CAPACITY_BLOCK = '<instanceLifecycle>capacity-block</instanceLifecycle>';
const INSTANCES = [
  page(instance('m5.xlarge', '') + instance('m5.xlarge', SPOT), '<nextToken>more</nextToken>'),
  page(instance('c7g.xlarge', '<tagSet/>') + instance('p4d.24xlarge', '') + instance('p5.48xlarge', CAPACITY_BLOCK)),
];
const volumes = (sizes: number[]): string =>
  `<DescribeVolumesResponse><volumeSet>${sizes.map((size) => `<item><volumeId>vol-1</volumeId><size>${size}</size><attachmentSet><item><volumeId>vol-1</volumeId></item></attachmentSet></item>`).join('')}</volumeSet></DescribeVolumesResponse>`;

const ec2 = (parameters: URLSearchParams) => {
  if (parameters.get('Action') === 'DescribeVolumes')
    return { xml: volumes(parameters.get('Filter.1.Value.1') === 'gp3' ? [1024, 512] : []) };
  return { xml: INSTANCES[parameters.get('NextToken') === 'more' ? 1 : 0] ?? '' };
};

/** As Service Quotas answers (AWS CLI Reference, get-service-quota). */
const USAGE = {
  UsageMetric: {
    MetricNamespace: 'AWS/Usage',
    MetricName: 'ResourceCount',
    MetricDimensions: { Class: 'Standard/OnDemand', Resource: 'vCPU', Service: 'EC2', Type: 'Resource' },
    MetricStatisticRecommendation: 'Maximum',
  },
};
const datapoints = (...values: number[]) => {
  const newest = Math.floor(Date.now() / 300_000) * 300 - 300;
  const Timestamps = values.map((_, at) => newest - at * 300);
  return { json: { MetricDataResults: [{ Id: 'used', Label: 'ResourceCount', Timestamps, Values: values, StatusCode: 'Complete' }] } };
};

test('vCPUs are counted over pages by quota, Spot and other families each against their own; storage by type', async () => {
  const all = await region({ ec2 });
  const instances = [
    { type: 'm5.xlarge', spot: false },
    { type: 'm5.xlarge', spot: true },
    { type: 'm5.large', spot: true },
    { type: 'p5.48xlarge', spot: false },
  ];
  const read = [...(await readQuotas(all)), ...(await readOtherInstanceQuotas(all, instances))];
  expect(read.map(({ code, used, unit, limit }) => [code, `${used} of ${limit} ${unit}`])).toEqual([
    ['L-1216C47A', '8 of 100 vCPU'],
    ['L-D18FCD1D', '0 of 100 TiB'],
    ['L-7A658B76', '1.5 of 100 TiB'],
    ['L-34B43A08', '4 of 100 vCPU'],
    ['L-417A185B', '4 of 100 vCPU'],
  ]);
});

test('a refusal stays one', async () => {
  const refusal = '<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>No.</Message></Error></Errors></Response>';
  const all = await region({ ec2: () => ({ status: 403, xml: refusal }) });
  expect(await see('reading the quotas', () => readQuotas(all))).toMatchObject({
    ok: false,
    unseen: {
      kind: 'denied',
      why: "reading the quotas: AWS answered UnauthorizedOperation (No); allow it in the role's IAM policy (see deploy/)",
    },
  });
});

describe('where Service Quotas names a metric', () => {
  const used = async (answers: Omit<Answers, 'ec2'>) => {
    let counted = false;
    const all = await region({ ec2, quota: (code) => (code === 'L-1216C47A' ? USAGE : {}), ...answers });
    const [standard] = await readQuotas({ ...all, counted: () => ((counted = true), all.counted()) });
    return [standard?.used, counted];
  };

  test('the newest complete value is what is used, asked for by its dimensions, and no instance is read', async () => {
    const all: Asked[] = [];
    const metrics = (asked: Asked) => {
      all.push(asked);
      return datapoints(61, 12);
    };
    expect(await used({ metrics })).toEqual([61, false]);
    const Dimensions = Object.entries(USAGE.UsageMetric.MetricDimensions).map(([Name, Value]) => ({ Name, Value }));
    expect(all.map(({ MetricDataQueries: [query] }) => query)).toMatchObject([
      { MetricStat: { Metric: { Namespace: 'AWS/Usage', MetricName: 'ResourceCount', Dimensions }, Period: 300, Stat: 'Maximum' } },
    ]);
  });

  const forbidden = {
    status: 400,
    json: { __type: 'AccessDeniedException', message: 'not authorized to perform: cloudwatch:GetMetricData' },
  };
  test.each<[string, () => ReturnType<NonNullable<Answers['metrics']>>]>([
    ['has no value of the last minutes', () => datapoints()],
    ['says that nothing is used', () => datapoints(0)],
    ['refuses', () => forbidden],
    ['fails', () => ({ status: 500, json: {} })],
    ['does not answer', () => undefined],
  ])('instances are counted where CloudWatch %s', async (_what, metrics) => {
    expect(await used({ metrics })).toEqual([8, true]);
  });
});
