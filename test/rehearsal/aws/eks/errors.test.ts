/** Refusals of the AWS stand-in on the wire: names, statuses and envelopes, and what clients make of their Date. */
import {
  DescribeClusterCommand,
  DescribeClusterVersionsCommand,
  EKSClient,
  EKSServiceException,
  ListInsightsCommand,
  ListTagsForResourceCommand,
  UpdateClusterVersionCommand,
} from '@aws-sdk/client-eks';
import { afterEach, describe, expect, test } from 'vitest';
import { openTwin, type Twin } from '../../support.ts';
import { refusal, signedFor } from './refusal.ts';

const name = 'small';
let twin: Twin;
afterEach(() => twin.close());

const describeCluster = (eks: EKSClient) => eks.send(new DescribeClusterCommand({ name }));
const unknownCluster = (eks: EKSClient) => eks.send(new DescribeClusterCommand({ name: 'x' }));

describe('errors of the service itself', () => {
  test.each([
    ['ServerException', 500, 'These errors are usually caused by a server-side issue.'],
    ['ServiceUnavailableException', 503, 'The service is unavailable. Back off and retry the operation.'],
    ['ClientException', 400, 'These errors are usually caused by a client action.'],
    [
      'ResourcePropagationDelayException',
      428,
      'Required resources (such as service-linked roles) were created and are still propagating. Retry later.',
    ],
    [
      'UnsupportedAvailabilityZoneException',
      400,
      'At least one of your specified cluster subnets is in an Availability Zone that does not support Amazon EKS.',
    ],
  ])('%s', async (error, status, message) => {
    twin = await openTwin('small', [`eks:error=${error}@DescribeCluster`, `eks:error=${error}@DescribeCluster`]);
    // Only errors of the service's model have a $fault.
    await expect(describeCluster(twin.eks)).rejects.toMatchObject({ name: error, message, $fault: status < 500 ? 'client' : 'server' });
    const response = await fetch(`${twin.aws.url}/clusters/small`, { headers: { authorization: signedFor('eks') } });
    expect([response.status, response.headers.get('x-amzn-errortype'), response.headers.get('content-type')]).toEqual([
      status,
      error,
      'application/json',
    ]);
    expect(await response.json()).toEqual({ message });
    expect(await refusal(describeCluster(twin.eks))).toBe('accepted');
  });

  test('strike only operations that have them', async () => {
    twin = await openTwin(
      'small',
      ['ServerException', 'ServiceUnavailableException', 'ClientException'].map((error) => `eks:error=${error}@DescribeClusterVersions`),
    );
    const said = async (call: Promise<unknown>) => (await refusal(call)).split(':')[0];
    const { eks } = twin;
    const resourceArn = 'arn:aws:eks:eu-central-1:111122223333:cluster/small';
    expect(await said(eks.send(new DescribeClusterVersionsCommand({})))).toBe('500 ServerException');
    expect(await said(eks.send(new ListTagsForResourceCommand({ resourceArn })))).toBe('accepted');
    expect(await said(eks.send(new ListInsightsCommand({ clusterName: name })))).toBe('accepted');
    expect(await said(eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' })))).toBe('400 ClientException');
    expect(await said(describeCluster(eks))).toBe('503 ServiceUnavailableException');
    expect(await said(describeCluster(eks))).toBe('accepted');
  });
});

describe('a refusal is no reason to set the clock', () => {
  const patient = () =>
    new EKSClient({
      endpoint: twin.aws.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIAREHEARSAL0000000', secretAccessKey: 'rehearsal' },
      maxAttempts: 3,
    });
  const refused = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof EKSServiceException)) throw new Error('EKS was expected to refuse', { cause: error });
    return { name: error.name, attempts: error.$metadata.attempts, date: error.$response?.headers['date'] };
  };

  test('it has no Date, is not repeated, and leaves the clock of the client alone', async () => {
    twin = await openTwin('small');
    const eks = patient();
    expect(await refused(unknownCluster(eks))).toEqual({ name: 'ResourceNotFoundException', attempts: 1, date: undefined });
    expect(eks.config.systemClockOffset).toBe(0);
    eks.destroy();
  });

  test('nor is it after answers, whose Date is world time', async () => {
    twin = await openTwin('small', ['eks:access-denied@UpdateClusterVersion']);
    const eks = patient();
    await describeCluster(eks);
    expect(await refused(eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' })))).toMatchObject({ attempts: 1 });
    expect(await refused(unknownCluster(eks))).toMatchObject({ attempts: 1 });
    eks.destroy();
  });
});
