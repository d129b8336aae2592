/** A watch of four hours by a role that is assumed from another session: the twin's STS gives an hour and no more, and refuses what has ended. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, vi, test } from 'vitest';
import { describeCluster } from '../../../../../activities/clients/aws/eks-api.ts';
import { type ClusterClients, createClusterClients } from '../../../../../activities/clients/clusters.ts';
import { waitUntil } from '../../../../../activities/runtime/wait-until.ts';
import { fakeOnlyTheDate, passMs } from '../../../../support/only-date.ts';
import { startTwin, type Twin } from '../../../support/twin.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROLE = 'arn:aws:iam::111122223333:role/belay';
const KEYS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_EC2_METADATA_DISABLED'];
const before = Object.fromEntries(KEYS.map((key) => [key, process.env[key]]));

let twin: Twin;
let agent: Server;
let clients: ClusterClients;

beforeEach(async () => {
  twin = await startTwin('small');
  agent = await startAgent();
  for (const key of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[key];
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
  clients = createClusterClients({ settings: () => ({ ref: twin.ref, roleArn: ROLE }) });
  fakeOnlyTheDate();
});
afterEach(async () => {
  vi.useRealTimers();
  await clients.close();
  agent.closeAllConnections();
  await new Promise((resolve) => agent.close(resolve));
  await twin.close();
  for (const key of KEYS) {
    if (before[key] === undefined) delete process.env[key];
    else process.env[key] = before[key];
  }
});

/** Pod Identity's agent: a session of the hub's role, for an hour. */
async function startAgent(): Promise<Server> {
  let given = 0;
  const server = createServer((_request, response) => {
    const { assumed } = twin.built.world.eks;
    given += 1;
    const endsAtMs = Math.floor(Date.now() / 1000) * 1000 + HOUR;
    const accessKeyId = `ASIAHUB${given}`;
    assumed.push({ accessKeyId, role: 'arn:aws:iam::111122223333:role/hub', session: 'pod', tags: {}, atMs: 0, endsAtMs });
    response.setHeader('content-type', 'application/json');
    const Expiration = new Date(endsAtMs).toISOString();
    response.end(JSON.stringify({ AccessKeyId: accessKeyId, SecretAccessKey: 'x', Token: 'x', Expiration }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const sessions = () => twin.built.world.eks.assumed.filter(({ role }) => role === ROLE);
/** Somebody revokes them: every session that was given so far has ended. */
const revokeAll = (role: string) => {
  for (const session of twin.built.world.eks.assumed) if (session.role.endsWith(role)) session.endsAtMs = Date.now();
};
const version = async () => (await (await clients.clusterPorts(twin.ref)).kubernetes.version()).minor;
const nodes = async () => (await (await clients.clusterPorts(twin.ref)).kubernetes.list({ apiVersion: 'v1', plural: 'nodes' }))?.length;

describe('O36: a role of one hour in a watch of four', () => {
  test('is assumed again before each end, for EKS and for the API server, and nobody hears of it', async () => {
    const timing = { pollMinMs: MINUTE, pollMaxMs: MINUTE, pollShare: 0.04, heartbeatTimeoutMs: 10_000, apiTransientMs: 1 };
    const begunMs = Date.now();
    const clock = { nowMs: () => Date.now(), sleep: async (ms: number) => passMs(ms) };
    const outcome = await waitUntil(
      { timing, timeoutMs: 5 * HOUR, doing: 'watching' },
      async () => {
        const { status } = await describeCluster(clients.aws(twin.ref), twin.ref);
        expect(await nodes()).toBeGreaterThan(0);
        return Date.now() - begunMs >= 4 * HOUR ? { done: true, value: status } : { done: false };
      },
      clock,
    );
    expect(outcome).toEqual({ kind: 'done', value: 'ACTIVE' });
    const ends = sessions().map(({ endsAtMs }) => endsAtMs);
    expect(ends.length).toBeGreaterThanOrEqual(5);
    expect(ends.length).toBeLessThanOrEqual(6);
    // Each began before the one before it ended, and at most ten minutes before.
    const leads = ends.slice(1).map((endMs, at) => (ends[at] ?? 0) - (endMs - HOUR));
    for (const leadMs of leads) {
      expect(leadMs).toBeGreaterThan(0);
      expect(leadMs).toBeLessThanOrEqual(10 * MINUTE + 1000);
    }
  });

  test('that somebody revokes is replaced for all clients, and the call is repeated once', async () => {
    await describeCluster(clients.aws(twin.ref), twin.ref);
    expect(await version()).toMatch(/^\d+/);
    passMs(10 * MINUTE);
    revokeAll('role/belay');
    expect((await describeCluster(clients.aws(twin.ref), twin.ref)).name).toBe(twin.ref.name);
    expect(sessions()).toHaveLength(2);
    const { Arn } = await clients.aws(twin.ref).sts.send(new GetCallerIdentityCommand({}));
    expect(Arn).toMatch(/:assumed-role\/belay\//);
    expect(sessions()).toHaveLength(2);
  });

  test('that somebody revokes is replaced where EC2 says so in words of its own', async () => {
    const { ec2 } = clients.account(twin.ref);
    const ask = async () => (await ec2()).describeSubnets({}, { abortSignal: new AbortController().signal });
    await ask();
    passMs(10 * MINUTE);
    revokeAll('role/belay');
    expect(await ask()).toBeDefined();
    expect(sessions()).toHaveLength(2);
  });

  test('that somebody revokes is replaced where the API server says so', async () => {
    expect(await nodes()).toBeGreaterThan(0);
    passMs(2 * MINUTE);
    revokeAll('role/belay');
    expect(await nodes()).toBeGreaterThan(0);
    expect(sessions()).toHaveLength(2);
  });

  test('is assumed with a new session of the hub where that one has ended', async () => {
    await describeCluster(clients.aws(twin.ref), twin.ref);
    passMs(10 * MINUTE);
    revokeAll('role/belay');
    revokeAll('role/hub');
    expect((await describeCluster(clients.aws(twin.ref), twin.ref)).name).toBe(twin.ref.name);
  });
});

describe('the twin’s STS', () => {
  const client = (accessKeyId: string) =>
    new STSClient({ region: twin.ref.region, credentials: { accessKeyId, secretAccessKey: 'x' }, maxAttempts: 1 });
  const assume = (sts: STSClient, DurationSeconds = 3600) =>
    sts.send(new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: 'belay-x', DurationSeconds }));

  test('gives an hour, up to twelve by keys of a user, and no more than one by role chaining', async () => {
    const user = client('AKIAUSER');
    const { Credentials } = await assume(user);
    expect(Credentials?.Expiration?.getTime()).toBe(Math.floor(Date.now() / 1000) * 1000 + HOUR);
    await expect(assume(user, 12 * 3600)).resolves.toBeDefined();
    await expect(assume(user, 12 * 3600 + 1)).rejects.toMatchObject({ name: 'ValidationError' });
    await expect(assume(user, 899)).rejects.toMatchObject({ name: 'ValidationError' });
    const chained = client(Credentials?.AccessKeyId ?? '');
    await expect(assume(chained, 3601)).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
    });
    await expect(assume(chained, 3600)).resolves.toBeDefined();
    passMs(HOUR);
    await expect(assume(chained)).rejects.toMatchObject({
      name: 'ExpiredToken',
      message: 'The security token included in the request is expired',
    });
  });
});
