/** AWS and Kubernetes through a real forward proxy, with the external id that a trust policy asks for. */
import { createServer, type Server } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DescribeClusterCommand } from '@aws-sdk/client-eks';
import { generate } from 'selfsigned';
import { createAwsClients } from '../../../../activities/clients/aws/clients.ts';
import { connectionFactory } from '../../../../activities/clients/kubernetes/connection.ts';
import { createTransport } from '../../../../activities/clients/kubernetes/transport.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import type { ClusterSettings } from '../../../../activities/contract/ports.ts';
import { proxyOf } from '../../../../worker/config/proxy.ts';
import { type ForwardProxy, startForwardProxy } from '../../../support/forward-proxy.ts';

/** Names that resolve nowhere: without the proxy nothing is reached. */
const HOSTS = { eks: 'eks.example.test', sts: 'sts.example.test', kubernetes: 'api.example.test' };
const ROLE = 'arn:aws-us-gov:iam::123456789012:role/belay';

let server: Server;
let proxy: ForwardProxy;
let ca: string;
let posted: string[] = [];
const usual = getCACertificates('default');
const environment = { ...process.env };

const ASSUMED = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAREHEARSAL</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

beforeAll(async () => {
  const altNames = Object.values(HOSTS).map((value) => ({ type: 2 as const, value }));
  const certificate = await generate([{ name: 'commonName', value: 'example.test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  ca = certificate.cert;
  setDefaultCACertificates([...usual, ca]);
  server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      posted.push(body);
      if (request.headers.host === HOSTS.sts) return response.setHeader('Content-Type', 'text/xml').end(ASSUMED);
      const answer =
        request.url === '/clusters/prod'
          ? { cluster: { name: 'prod' } }
          : { major: '1', minor: '34', gitVersion: 'v1.34.0', metadata: { name: 'one' } };
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  proxy = await startForwardProxy(typeof address === 'object' ? (address?.port ?? 0) : 0);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIAREHEARSAL',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_ENDPOINT_URL_EKS: `https://${HOSTS.eks}`,
    AWS_ENDPOINT_URL_STS: `https://${HOSTS.sts}`,
  });
});
beforeEach(() => {
  posted = [];
  proxy.tunnels.length = 0;
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  process.env = environment;
  await proxy?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const settings = (): ClusterSettings => ({
  ref: { name: 'prod', region: 'us-gov-west-1', account: '123456789012' },
  roleArn: ROLE,
  externalId: 'team-7/prod',
  proxy: proxyOf({ HTTPS_PROXY: proxy.url }),
});

test('RA15: AWS and STS are reached through the forward proxy, and the role is assumed with its external id', async () => {
  const clients = createAwsClients(settings());
  try {
    expect((await clients.eks.send(new DescribeClusterCommand({ name: 'prod' }))).cluster?.name).toBe('prod');
  } finally {
    clients.close();
  }
  expect([...new Set(proxy.tunnels)].sort()).toEqual([`${HOSTS.eks}:443`, `${HOSTS.sts}:443`]);
  const assumed = new URLSearchParams(posted.find((body) => body.includes('AssumeRole')));
  expect(assumed.get('ExternalId')).toBe('team-7/prod');
  expect(assumed.get('RoleArn')).toBe(ROLE);
});

test.each([
  [
    'a kept connection',
    async (port: ReturnType<typeof createKubernetesPort>) =>
      (await port.get({ apiVersion: 'v1', plural: 'nodes', name: 'one' }))?.metadata.name,
    'one',
  ],
  ['one of its own', async (port: ReturnType<typeof createKubernetesPort>) => (await port.version()).minor, '1.34'],
] as const)('RA15: an API server is reached through the forward proxy, by %s', async (_what, ask, answer) => {
  const open = connectionFactory(settings(), {
    endpoint: async () => ({ endpoint: `https://${HOSTS.kubernetes}`, caData: Buffer.from(ca).toString('base64') }),
    tokens: { token: async () => 'token', renew: () => undefined },
  });
  const transport = createTransport(open);
  try {
    expect(await ask(createKubernetesPort(transport))).toBe(answer);
  } finally {
    await transport.close();
  }
  expect(proxy.tunnels).toEqual([`${HOSTS.kubernetes}:443`]);
});

test.each([
  [{}, undefined],
  [{ NO_PROXY: 'example.com' }, undefined],
  [
    { HTTPS_PROXY: 'http://p:3128', https_proxy: 'http://lower:3128', NO_PROXY: '.internal' },
    { HTTPS_PROXY: 'http://lower:3128', NO_PROXY: expect.stringMatching(/^\.internal,/) },
  ],
  [{ HTTP_PROXY: 'http://p:3128' }, { HTTP_PROXY: 'http://p:3128', NO_PROXY: expect.stringContaining('169.254.170.23') }],
])('RA15: proxies of %j; never for this machine and for what hands out credentials', (env, expected) => {
  expect(proxyOf(env)).toEqual(expected);
});
