/** Each kind of resource on the twin, with something changed beside the change: the activity that makes the change finds it. */
import { afterEach, describe, expect, test } from 'vitest';
import { createEksActivities } from '../../../../activities/eks/index.ts';
import { createSideEffectActivities } from '../../../../activities/clients/side-effects/compare-again.ts';
import { recordingSideEffects } from '../../../../activities/clients/side-effects/recorder.ts';
import { annotate, lookThenPatch } from '../../../../activities/kubernetes/objects/patch-object.ts';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import { restartWorkload } from '../../../../activities/kubernetes/objects/restart-rollout.ts';
import type { KubeObject, ResourceRef } from '../../../../activities/contract/ports.ts';
import type { SideEffect } from '../../../../domain/run/side-effects/side-effect.ts';
import { SIDE_EFFECTS } from '../../../../rehearsal/world/faults/side-effects.ts';
import { policy } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';
import { startTwin, type Twin } from '../../support/twin.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';

let twin: Twin;
afterEach(() => twin.close());

const paths = (effects: readonly SideEffect[]): string[] => effects.flatMap(({ differences }) => differences.map(({ path }) => path));

type Change = (twin: Twin) => Promise<SideEffect[]>;

/** Sends the update and watches it to its end, as two activities. */
const updateOf =
  (resource: 'cluster' | 'node-group' | 'add-on'): Change =>
  async ({ clients, ref, built: { world } }) => {
    const eks = createEksActivities(clients);
    if (resource === 'node-group') world.eks.cluster.version = '1.32';
    const to = resource === 'add-on' ? 'v1.11.4-eksbuild.2' : '1.32';
    const of = { cluster: ref, to, token: 'belay-1', notBefore: world.clock.now().toISOString() };
    const started =
      resource === 'cluster'
        ? await eks.startControlPlaneUpdate(of)
        : resource === 'node-group'
          ? await eks.startNodeGroupUpdate({ ...of, nodeGroup: 'default' })
          : await eks.startAddOnUpdate({ ...of, addOn: 'coredns' });
    const { before, updateId = '' } = started;
    const watched = resource === 'cluster' ? { kind: resource } : { kind: resource, name: resource === 'add-on' ? 'coredns' : 'default' };
    const { result, effects } = await recordingSideEffects('watch', () =>
      eks.awaitUpdate({
        cluster: ref,
        timing: QUICK,
        resource: watched,
        updateId,
        to,
        timeoutMs: 60_000,
        ...(before === undefined ? {} : { before }),
      }),
    );
    expect(result.status).toBe('Successful');
    return effects;
  };

const patchOf =
  (ref: ResourceRef, act?: (twin: Twin) => Promise<unknown>): Change =>
  async (of) => {
    const { kubernetes } = await of.clients.clusterPorts(of.ref);
    const mark = () => lookThenPatch<KubeObject>(kubernetes, ref, (seen) => annotate(seen, { 'belay.dev/test': '1' }));
    return (await recordingSideEffects('patch', () => act?.(of) ?? mark())).effects;
  };

const WEB = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop', name: 'web' };
const restartWeb = async ({ clients, ref }: Twin): Promise<void> => {
  const { kubernetes } = await clients.clusterPorts(ref);
  const web = await kubernetes.get(WEB);
  if (web === undefined) throw new Error('the scenario has shop/web');
  expect(await restartWorkload(kubernetes, WEB, web as never, '2025-04-29T08:00:00Z')).toBe(true);
};

const templateVersion: Change = async ({ clients, ref, built: { world } }) => {
  const { addTemplateVersion } = createRefreshActivities({ ...clients, policyOf: () => policy() });
  const template = world.eks.network.launchTemplates[0];
  if (template === undefined) throw new Error('the scenario has a launch template');
  const source = String(template.versions.at(-1)?.number);
  const input = { cluster: ref, templateId: template.id, source, image: 'ami-0123456789abcdef0', to: '1.32', token: 't-1' };
  return (await recordingSideEffects('version', () => addTemplateVersion(input))).effects;
};

const CHANGES: Record<string, { make: Change; finds: string; scenario?: string }> = {
  'cluster.endpointPublicAccess': { make: updateOf('cluster'), finds: 'resourcesVpcConfig.endpointPublicAccess' },
  'cluster.logging': { make: updateOf('cluster'), finds: 'logging.authenticator' },
  'cluster.deletionProtection': { make: updateOf('cluster'), finds: 'deletionProtection' },
  'node-group.labels': { make: updateOf('node-group'), finds: 'labels' },
  'node-group.maxSize': { make: updateOf('node-group'), finds: 'scalingConfig.maxSize' },
  'node-group.launchTemplate': { make: updateOf('node-group'), finds: 'launchTemplate' },
  'launch-template.userData': { make: templateVersion, finds: 'UserData', scenario: 'instance-refresh' },
  'add-on.serviceAccountRoleArn': { make: updateOf('add-on'), finds: 'serviceAccountRoleArn' },
  'add-on.configurationValues': { make: updateOf('add-on'), finds: 'configurationValues' },
  'namespace.labels': {
    make: patchOf({ apiVersion: 'v1', plural: 'namespaces', name: 'shop' }),
    finds: 'metadata.labels["pod-security.kubernetes.io/enforce"]',
  },
  'nodepool.limits': { make: patchOf({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' }), finds: 'spec.limits' },
  'ec2nodeclass.userData': {
    make: patchOf({ apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' }),
    finds: 'spec.userData',
  },
  'deployment.image': { make: patchOf(WEB, restartWeb), finds: 'spec.template.spec.containers[web].image' },
};

describe('with something changed beside it, a change is told', () => {
  test('every field of the fault has a change here', () => {
    expect(Object.keys(CHANGES).toSorted()).toEqual(SIDE_EFFECTS.toSorted());
    return startTwin('small').then((opened) => void (twin = opened));
  });

  test.each(Object.entries(CHANGES))('%s', async (field, { make, finds, scenario = 'small' }) => {
    twin = await startTwin(scenario, [`eks:side-effect=${field}`]);
    const effects = await make(twin);
    expect(paths(effects).some((path) => path.startsWith(finds))).toBe(true);
    // Nobody has put it back: looking again finds the same.
    const { lookAtSideEffects } = createSideEffectActivities(twin.clients);
    expect((await lookAtSideEffects({ cluster: twin.ref, effects })).effects).toEqual(effects);
  });

  test.each(Object.entries(CHANGES))('and without, nothing is: %s', async (_field, { make, scenario = 'small' }) => {
    twin = await startTwin(scenario);
    expect(await make(twin)).toEqual([]);
  });
});

test('F38: what puts it back has the name that EKS has for the cluster', async () => {
  twin = await startTwin({ ...small, cluster: { ...small.cluster, eksName: 'main' } }, ['eks:side-effect=cluster.endpointPublicAccess']);
  const effects = await updateOf('cluster')(twin);
  expect(effects[0]?.differences[0]?.putBack).toMatch(
    /^aws eks update-cluster-config --name main --region eu-central-1 --resources-vpc-config /,
  );
  const { lookAtSideEffects } = createSideEffectActivities(twin.clients);
  expect((await lookAtSideEffects({ cluster: twin.ref, effects })).effects).toEqual(effects);
});

test('RA1: an update that does not send the role stops at the difference', async () => {
  twin = await startTwin('small');
  const { world } = twin.built;
  const coredns = world.eks.addOns.find(({ name }) => name === 'coredns');
  if (coredns === undefined) throw new Error('the scenario has a coredns');
  coredns.serviceAccountRoleArn = 'arn:aws:iam::111122223333:role/dns';
  // As if it had not been sent: EKS resets it.
  world.journal.onMutation(({ operation }) => {
    if (operation === 'UpdateAddon') delete coredns.serviceAccountRoleArn;
  });
  const effects = await updateOf('add-on')(twin);
  expect(effects[0]?.differences).toMatchObject([
    { path: 'serviceAccountRoleArn', before: '"arn:aws:iam::111122223333:role/dns"', putBack: expect.stringContaining('role/dns') },
  ]);
  coredns.serviceAccountRoleArn = 'arn:aws:iam::111122223333:role/dns';
  const { lookAtSideEffects } = createSideEffectActivities(twin.clients);
  expect(await lookAtSideEffects({ cluster: twin.ref, effects })).toEqual({ effects: [] });
});

test('RA1: the right to pass the role again is named where it is missing, and without a role nobody needs it', async () => {
  twin = await startTwin('small');
  twin.grant({ aws: (action) => action !== 'iam:PassRole' });
  const coredns = twin.built.world.eks.addOns.find(({ name }) => name === 'coredns');
  if (coredns === undefined) throw new Error('the scenario has a coredns');
  coredns.serviceAccountRoleArn = 'arn:aws:iam::111122223333:role/dns';
  await expect(updateOf('add-on')(twin)).rejects.toThrow(/iam:PassRole/);
  delete coredns.serviceAccountRoleArn;
  expect(await updateOf('add-on')(twin)).toEqual([]);
});

test('what an attempt has found before it failed is told by the next one', async () => {
  twin = await startTwin('small', ['eks:side-effect=nodepool.limits']);
  const { kubernetes } = await twin.clients.clusterPorts(twin.ref);
  const pool = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
  const mark = () => lookThenPatch<KubeObject>(kubernetes, pool, (seen) => annotate(seen, { 'belay.dev/test': '1' }));
  const failed = recordingSideEffects('one', async () => {
    await mark();
    throw new Error('the next pool cannot be patched');
  });
  await expect(failed).rejects.toThrow('the next pool');
  expect(paths((await recordingSideEffects('one', mark)).effects)).toEqual(['spec.limits.cpu']);
  expect((await recordingSideEffects('one', mark)).effects).toEqual([]);
});
