/** Add-ons, insights, Fargate profiles and capabilities as the real client sees them. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  DescribeAddonCommand,
  DescribeAddonConfigurationCommand,
  DescribeAddonVersionsCommand,
  DescribeCapabilityCommand,
  DescribeClusterCommand,
  DescribeFargateProfileCommand,
  DescribeUpdateCommand,
  ListCapabilitiesCommand,
  ListFargateProfilesCommand,
  ListInsightsCommand,
  ListUpdatesCommand,
  StartInsightsRefreshCommand,
  UpdateAddonCommand,
  type UpdateAddonCommandInput,
} from '@aws-sdk/client-eks';
import { MINUTE_MS, openTwin, type Twin } from '../../support.ts';
import { refusal } from './refusal.ts';

const clusterName = 'small';
const coredns = { clusterName, addonName: 'coredns' };
const NEXT = 'v1.11.4-eksbuild.2';
let twin: Twin;
afterEach(() => twin.close());

const update = (input: Partial<UpdateAddonCommandInput>): Promise<string> =>
  refusal(twin.eks.send(new UpdateAddonCommand({ ...coredns, addonVersion: NEXT, ...input })));
const addon = async () => (await twin.eks.send(new DescribeAddonCommand(coredns))).addon;
const live = () => twin.world.store.get('deployments', 'coredns', 'kube-system');

/** Somebody raises CoreDNS's memory and its replicas. */
function edit(): void {
  twin.world.store.update('deployments', 'coredns', 'kube-system', (copy) => {
    copy.spec.replicas = 3;
    copy.spec.template.spec.containers[0].resources.requests.memory = '256Mi';
  });
  twin.step(MINUTE_MS);
}

describe('live edits of an add-on', () => {
  test('NONE stops at them and names the fields', async () => {
    twin = await openTwin('small');
    edit();
    const { update: begun } = await twin.eks.send(new UpdateAddonCommand({ ...coredns, addonVersion: NEXT, resolveConflicts: 'NONE' }));
    twin.step(MINUTE_MS);
    const message = [
      'Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts:',
      'Deployment.apps coredns - .spec.replicas',
      'Deployment.apps coredns - .spec.template.spec.containers[name="coredns"].resources.requests.memory',
    ].join('\n');
    const ended = (await twin.eks.send(new DescribeUpdateCommand({ name: clusterName, addonName: 'coredns', updateId: begun?.id }))).update;
    expect([ended?.status, ended?.errors?.[0]?.errorCode, ended?.errors?.[0]?.errorMessage]).toEqual([
      'Failed',
      'ConfigurationConflict',
      message,
    ]);
    expect(await addon()).toMatchObject({
      status: 'UPDATE_FAILED',
      addonVersion: 'v1.11.3-eksbuild.1',
      health: { issues: [{ code: 'ConfigurationConflict' }] },
    });
  });

  test.each<[UpdateAddonCommandInput['resolveConflicts'], number, string]>([
    ['PRESERVE', 3, '256Mi'],
    ['OVERWRITE', 2, '64Mi'],
  ])('%s goes on', async (resolveConflicts, replicas, memory) => {
    twin = await openTwin('small');
    edit();
    expect(await update({ resolveConflicts })).toBe('accepted');
    twin.until('coredns is there', () => twin.world.eks.addOns[0]?.version === NEXT);
    const spec = live()?.spec;
    expect([spec.replicas, spec.template.spec.containers[0].resources.requests.memory]).toEqual([replicas, memory]);
    expect(await addon()).toMatchObject({ status: 'ACTIVE', health: { issues: [] } });
  });

  test('a restart is no conflict', async () => {
    twin = await openTwin('small');
    twin.world.store.update('deployments', 'coredns', 'kube-system', (copy) => {
      copy.spec.template.metadata.annotations = { 'kubectl.kubernetes.io/restartedAt': '2025-04-29T08:00:00Z' };
    });
    expect(await update({ resolveConflicts: 'NONE' })).toBe('accepted');
    twin.until('coredns is there', () => twin.world.eks.addOns[0]?.version === NEXT);
  });
});

test('configuration values are held to the add-on’s schema', async () => {
  twin = await openTwin('small');
  const { configurationSchema } = await twin.eks.send(
    new DescribeAddonConfigurationCommand({ addonName: 'coredns', addonVersion: 'v1.11.3-eksbuild.1' }),
  );
  const { $ref, definitions } = JSON.parse(configurationSchema ?? '{}');
  expect($ref).toBe('#/definitions/Coredns');
  expect(Object.keys(definitions.Coredns.properties)).toContain('replicaCount');
  expect(await update({ configurationValues: '{"podAnnotations":{}}' })).toBe(
    '400 InvalidParameterException: ConfigurationValue provided in request is not supported: Json schema validation failed with error: [$.podAnnotations: is not defined in the schema and the schema does not allow additional properties]',
  );
  expect(await update({ configurationValues: 'replicaCount: many' })).toBe(
    '400 InvalidParameterException: ConfigurationValue provided in request is not supported: Json schema validation failed with error: [$.replicaCount: string found, integer expected]',
  );
  expect(await update({ configurationValues: '{"replicaCount":2}' })).toBe('accepted');
  expect((await addon())?.configurationValues).toBe('{"replicaCount":2}');
});

test('an empty list of pod identity associations takes them away; none given leaves them', async () => {
  twin = await openTwin('small');
  const [own] = twin.world.eks.addOns;
  const settled = (): void => twin.until('coredns is settled', () => twin.world.eks.updates.every((u) => u.status === 'Successful'));
  await update({ podIdentityAssociations: [{ serviceAccount: 'coredns', roleArn: 'arn:aws:iam::111122223333:role/dns' }] });
  settled();
  expect((await addon())?.podIdentityAssociations).toHaveLength(1);
  await update({});
  settled();
  expect(own?.podIdentityAssociations).toHaveLength(1);
  await update({ podIdentityAssociations: [] });
  expect((await addon())?.podIdentityAssociations).toEqual([]);
});

test('RA1: an update without a role resets it, and one without a configuration keeps that', async () => {
  twin = await openTwin('small');
  const role = 'arn:aws:iam::111122223333:role/dns';
  const settled = (): void => twin.until('coredns is settled', () => twin.world.eks.updates.every((u) => u.status === 'Successful'));
  await update({ serviceAccountRoleArn: role, configurationValues: '{"replicaCount":2}' });
  settled();
  expect(await addon()).toMatchObject({ serviceAccountRoleArn: role, configurationValues: '{"replicaCount":2}' });
  await update({});
  settled();
  expect((await addon())?.serviceAccountRoleArn).toBeUndefined();
  expect((await addon())?.configurationValues).toBe('{"replicaCount":2}');
});

test('the VPC CNI may leave minors out: only Belay’s plan steps through them', async () => {
  twin = await openTwin('seed-000');
  const addOn = { clusterName: twin.world.eks.cluster.name, addonName: 'vpc-cni' };
  expect((await twin.eks.send(new DescribeAddonCommand(addOn))).addon?.addonVersion).toBe('v1.18.5-eksbuild.1');
  expect(await refusal(twin.eks.send(new UpdateAddonCommand({ ...addOn, addonVersion: 'v1.20.4-eksbuild.1' })))).toBe('accepted');
});

test('add-on versions are found by type, and an unknown add-on is refused', async () => {
  twin = await openTwin('small');
  const { addons } = await twin.eks.send(new DescribeAddonVersionsCommand({ types: ['storage'], kubernetesVersion: '1.31' }));
  expect(addons?.map((a) => [a.addonName, a.addonVersions?.[0]?.requiresIamPermissions])).toEqual([['aws-ebs-csi-driver', true]]);
  expect(await refusal(twin.eks.send(new DescribeAddonVersionsCommand({ addonName: 'x' })))).toBe(
    '404 ResourceNotFoundException: No addon versions found for addon: x',
  );
});

test('insights are refused for a category that is none', async () => {
  twin = await openTwin('small');
  const filter = { categories: ['COSTS' as 'MISCONFIGURATION'] };
  expect(await refusal(twin.eks.send(new ListInsightsCommand({ clusterName, filter })))).toBe(
    '400 InvalidParameterException: COSTS is not a valid value of categories.',
  );
});

test('the set-up of hybrid nodes is looked at where there are some', async () => {
  twin = await openTwin('readiness');
  const { eks } = twin.world;
  const cluster = { clusterName: eks.cluster.name };
  const verdicts = async () => {
    await twin.eks.send(new StartInsightsRefreshCommand(cluster));
    const before = eks.insights[0]?.lastRefreshMs;
    twin.until('insights are refreshed', () => eks.insights[0] !== undefined && eks.insights[0].lastRefreshMs !== before);
    const { insights } = await twin.eks.send(new ListInsightsCommand({ ...cluster, filter: { categories: ['MISCONFIGURATION'] } }));
    return insights?.map(({ insightStatus, kubernetesVersion }) => [insightStatus?.status, kubernetesVersion]);
  };
  expect(await verdicts()).toEqual([['ERROR', undefined]]);
  eks.cluster.remoteNodeNetworks = ['10.80.0.0/16'];
  expect(await verdicts()).toEqual([['PASSING', undefined]]);
  const { cluster: described } = await twin.eks.send(new DescribeClusterCommand({ name: eks.cluster.name }));
  expect(described?.remoteNetworkConfig).toEqual({ remoteNodeNetworks: [{ cidrs: ['10.80.0.0/16'] }] });
});

test('Fargate profiles and capabilities are listed and described', async () => {
  twin = await openTwin('small');
  const { eks } = twin.world;
  const createdAtMs = eks.cluster.createdAtMs;
  const podExecutionRoleArn = 'arn:aws:iam::111122223333:role/fargate';
  eks.fargateProfiles.push({
    name: 'batch',
    status: 'ACTIVE',
    podExecutionRoleArn,
    subnetIds: [],
    selectors: [{ namespace: 'batch' }],
    createdAtMs,
  });
  eks.capabilities.push({ name: 'argo', type: 'ARGOCD', status: 'ACTIVE', version: '3.1.8', roleArn: podExecutionRoleArn, createdAtMs });
  expect((await twin.eks.send(new ListFargateProfilesCommand({ clusterName }))).fargateProfileNames).toEqual(['batch']);
  const { fargateProfile } = await twin.eks.send(new DescribeFargateProfileCommand({ clusterName, fargateProfileName: 'batch' }));
  expect(fargateProfile).toMatchObject({ status: 'ACTIVE', selectors: [{ namespace: 'batch' }] });
  expect((await twin.eks.send(new ListCapabilitiesCommand({ clusterName }))).capabilities?.map((c) => c.capabilityName)).toEqual(['argo']);
  const { capability } = await twin.eks.send(new DescribeCapabilityCommand({ clusterName, capabilityName: 'argo' }));
  expect(capability).toMatchObject({ type: 'ARGOCD', version: '3.1.8' });
  expect((await twin.eks.send(new ListUpdatesCommand({ name: clusterName, capabilityName: 'argo' }))).updateIds).toEqual([]);
  expect(await refusal(twin.eks.send(new DescribeFargateProfileCommand({ clusterName, fargateProfileName: 'x' })))).toBe(
    '404 ResourceNotFoundException: No Fargate Profile found with name: x.',
  );
});
