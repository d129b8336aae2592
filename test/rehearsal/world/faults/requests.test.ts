/** Faults of requests as real clients see them: AWS SDK against the AWS stand-in. */
import { DescribeClusterCommand, DescribeUpdateCommand, ListNodegroupsCommand, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { afterEach, describe, expect, test } from 'vitest';
import { openTwin, type Twin } from '../../support.ts';

let twin: Twin;
afterEach(() => twin.close());

const describeCluster = () => twin.eks.send(new DescribeClusterCommand({ name: 'small' }));
const update = (token: string) =>
  twin.eks.send(new UpdateClusterVersionCommand({ name: 'small', version: '1.32', clientRequestToken: token }));
const records = () =>
  twin.world.faults.records.map(({ fault, since, struck }) => `${fault} ${since === undefined ? 'waits' : 'began'} ${struck}`);

describe('a fault', () => {
  test('waits for its moment, strikes as often as asked, and is over', async () => {
    twin = await openTwin('small', ['eks:throttle=2@UpdateClusterVersion']);
    await describeCluster();
    expect(records()).toEqual(['eks:throttle=2@UpdateClusterVersion waits 0']);
    await expect(update('t-1')).rejects.toMatchObject({ name: 'ThrottlingException', message: 'Rate exceeded' });
    await expect(describeCluster()).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect((await update('t-1')).update?.status).toBe('InProgress');
    expect(records()).toEqual(['eks:throttle=2@UpdateClusterVersion began 2']);
  });

  test('that lasts for a time ends in world time', async () => {
    twin = await openTwin('small', ['eks:throttle=5m']);
    await expect(describeCluster()).rejects.toMatchObject({ name: 'ThrottlingException' });
    twin.step(5 * 60_000);
    expect((await describeCluster()).cluster?.status).toBe('ACTIVE');
  });

  test('at a phase hits the request that the phase begins with', async () => {
    twin = await openTwin('small', ['eks:access-denied@control-plane']);
    await expect(update('t-1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect((await update('t-1')).update?.status).toBe('InProgress');
  });
});

test('A3: a lost answer: the update is made, and the same token brings it', async () => {
  twin = await openTwin('small', ['eks:lost-response']);
  await expect(update('t-1')).rejects.toThrow('socket hang up');
  expect(twin.world.journal.mutations.filter(({ accepted }) => accepted)).toHaveLength(1);
  const { update: again } = await update('t-1');
  expect(again?.id).toBe(twin.world.eks.updates[0]?.id);
  expect(twin.world.eks.updates).toHaveLength(1);
});

test('A9: Successful, while the cluster is UPDATING at its old version for a minute', async () => {
  twin = await openTwin('small', ['eks:not-active=1m']);
  const { update: begun } = await update('t-1');
  const ended = () => twin.world.eks.updates[0]?.status === 'Successful';
  twin.until('EKS says Successful', ended);
  const { update: seen } = await twin.eks.send(new DescribeUpdateCommand({ name: 'small', updateId: begun?.id }));
  expect(seen?.status).toBe('Successful');
  expect((await describeCluster()).cluster).toMatchObject({ version: '1.31', status: 'UPDATING' });
  twin.step(60_000);
  expect((await describeCluster()).cluster).toMatchObject({ version: '1.32', status: 'ACTIVE' });
});

test('A1: somebody else was faster: the request is refused with the id of the running update', async () => {
  twin = await openTwin('small', ['eks:foreign-update']);
  const refusal = await update('t-1').catch((error: Error) => `${error.name}: ${error.message}`);
  const [running] = twin.world.eks.updates;
  expect(refusal).toBe(
    `ResourceInUseException: Cannot VersionUpdate because cluster small currently has update ${running?.id} in progress`,
  );
});

test('a stale apply of Terraform after the upgrade: EKS takes the control plane back', async () => {
  twin = await openTwin('small', ['terraform:stale-apply@ListNodegroups']);
  await update('t-1');
  twin.until('EKS says Successful', () => twin.world.eks.updates[0]?.status === 'Successful');
  await twin.eks.send(new ListNodegroupsCommand({ clusterName: 'small' }));
  expect(twin.world.eks.updates.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'VersionUpdate Successful',
    'VersionRollback InProgress',
  ]);
  twin.until('it is back', () => twin.world.eks.updates[1]?.status === 'Successful');
  expect((await describeCluster()).cluster).toMatchObject({ version: '1.31', status: 'ACTIVE' });
});

test('a stale apply before the upgrade has nothing to change', async () => {
  twin = await openTwin('small', ['terraform:stale-apply@ListNodegroups']);
  await twin.eks.send(new ListNodegroupsCommand({ clusterName: 'small' }));
  expect(twin.world.eks.updates).toEqual([]);
});

test('A7: cancelled from outside: the cluster is as before', async () => {
  twin = await openTwin('small', ['eks:update-cancelled']);
  await update('t-1');
  twin.until('it has ended', () => twin.world.eks.updates[0]?.status === 'Cancelled');
  expect((await describeCluster()).cluster).toMatchObject({ version: '1.31', status: 'ACTIVE' });
});
