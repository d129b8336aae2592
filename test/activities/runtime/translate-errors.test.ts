import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ApiException } from '@kubernetes/client-node';
import { EKSServiceException } from '@aws-sdk/client-eks';
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../activities/runtime/context.ts';
import { during, translateError, translateErrorsInterceptor } from '../../../activities/runtime/translate-errors.ts';

function awsError(name: string, httpStatusCode: number, message = 'It says why.'): EKSServiceException {
  return new EKSServiceException({ name, message, $fault: httpStatusCode < 500 ? 'client' : 'server', $metadata: { httpStatusCode } });
}

const doing = 'reading cluster prod';

describe("every one of EKS's fifteen errors", () => {
  test.each([
    ['ThrottlingException', 429, 'Throttled', true],
    ['ServerException', 500, 'Unavailable', true],
    ['ServiceUnavailableException', 503, 'Unavailable', true],
    ['ResourcePropagationDelayException', 428, 'Unavailable', true],
    ['ResourceInUseException', 409, 'ResourceInUse', true],
    ['AccessDeniedException', 403, 'AccessDenied', false],
    ['InvalidParameterException', 400, 'InvalidRequest', false],
    ['InvalidRequestException', 400, 'InvalidRequest', false],
    ['BadRequestException', 400, 'InvalidRequest', false],
    ['UnsupportedAvailabilityZoneException', 400, 'InvalidRequest', false],
    ['ResourceLimitExceededException', 400, 'InvalidRequest', false],
    ['ResourceNotFoundException', 404, 'NotFound', false],
    ['NotFoundException', 404, 'NotFound', false],
    ['ClientException', 400, 'InvalidRequest', false],
    ['InvalidStateException', 400, 'ReadinessIssues', false],
  ])('%s (%i) is %s', (name, status, type, retryable) => {
    const failure = translateError(awsError(name, status), doing);
    expect(failure).toMatchObject({ type, nonRetryable: !retryable });
    expect(failure.message).toMatch(`reading cluster prod: AWS answered ${name} (It says why)`);
    expect(failure.cause).toBeInstanceOf(EKSServiceException);
  });

  test('an error of no known name goes by its status, and stays retryable where that says nothing', () => {
    expect(translateError(awsError('NewFangledException', 503), doing)).toMatchObject({ type: 'Unavailable' });
    expect(translateError(awsError('NewFangledException', 400), doing)).toMatchObject({ type: 'Unknown', nonRetryable: false });
  });
});

test('missing credentials say how to give them', () => {
  const error = Object.assign(new Error('Could not load credentials from any providers'), { name: 'CredentialsProviderError' });
  const failure = translateError(error, doing);
  expect(failure).toMatchObject({ type: 'NoCredentials', nonRetryable: true });
  expect(failure.message).toBe(
    'reading cluster prod: AWS credentials are missing: give this process AWS_PROFILE, a role or AWS_ACCESS_KEY_ID (Could not load credentials from any providers)',
  );
});

describe("Kubernetes' answers", () => {
  const body = { kind: 'Status', message: 'nodes is forbidden: User "belay" cannot list resource "nodes"' };
  test.each([
    [400, 'InvalidRequest'],
    [401, 'AccessDenied'],
    [403, 'AccessDenied'],
    [404, 'NotFound'],
    [409, 'Conflict'],
    [410, 'Unavailable'],
    [422, 'InvalidRequest'],
    [429, 'Throttled'],
    [500, 'Unavailable'],
    [503, 'Unavailable'],
  ])('%i is %s', (code, type) => {
    const failure = translateError(new ApiException(code, 'x', body, {}), 'listing nodes');
    expect(failure.type).toBe(type);
    expect(failure.message).toMatch(
      `listing nodes: Kubernetes answered ${code} (nodes is forbidden: User "belay" cannot list resource "nodes")`,
    );
  });

  test('the body may be text', () => {
    const failure = translateError(new ApiException(503, 'x', JSON.stringify(body), {}), 'listing nodes');
    expect(failure.message).toContain('(nodes is forbidden');
  });
});

describe('throttling asks for time', () => {
  test('K3: as long as Retry-After says', () => {
    const failure = translateError(new ApiException(429, 'x', {}, { 'retry-after': '7' }), 'listing nodes');
    expect(failure.nextRetryDelay).toBe(7000);
  });

  test('A5: longer at each attempt where it says nothing', async () => {
    const delay = (attempt: number) =>
      runWithin({ attempt }, async () => Number(translateError(awsError('ThrottlingException', 429), doing).nextRetryDelay));
    expect(await delay(1)).toBeGreaterThanOrEqual(1600);
    expect(await delay(1)).toBeLessThanOrEqual(2400);
    expect(await delay(5)).toBeGreaterThanOrEqual(25_000);
    expect(await delay(50)).toBeLessThanOrEqual(72_000);
  });
});

describe('sockets and time-outs', () => {
  const fetchFailed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  test.each([
    [fetchFailed('ECONNREFUSED'), 'Unavailable', 'the connection was refused (ECONNREFUSED)'],
    [fetchFailed('UND_ERR_SOCKET'), 'Unavailable', 'the connection was closed (UND_ERR_SOCKET)'],
    [Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'Unavailable', 'the connection was reset (ECONNRESET)'],
    [fetchFailed('DEPTH_ZERO_SELF_SIGNED_CERT'), 'Configuration', "the server's certificate is not trusted"],
    [new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'Unavailable', 'no answer in time'],
    [new DOMException('This operation was aborted', 'AbortError'), 'Unavailable', 'the call was aborted'],
    [Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: { attempts: 3 } }), 'Unavailable', 'no answer in time'],
    [new Error('who knows'), 'Unknown', 'Error: who knows'],
  ])('%s is %s', (error, type, text) => {
    const failure = translateError(error, doing);
    expect(failure.type).toBe(type);
    expect(failure.message).toContain(`reading cluster prod: ${text}`);
  });

  test('what is a failure already comes back as it is', () => {
    const failure = ApplicationFailure.nonRetryable('as it is', 'PhaseFailed');
    expect(translateError(failure, doing)).toBe(failure);
  });
});

test.each<[string, unknown, string]>([
  ['a text', 'no more', 'something that is no error was thrown (no more)'],
  ['nothing', undefined, 'something that is no error was thrown (undefined)'],
  ['an object that only looks like one', { message: 'no more' }, 'something that is no error was thrown ([object Object])'],
])('%s that was thrown is said as it is, and may be tried again', (_what, thrown, text) => {
  const failure = translateError(thrown, doing);
  expect(failure).toMatchObject({ type: 'Unknown', nonRetryable: false, message: `reading cluster prod: ${text}` });
});

test.each<[string, unknown, string, string]>([
  [
    'credentials that cannot be renewed',
    Object.assign(new Error('IMDS is away'), { name: 'CredentialsAwayError' }),
    'Unavailable',
    'AWS credentials cannot be renewed at the moment (IMDS is away)',
  ],
  ['no region', new Error('Region is missing'), 'Configuration', "the AWS region is missing: set the cluster's region in belay.yaml"],
  [
    'a page of a proxy',
    Object.assign(new SyntaxError('Unexpected token <'), { $metadata: {}, $response: {} }),
    'Unknown',
    'SyntaxError: Unexpected token <',
  ],
  [
    'a role that may not be assumed',
    awsError('AccessDenied', 403, 'User x is not authorized to perform: sts:AssumeRole on resource y'),
    'AccessDenied',
    "AWS answered AccessDenied (User x is not authorized to perform: sts:AssumeRole on resource y); allow sts:AssumeRole to who assumes the role, and name them in the role's trust policy (see deploy/)",
  ],
  [
    'a role whose session may not be tagged',
    awsError('AccessDenied', 403, 'User x is not authorized to perform: sts:TagSession on resource y'),
    'AccessDenied',
    "AWS answered AccessDenied (User x is not authorized to perform: sts:TagSession on resource y); allow sts:TagSession in the role's trust policy and to who assumes it; or set sessionTags: false in belay.yaml and, if the worker's credentials are of EKS Pod Identity, disable the session tags of its association",
  ],
  ['an error of AWS that nobody knows', awsError('NewFangledException', 400), 'Unknown', 'AWS answered NewFangledException (It says why.)'],
  [
    'a token that the API server does not take',
    new ApiException(401, 'x', 'Unauthorized', {}),
    'AccessDenied',
    "Kubernetes answered 401 (Unauthorized); check the role's access entry and the clock of this machine",
  ],
  ['an answer without a word', new ApiException(302, 'x', {}, {}), 'Unknown', 'Kubernetes answered 302'],
  ['a connection that broke', new TypeError('terminated'), 'Unavailable', 'the connection failed'],
  [
    'one of several addresses that refused',
    new AggregateError([new Error('a'), Object.assign(new Error('b'), { code: 'ECONNREFUSED' })], 'all failed'),
    'Unavailable',
    'the connection was refused (ECONNREFUSED)',
  ],
])('%s: what it means, and what mends it', (_what, error, type, text) => {
  expect(translateError(error, doing)).toMatchObject({ type, message: `reading cluster prod: ${text}` });
});

test.each([
  ['7', 7_000],
  ['-1', 0],
  ['Tue, 03 Mar 2020 12:00:00 GMT', 0],
])('Retry-After of %s asks for %i ms', (header, delayMs) => {
  expect(translateError(new ApiException(429, 'x', {}, { 'retry-after': header }), doing).nextRetryDelay).toBe(delayMs);
});

test('P9: no secret reaches the message, the cause or the stack', () => {
  const error = new Error(
    'GET https://sts/?X-Amz-Signature=abc123def&X-Amz-Security-Token=FwoGZX with Bearer k8s-aws-v1.aHR0cHM6 and xoxb-1-2-abc',
  );
  const failure = translateError(error, doing);
  const everything = JSON.stringify([failure.message, failure.cause?.message, failure.cause?.stack]);
  expect(everything).not.toMatch(/abc123def|FwoGZX|aHR0cHM6|xoxb-1/);
  expect(everything).toContain('[redacted]');
});

test('a cancellation of the work within is none of its failures; whatever else is thrown says what was being done', async () => {
  const cancelled = new CancelledFailure('stop');
  await expect(during(doing, () => Promise.reject(cancelled))).rejects.toBe(cancelled);
  await expect(during(doing, () => Promise.reject(new Error('boom')))).rejects.toThrow('reading cluster prod: Error: boom');
});

describe('the interceptor around every activity', () => {
  const run = (thrown: unknown, aborted = false) => {
    const controller = new AbortController();
    if (aborted) controller.abort();
    const { inbound } = translateErrorsInterceptor({
      cancellationSignal: controller.signal,
      info: { activityType: 'startControlPlaneUpdate' },
    });
    return inbound.execute?.({ args: [], headers: {} }, () => Promise.reject(thrown));
  };

  test('translates what is left', async () => {
    await expect(run(new Error('boom'))).rejects.toMatchObject({
      type: 'Unknown',
      message: 'running startControlPlaneUpdate: Error: boom',
    });
  });

  test('lets failures and cancellations pass', async () => {
    const failure = ApplicationFailure.nonRetryable('x', 'NotFound');
    await expect(run(failure)).rejects.toBe(failure);
    const cancelled = new CancelledFailure('x');
    await expect(run(cancelled)).rejects.toBe(cancelled);
  });

  test('a call aborted by the cancellation is a cancellation', async () => {
    await expect(run(new DOMException('aborted', 'AbortError'), true)).rejects.toBeInstanceOf(CancelledFailure);
  });
});

describe("the notifier's errors", () => {
  const slackError = (code: string, retryable: boolean, retryAfterMs?: number): Error =>
    Object.assign(new Error(`posting to C1: Slack answered ${code}`), { name: 'SlackDeliveryError', code, retryable, retryAfterMs });

  test.each([
    ['rate_limited', true, 30_000, 'Throttled', true],
    ['unreachable', true, undefined, 'Unavailable', true],
    ['is_archived', false, undefined, 'InvalidRequest', false],
  ] as const)('%s', (code, retryable, retryAfterMs, type, again) => {
    const failure = translateError(slackError(code, retryable, retryAfterMs), doing);
    expect(failure).toMatchObject({ type, nonRetryable: !again });
    if (retryAfterMs !== undefined) expect(failure.nextRetryDelay).toBe(retryAfterMs);
  });
});
