/** Credentials that are away for a while, and sessions that AWS calls expired. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { createAwsClients } from '../../../../activities/clients/aws/clients.ts';
import { createCredentials, remembering } from '../../../../activities/clients/aws/credentials.ts';
import { describeCluster } from '../../../../activities/clients/aws/eks-api.ts';
import { translateError, translateErrorsInterceptor } from '../../../../activities/runtime/translate-errors.ts';
import { waitUntil } from '../../../../activities/runtime/wait-until.ts';
import { adviceOn } from '../../../../domain/tables/failures.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { rejection as thrown } from '../../../support/thrown.ts';
import { type FakeEks, startFakeEks } from '../../support/fake-eks.ts';

const HOUR_MS = 60 * 60_000;
const KEYS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_EC2_METADATA_DISABLED',
  'AWS_CONFIG_FILE',
  'AWS_ENDPOINT_URL',
  'HOME',
] as const;

let eks: FakeEks;
let before: Partial<Record<(typeof KEYS)[number], string | undefined>> = {};
beforeAll(async () => {
  eks = await startFakeEks();
  before = Object.fromEntries(KEYS.map((key) => [key, process.env[key]]));
});
afterAll(() => eks.close());
afterEach(() => {
  for (const key of KEYS) {
    if (before[key] === undefined) delete process.env[key];
    else process.env[key] = before[key];
  }
});

/** Pod Identity's agent as the SDK asks it: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
async function startAgent(lifetimeMs: number): Promise<{ given: () => number; close(): Promise<void> }> {
  let given = 0;
  const server: Server = createServer((_request, response) => {
    given += 1;
    const Expiration = new Date(Date.now() + lifetimeMs).toISOString();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ AccessKeyId: `AKID${given}`, SecretAccessKey: 'example', Token: `session-${given}`, Expiration }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const key of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[key];
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/credentials`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { given: () => given, close };
}

const missing = () => Object.assign(new Error('Could not load credentials from any providers'), { name: 'CredentialsProviderError' });
const NOBODY = translateError(missing(), 'reading cluster prod');

test('RA8: an endpoint that gave credentials a while ago and is refused now is transient', async () => {
  // Expired when it comes: it is asked for again at each call.
  const agent = await startAgent(-1_000);
  const aws = createAwsClients({ ref: CLUSTER });
  expect((await describeCluster(aws, CLUSTER)).name).toBe(CLUSTER.name);
  await agent.close();
  const failure = await thrown(describeCluster(aws, CLUSTER));
  expect(failure).toMatchObject({ type: 'Unavailable', nonRetryable: false });
  expect((failure as Error).message).toMatch(/AWS credentials cannot be renewed at the moment \(.+; they were there a moment ago\)/);
  aws.close();
});

test('RA8: credentials that were last there longer ago than any session lasts are missing', async () => {
  let nowMs = 0;
  let answer: () => Promise<{ accessKeyId: string; secretAccessKey: string }> = async () => ({ accessKeyId: 'a', secretAccessKey: 'b' });
  const provider = remembering(
    () => answer(),
    () => nowMs,
  );
  await provider();
  answer = () => Promise.reject(missing());
  nowMs = 11 * HOUR_MS;
  expect(translateError(await thrown(provider()), 'x')).toMatchObject({ type: 'Unavailable', nonRetryable: false });
  nowMs = 13 * HOUR_MS;
  expect(translateError(await thrown(provider()), 'x')).toMatchObject({ type: 'NoCredentials', nonRetryable: true });
});

describe('RA8: missing credentials', () => {
  const running = (info: object) => ({ cancellationSignal: new AbortController().signal, info: { activityType: 'x', ...info } });
  const failing = () => Promise.reject(NOBODY);
  const through = (info: object) =>
    thrown(Promise.resolve(translateErrorsInterceptor(running(info)).inbound.execute?.({ args: [], headers: {} }, failing)));

  test('are waited for by what is owed', async () => {
    const owed = { scheduleToCloseTimeoutMs: 0, startToCloseTimeoutMs: 60_000, retryPolicy: {} };
    expect(await through(owed)).toMatchObject({ type: 'NoCredentials', nonRetryable: false, message: NOBODY.message });
  });

  test.each([
    ['a bounded call', { scheduleToCloseTimeoutMs: 0, startToCloseTimeoutMs: 60_000, retryPolicy: { maximumAttempts: 30 } }],
    ['a watch, which has waited itself', { scheduleToCloseTimeoutMs: 0, startToCloseTimeoutMs: 30 * 24 * HOUR_MS, retryPolicy: {} }],
  ])('end %s', async (_what, info) => {
    expect(await through(info)).toMatchObject({ type: 'NoCredentials', nonRetryable: true });
  });

  test('end a watch once they are away for longer than transient API errors', async () => {
    const timing = { pollMinMs: 1_000, pollMaxMs: 1_000, pollShare: 0.04, heartbeatTimeoutMs: 10_000, apiTransientMs: 10_000 };
    let nowMs = 0;
    const clock = {
      nowMs: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    };
    const watching = (backAtMs: number) =>
      waitUntil(
        { timing, timeoutMs: HOUR_MS, doing: 'watching' },
        async () => {
          if (nowMs < backAtMs) throw NOBODY;
          return { done: true, value: nowMs };
        },
        clock,
      );
    expect(await watching(8_000)).toEqual({ kind: 'done', value: 8_000 });
    expect(await thrown(watching(60_000))).toMatchObject({ type: 'NoCredentials', nonRetryable: true });
    expect(nowMs).toBe(18_000);
  });
});

describe('RD3: a session that AWS calls expired', () => {
  test('is renewed, and the call repeated once', async () => {
    const agent = await startAgent(HOUR_MS);
    const aws = createAwsClients({ ref: CLUSTER });
    await describeCluster(aws, CLUSTER);
    expect(agent.given()).toBe(1);
    eks.faults.push({ operation: 'DescribeCluster', fault: 'ExpiredTokenException' });
    expect((await describeCluster(aws, CLUSTER)).name).toBe(CLUSTER.name);
    expect(agent.given()).toBe(2);
    aws.close();
    await agent.close();
  });

  test('and is still expired has a remedy of its own: no permission is missing', async () => {
    const agent = await startAgent(HOUR_MS);
    const aws = createAwsClients({ ref: CLUSTER });
    eks.faults.push(...Array.from({ length: 2 }, () => ({ operation: 'DescribeCluster', fault: 'ExpiredTokenException' })));
    const failure = await thrown(describeCluster(aws, CLUSTER));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'NoCredentials', nonRetryable: true });
    expect((failure as Error).message).toContain('the session has expired: sign in again or renew the credentials');
    expect(adviceOn({ scope: 'belay', code: 'NoCredentials' })?.says).toContain('their session has expired. No permission is missing.');
    expect(eks.faults).toEqual([]);
    aws.close();
    await agent.close();
  });
});

test('an SSO session is asked for where it was begun, whatever region the cluster is in', async () => {
  const home = mkdtempSync(join(tmpdir(), 'belay-sso-'));
  const start = 'https://example.awsapps.com/start';
  const cache = join(home, '.aws', 'sso', 'cache');
  mkdirSync(cache, { recursive: true });
  const token = { accessToken: 't', expiresAt: new Date(Date.now() + HOUR_MS).toISOString() };
  writeFileSync(join(cache, `${createHash('sha1').update(start).digest('hex')}.json`), JSON.stringify(token));
  const profile = `sso_start_url = ${start}\nsso_region = eu-central-1\nsso_account_id = 111122223333\nsso_role_name = reader`;
  writeFileSync(join(home, 'config'), `[profile platform]\n${profile}\nregion = us-east-1\n`);
  // By which the SDK would ask no region's portal.
  delete process.env['AWS_ENDPOINT_URL'];
  Object.assign(process.env, { HOME: home, AWS_CONFIG_FILE: join(home, 'config') });
  const asked: string[] = [];
  const requestHandler = {
    connectionTimeout: 1_000,
    requestTimeout: 1_000,
    throwOnRequestTimeout: true,
    handle: async ({ hostname }: { hostname: string }) => {
      asked.push(hostname);
      const roleCredentials = { accessKeyId: 'AKIASSO', secretAccessKey: 's', sessionToken: 't', expiration: Date.now() + HOUR_MS };
      const body = Readable.from([Buffer.from(JSON.stringify({ roleCredentials }))]);
      return { response: { statusCode: 200, headers: { 'content-type': 'application/json' }, body } };
    },
  };
  try {
    expect(await createCredentials({ region: 'eu-west-1', requestHandler }, 'platform')()).toMatchObject({ accessKeyId: 'AKIASSO' });
    expect(asked).toEqual(['portal.sso.eu-central-1.amazonaws.com']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
