/** What is read of an AWS account, against XML as EC2 writes it. */
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openEc2 } from '../../../../../activities/clients/aws/account/ec2.ts';
import { openQuotas } from '../../../../../activities/clients/aws/account/quotas.ts';
import type { AccountClients } from '../../../../../activities/clients/aws/account-clients.ts';
import { readQuotas } from '../../../../../activities/observe/readiness/aws/account.ts';
import { see } from '../../../../../activities/runtime/see.ts';
import { close, listen } from '../../../../../rehearsal/world/core/loopback.ts';

let end: (() => Promise<unknown>) | undefined;
afterEach(() => end?.());

type Ask = (parameters: URLSearchParams) => { status?: number; xml: string };

/** EC2 answers as told, service quotas with 100 for each. */
async function account(ask: Ask): Promise<AccountClients> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      if (request.headers['x-amz-target'] !== undefined) return void response.end('{"Quota":{"QuotaName":"a quota","Value":100}}');
      const { status = 200, xml } = ask(new URLSearchParams(Buffer.concat(chunks).toString()));
      response.writeHead(status, { 'Content-Type': 'text/xml' }).end(xml);
    });
  });
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  end = () => close(server);
  const config = { endpoint, region: 'eu-west-1', credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'test' }, maxAttempts: 1 };
  const unused = (): never => {
    throw new Error('not asked');
  };
  const quotas = openQuotas(config);
  const ec2 = openEc2(config, () => Promise.resolve(config));
  return {
    ec2: async () => ec2,
    quotas: async () => quotas,
    autoScaling: unused,
    iam: unused,
    kms: unused,
    cloudWatch: unused,
    ssm: unused,
    close: unused,
  };
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

test('vCPUs are counted over pages by quota, Spot and other families each against their own; storage by type', async () => {
  const clients = await account((parameters) => {
    if (parameters.get('Action') === 'DescribeVolumes')
      return { xml: volumes(parameters.get('Filter.1.Value.1') === 'gp3' ? [1024, 512] : []) };
    return { xml: INSTANCES[parameters.get('NextToken') === 'more' ? 1 : 0] ?? '' };
  });
  expect((await readQuotas(clients)).map(({ code, used, unit, limit }) => [code, `${used} of ${limit} ${unit}`])).toEqual([
    ['L-1216C47A', '8 of 100 vCPU'],
    ['L-D18FCD1D', '0 of 100 TiB'],
    ['L-7A658B76', '1.5 of 100 TiB'],
    ['L-34B43A08', '4 of 100 vCPU'],
    ['L-417A185B', '4 of 100 vCPU'],
  ]);
});

test('a refusal stays one', async () => {
  const refusal = '<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>No.</Message></Error></Errors></Response>';
  const clients = await account(() => ({ status: 403, xml: refusal }));
  expect(await see('reading the quotas', () => readQuotas(clients))).toMatchObject({
    ok: false,
    unseen: {
      kind: 'denied',
      why: "reading the quotas: AWS answered UnauthorizedOperation (No); allow it in the role's IAM policy (see deploy/)",
    },
  });
});
