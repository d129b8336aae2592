import { afterEach, beforeEach, describe, expect, vi, test } from 'vitest';
import type { EKSClient } from '@aws-sdk/client-eks';
import { createEksActivities } from '../../../../activities/eks/index.ts';
import { failureType } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { type FakeEks, NOW_SECONDS, startFakeEks, update } from '../../support/fake-eks.ts';
import { QUICK } from '../../support/timing.ts';
import type { EksActivities } from '../../../../activities/contract/eks.ts';

const NOT_BEFORE = new Date(NOW_SECONDS * 1000).toISOString();
const EARLIER = NOW_SECONDS - 3600;

let eks: FakeEks;
let activities: EksActivities;

beforeEach(async () => {
  eks = await startFakeEks();
  activities = createEksActivities({
    aws: () => eks.aws,
    clusterPorts: () => Promise.reject(new Error('these tests have no Kubernetes')),
  });
});
afterEach(() => eks.close());

const controlPlane = { cluster: CLUSTER, to: '1.33', token: 'belay-token', notBefore: NOT_BEFORE };
const sent = (operation: string) => eks.requests.filter((request) => request.operation === operation);
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => failureType(error),
  );

describe('starting the control plane update', () => {
  test('sends the token of the workflow and never force', async () => {
    const started = await activities.startControlPlaneUpdate(controlPlane);
    expect(started).toMatchObject({ updateId: 'made-1', adopted: false, alreadyThere: false, before: { version: '1.32' } });
    expect(sent('UpdateClusterVersion')[0]?.body).toEqual({ version: '1.33', clientRequestToken: 'belay-token' });
  });

  test('force is sent when people asked for it', async () => {
    await activities.startControlPlaneUpdate({ ...controlPlane, force: true });
    expect(sent('UpdateClusterVersion')[0]?.body).toMatchObject({ force: true });
  });

  test('A1: adopts an update in progress to the same version instead of making one', async () => {
    eks.updates.push(update({ id: 'by-terraform', createdAt: EARLIER }));
    expect(await activities.startControlPlaneUpdate(controlPlane)).toEqual({
      updateId: 'by-terraform',
      adopted: true,
      alreadyThere: false,
    });
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test('adopts a successful update only when it began after the step did', async () => {
    eks.updates.push(update({ id: 'last-week', status: 'Successful', createdAt: EARLIER }));
    expect(await activities.startControlPlaneUpdate(controlPlane)).toMatchObject({ updateId: 'made-2', adopted: false });
    eks.updates = [update({ id: 'of-this-step', status: 'Successful' })];
    expect(await activities.startControlPlaneUpdate(controlPlane)).toMatchObject({ updateId: 'of-this-step', adopted: true });
  });

  test('a failed update is not adopted: a new one is made with the new token', async () => {
    eks.updates.push(update({ id: 'failed', status: 'Failed', token: 'belay-token' }));
    expect(await activities.startControlPlaneUpdate({ ...controlPlane, token: 'belay-round-2' })).toMatchObject({
      updateId: 'made-2',
      adopted: false,
    });
  });

  test('does nothing where the cluster is already there', async () => {
    eks.version = '1.33';
    expect(await activities.startControlPlaneUpdate(controlPlane)).toEqual({ adopted: false, alreadyThere: true });
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test.each(['1.32', '1.31', '1.34'])('A16: never sends %s from 1.32: a lower version would start a rollback', async (to) => {
    eks.version = to === '1.32' ? '1.33' : '1.32';
    expect(await outcomeOf(activities.startControlPlaneUpdate({ ...controlPlane, to }))).toBe('InvalidRequest');
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test('one minor back where just that is meant, and nothing else then', async () => {
    eks.version = '1.34';
    const back = { ...controlPlane, back: true } as const;
    expect(await activities.startControlPlaneUpdate(back)).toMatchObject({ updateId: 'made-1', adopted: false });
    expect(sent('UpdateClusterVersion')[0]?.body).toEqual({ version: '1.33', clientRequestToken: 'belay-token' });
    eks.updates = [];
    for (const version of ['1.32', '1.35']) {
      eks.version = version;
      expect(await outcomeOf(activities.startControlPlaneUpdate(back))).toBe('InvalidRequest');
    }
    expect(sent('UpdateClusterVersion')).toHaveLength(1);
  });

  test('a rollback that already runs is adopted', async () => {
    eks.version = '1.34';
    eks.updates.push({ ...update({ id: 'by-console', createdAt: EARLIER }), type: 'VersionRollback' });
    expect(await activities.startControlPlaneUpdate({ ...controlPlane, back: true })).toMatchObject({
      updateId: 'by-console',
      adopted: true,
    });
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test('a rollback that is being cancelled is neither adopted nor remembered: EKS is busy with it until it has ended', async () => {
    eks.version = '1.34';
    eks.updates.push({ ...update({ id: 'cancelling', status: 'Cancelling' }), type: 'VersionRollback' });
    expect(await outcomeOf(activities.startControlPlaneUpdate({ ...controlPlane, back: true }))).toBe('ResourceInUse');
    Object.assign(eks.updates[0] ?? {}, { status: 'Cancelled' });
    expect(await activities.startControlPlaneUpdate({ ...controlPlane, back: true })).toMatchObject({ updateId: 'made-2' });
  });

  test('A3 A4: a lost answer ends with the same update, made once', async () => {
    eks.faults = Array.from({ length: 3 }, () => ({ operation: 'UpdateClusterVersion', fault: 'lose' }));
    await expect(activities.startControlPlaneUpdate(controlPlane)).rejects.toMatchObject({ nonRetryable: false });
    const again = await activities.startControlPlaneUpdate(controlPlane);
    expect(again).toEqual({ updateId: 'made-1', adopted: true, alreadyThere: false });
    expect(eks.updates).toHaveLength(1);
    expect(new Set(sent('UpdateClusterVersion').map((request) => request.body['clientRequestToken']))).toEqual(new Set(['belay-token']));
  });

  test('A1: ResourceInUse by the wanted update, not yet listed at the first look, is adopted', async () => {
    eks.faults = [{ operation: 'UpdateClusterVersion', fault: 'ResourceInUseException' }];
    Object.defineProperty(eks, 'updates', {
      get: () => (sent('UpdateClusterVersion').length > 0 ? [update({ id: 'theirs' })] : []),
    });
    expect(await activities.startControlPlaneUpdate(controlPlane)).toMatchObject({
      updateId: 'theirs',
      adopted: true,
      alreadyThere: false,
    });
  });

  test('A2: another kind of update in progress is ResourceInUse, retryable, and named', async () => {
    eks.updates.push(update({ id: 'logs', type: 'LoggingUpdate', params: [] }));
    const failure = activities.startControlPlaneUpdate(controlPlane);
    await expect(failure).rejects.toMatchObject({ type: 'ResourceInUse', nonRetryable: false });
    await expect(failure).rejects.toThrow('EKS is busy with LoggingUpdate (logs)');
  });

  test('A10: readiness issues go to people, not to a retry', async () => {
    eks.faults = [{ operation: 'UpdateClusterVersion', fault: 'InvalidStateException' }];
    await expect(activities.startControlPlaneUpdate(controlPlane)).rejects.toMatchObject({ type: 'ReadinessIssues', nonRetryable: true });
  });

  test.each([
    ['UPDATING', 'ResourceInUse', 'it is UPDATING, and EKS lists no update yet'],
    ['CREATING', 'ResourceInUse', 'it is CREATING, and EKS lists no update yet'],
    ['DELETING', 'InvalidRequest', 'it is DELETING; repair it in EKS and retry'],
    ['FAILED', 'InvalidRequest', 'it is FAILED; repair it in EKS and retry'],
  ])('a cluster that is %s gets no update', async (status, type, why) => {
    eks.status = status;
    const start = activities.startControlPlaneUpdate(controlPlane);
    await expect(start).rejects.toMatchObject({ type, message: `starting the update of cluster prod to 1.33: ${why}` });
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test.each([
    [
      'an update of the version',
      'starting the update of cluster prod',
      (acts: EksActivities) => acts.startControlPlaneUpdate(controlPlane),
    ],
    [
      'logs',
      'switching on the logs api of prod',
      (acts: EksActivities) => acts.startLogging({ cluster: CLUSTER, types: ['api'], token: 'belay-token' }),
    ],
  ])('%s that EKS answers without an id cannot be followed: tried again', async (_title, doing, start) => {
    const send = async () => ({ update: {} });
    const aws = { ...eks.aws, writing: async () => ({ send }) as unknown as EKSClient };
    const acts = createEksActivities({ aws: () => aws, clusterPorts: () => Promise.reject(new Error('these tests have no Kubernetes')) });
    await expect(start(acts)).rejects.toMatchObject({ type: 'Unavailable', message: `${doing}: EKS answered without an update id` });
  });

  test('A14: a cluster of the same name in another account is never touched', async () => {
    eks.arn = `arn:aws:eks:${CLUSTER.region}:999900001111:cluster/prod`;
    await expect(activities.startControlPlaneUpdate(controlPlane)).rejects.toThrow('these AWS credentials lead to account 999900001111');
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });
});

describe('node groups and add-ons', () => {
  test('a node group is sent the version and the token', async () => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.32', status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' } };
    const started = await activities.startNodeGroupUpdate({ ...controlPlane, nodeGroup: 'workers' });
    expect(started).toMatchObject({ updateId: 'made-1', adopted: false });
    expect(sent('UpdateNodegroupVersion')[0]?.body).toEqual({ version: '1.33', clientRequestToken: 'belay-token' });
  });

  const back = { back: true } as const;

  test.each([
    ['that is newer', '1.34', {}],
    ['that is more than one minor newer, one minor back', '1.35', back],
    ['of which EKS says no version', '', {}],
  ])('a node group %s is sent nothing', async (_title, version, which) => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version, status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' } };
    await expect(activities.startNodeGroupUpdate({ ...controlPlane, nodeGroup: 'workers', ...which })).rejects.toMatchObject({
      type: 'InvalidRequest',
      message: `starting the update of node group workers to 1.33: it is at ${version}; plan again from there`,
    });
    expect(sent('UpdateNodegroupVersion')).toHaveLength(0);
  });

  test('a node group goes one minor back where just that is meant', async () => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.34', status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' } };
    expect(await activities.startNodeGroupUpdate({ ...controlPlane, nodeGroup: 'workers', ...back })).toMatchObject({ adopted: false });
    expect(sent('UpdateNodegroupVersion')[0]?.body).toMatchObject({ version: '1.33' });
  });

  test('RA14: a roll of a group to another launch template version is none of ours: it is waited for, and not adopted', async () => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.32', status: 'UPDATING', amiType: 'AL2023_x86_64_STANDARD' } };
    eks.updates.push(update({ id: 'by-console', params: [{ type: 'LaunchTemplateVersion', value: '8' }], of: 'nodegroup/workers' }));
    const start = activities.startNodeGroupUpdate({ ...controlPlane, nodeGroup: 'workers' });
    await expect(start).rejects.toMatchObject({ type: 'ResourceInUse', nonRetryable: false });
    await expect(start).rejects.toThrow('EKS is busy with VersionUpdate (by-console)');
    expect(sent('UpdateNodegroupVersion')).toHaveLength(0);
  });

  test.each([
    ['AL2023_x86_64_STANDARD', { adopted: false, timedOut: true }],
    ['CUSTOM', { adopted: true, updateId: 'by-terraform', timedOut: false }],
  ])('RA14: only a group with an image of its own moves by its launch template alone: %s', async (amiType, outcome) => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.32', status: 'UPDATING', amiType } };
    eks.updates.push(update({ id: 'by-terraform', params: [{ type: 'LaunchTemplateVersion', value: '8' }], of: 'nodegroup/workers' }));
    const resource = { kind: 'node-group', name: 'workers' } as const;
    const asked = { cluster: CLUSTER, timing: { ...QUICK, askTimeoutMs: 40 }, resource, to: '1.33', notBefore: NOT_BEFORE };
    expect(await activities.awaitForeignUpdate(asked)).toMatchObject(outcome);
  });

  test('A23: an add-on keeps live edits', async () => {
    eks.addOns = { coredns: { addonName: 'coredns', addonVersion: 'v1.11.4-eksbuild.2', status: 'ACTIVE' } };
    await activities.startAddOnUpdate({ ...controlPlane, addOn: 'coredns', to: 'v1.12.1-eksbuild.2' });
    expect(sent('UpdateAddon')[0]?.body).toEqual({
      addonVersion: 'v1.12.1-eksbuild.2',
      resolveConflicts: 'PRESERVE',
      clientRequestToken: 'belay-token',
    });
  });

  test('RA1: role and configuration of an add-on are sent again as they are described, and its pod identities are left alone', async () => {
    eks.addOns = {
      'aws-ebs-csi-driver': {
        addonName: 'aws-ebs-csi-driver',
        addonVersion: 'v1.37.0-eksbuild.1',
        status: 'ACTIVE',
        serviceAccountRoleArn: 'arn:aws:iam::111122223333:role/ebs-csi',
        configurationValues: '{"controller":{"logLevel":4}}',
        podIdentityAssociations: ['arn:aws:eks:eu-central-1:111122223333:podidentityassociation/prod/a-1'],
      },
    };
    await activities.startAddOnUpdate({ ...controlPlane, addOn: 'aws-ebs-csi-driver', to: 'v1.38.1-eksbuild.1' });
    expect(sent('UpdateAddon')[0]?.body).toEqual({
      addonVersion: 'v1.38.1-eksbuild.1',
      serviceAccountRoleArn: 'arn:aws:iam::111122223333:role/ebs-csi',
      configurationValues: '{"controller":{"logLevel":4}}',
      resolveConflicts: 'PRESERVE',
      clientRequestToken: 'belay-token',
    });
  });

  test('an update of an add-on that runs is adopted where it is to the same version, else named', async () => {
    eks.addOns = { coredns: { addonName: 'coredns', addonVersion: 'v1.11.4-eksbuild.2', status: 'UPDATING' } };
    eks.updates.push(
      update({
        id: 'by-atlantis',
        type: 'AddonUpdate',
        params: [{ type: 'AddonVersion', value: 'v1.12.1-eksbuild.2' }],
        of: 'addon/coredns',
      }),
    );
    const start = (to: string) => activities.startAddOnUpdate({ ...controlPlane, addOn: 'coredns', to });
    expect(await start('v1.12.1-eksbuild.2')).toEqual({ updateId: 'by-atlantis', adopted: true, alreadyThere: false });
    await expect(start('v1.13.2-eksbuild.1')).rejects.toThrow('EKS is busy with AddonUpdate to v1.12.1-eksbuild.2 (by-atlantis)');
    expect(sent('UpdateAddon')).toHaveLength(0);
  });

  test('an add-on that is gone while its update is followed is no success', async () => {
    const resource = { kind: 'add-on', name: 'coredns' } as const;
    const following = { cluster: CLUSTER, timing: QUICK, resource, updateId: 'gone', to: 'v1.12.1-eksbuild.2', timeoutMs: 30_000 };
    await expect(activities.awaitUpdate(following)).rejects.toMatchObject({
      type: 'NotFound',
      message: expect.stringContaining('EKS does not manage it'),
    });
  });

  test('an add-on that EKS does not manage is refused in words', async () => {
    await expect(activities.startAddOnUpdate({ ...controlPlane, addOn: 'coredns', to: 'v1' })).rejects.toThrow(
      'starting the update of add-on coredns: EKS does not manage it on prod; update its workload yourself',
    );
  });
});

describe('waiting for an update', () => {
  const waiting = {
    cluster: CLUSTER,
    timing: QUICK,
    resource: { kind: 'cluster' as const },
    updateId: 'u1',
    to: '1.33',
    timeoutMs: 30_000,
  };

  test('A9: Successful counts only when the cluster says the version too', async () => {
    eks.updates.push(update({ id: 'u1', status: 'Successful' }));
    setTimeout(() => (eks.version = '1.33'), 60);
    expect(await activities.awaitUpdate(waiting)).toEqual({ status: 'Successful', errors: [], createdAt: NOT_BEFORE });
    expect(eks.version).toBe('1.33');
  });

  test.each([
    ['says otherwise', 0, 'it is ACTIVE at 1.32'],
    ['cannot be read', 30, 'it cannot be read'],
  ])('A9: Successful, and the cluster %s for as long as EKS may take: not a success', async (_title, failures, seen) => {
    eks.updates.push(update({ id: 'u1', status: 'Successful' }));
    eks.faults = Array.from({ length: failures }, () => ({ operation: 'DescribeCluster', fault: 'ServerException' }));
    // The seconds that EKS may take are over at the first look.
    const realMs = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realMs() + (sent('DescribeCluster').length > 0 ? 11_000 : 0));
    const outcome = await activities.awaitUpdate(waiting).finally(() => clock.mockRestore());
    expect(outcome).toMatchObject({
      status: 'Failed',
      errors: [
        {
          code: 'NotAsReported',
          message: `EKS reports the update to 1.33 as Successful, but ${seen}: look at cluster prod in the EKS console before retrying.`,
        },
      ],
    });
  });

  test('A6: Failed comes with what to do', async () => {
    const errors = [{ errorCode: 'IpNotAvailable', errorMessage: 'No free IPs in subnet-1', resourceIds: ['subnet-1'] }];
    eks.updates.push(update({ id: 'u1', status: 'Failed', errors }));
    expect(await activities.awaitUpdate(waiting)).toMatchObject({
      status: 'Failed',
      errors: [
        {
          code: 'IpNotAvailable',
          message: 'The subnets have too few free addresses (EKS needs up to five). EKS says: No free IPs in subnet-1',
          resourceIds: ['subnet-1'],
        },
      ],
    });
  });

  test('A7 A8: Cancelled is not a success, time runs out, and an unknown id is told from one that has done its work', async () => {
    eks.updates.push(update({ id: 'u1', status: 'Cancelled' }));
    expect(await activities.awaitUpdate(waiting)).toMatchObject({ status: 'Cancelled' });
    eks.updates = [update({ id: 'u2' })];
    expect(await activities.awaitUpdate({ ...waiting, updateId: 'u2', timeoutMs: 30 })).toEqual({
      status: 'TimedOut',
      errors: [],
      issues: [],
    });
    expect(await activities.awaitUpdate({ ...waiting, updateId: 'gone' })).toEqual({ status: 'Vanished', errors: [] });
    eks.version = '1.33';
    expect(await activities.awaitUpdate({ ...waiting, updateId: 'gone' })).toEqual({ status: 'Successful', errors: [] });
  });

  test('Cancelling, or a status that nobody knows, is no end: it is followed until EKS says how it has ended', async () => {
    eks.updates.push(update({ id: 'u1', status: 'Cancelling' }));
    setTimeout(() => Object.assign(eks.updates[0] ?? {}, { status: 'Cancelled' }), 60);
    expect(await activities.awaitUpdate(waiting)).toMatchObject({ status: 'Cancelled' });
    eks.updates.push(update({ id: 'u2', status: 'Paused' }));
    expect(await activities.awaitUpdate({ ...waiting, updateId: 'u2', timeoutMs: 30 })).toMatchObject({ status: 'TimedOut' });
  });

  test('A5: throttling and server errors while polling are transient', async () => {
    eks.updates.push(update({ id: 'u1', status: 'Successful' }));
    eks.version = '1.33';
    eks.faults = Array.from({ length: 4 }, () => ({ operation: 'DescribeUpdate', fault: 'ServerException' }));
    expect(await activities.awaitUpdate(waiting)).toMatchObject({ status: 'Successful' });
  });
});

describe('waiting for somebody else (Terraform)', () => {
  const waiting = { cluster: CLUSTER, timing: QUICK, resource: { kind: 'cluster' as const }, to: '1.33', notBefore: NOT_BEFORE };

  test('A17: adopts the update as soon as EKS lists it and sends nothing', async () => {
    setTimeout(() => eks.updates.push(update({ id: 'by-atlantis' })), 50);
    expect(await activities.awaitForeignUpdate(waiting)).toEqual({
      updateId: 'by-atlantis',
      adopted: true,
      alreadyThere: false,
      timedOut: false,
    });
    expect(sent('UpdateClusterVersion')).toHaveLength(0);
  });

  test('one that has failed is followed too, so that people hear why and need not wait for a week', async () => {
    eks.updates.push(update({ id: 'failed', status: 'Failed' }));
    expect(await activities.awaitForeignUpdate(waiting)).toMatchObject({ updateId: 'failed', adopted: true, timedOut: false });
    const outcome = await activities.awaitUpdate({ ...waiting, updateId: 'failed', timeoutMs: 1_000 });
    expect(outcome.status).toBe('Failed');
  });

  test('a cluster that somebody has moved elsewhere is no longer waited for: to apply the old request there would take it back', async () => {
    eks.version = '1.34';
    await expect(activities.awaitForeignUpdate({ ...waiting, from: '1.32' })).rejects.toThrow(
      'waiting for somebody to update cluster prod to 1.33: it is at 1.34, not at 1.32. Do not apply 1.33; abort and plan again from there',
    );
    eks.version = '1.32';
    const patient = { ...waiting, from: '1.32', timing: { ...QUICK, askTimeoutMs: 40 } };
    expect(await activities.awaitForeignUpdate(patient)).toMatchObject({ timedOut: true });
  });

  test('an old success does not count, a cluster that is there does', async () => {
    eks.updates.push(update({ id: 'old', status: 'Successful', createdAt: EARLIER }));
    expect(await activities.awaitForeignUpdate({ ...waiting, timing: { ...QUICK, askTimeoutMs: 40 } })).toMatchObject({ timedOut: true });
    eks.version = '1.33';
    expect(await activities.awaitForeignUpdate(waiting)).toEqual({ adopted: false, alreadyThere: true, timedOut: false });
  });
});
