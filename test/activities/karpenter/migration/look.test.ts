/** What people are told of a migration's way, and what is waited for on it: never done by what could not be read. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ListQuery } from '../../../../activities/contract/ports.ts';
import { createMigrationActivities } from '../../../../activities/karpenter/migration/index.ts';
import type { RoleClients } from '../../../../activities/karpenter/migration/iam-role.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { MigrationStepId } from '../../../../domain/plan/migration/checklist.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { putController, putDefinitions } from '../../../support/karpenter-migration-objects.ts';
import { condition } from '../../../support/kubernetes-objects.ts';

let cluster: FakeKubernetes;
beforeEach(() => {
  cluster = new FakeKubernetes();
  putDefinitions(cluster, { served: ['v1beta1'], storage: 'v1beta1' });
});

const controller = (version: string): void => putController(cluster, version);

function claim(name: string, nodeClassRef: object, conditions: object[] = []): void {
  cluster.put('karpenter.sh/v1beta1', 'nodeclaims', { metadata: { name }, spec: { nodeClassRef }, status: { conditions } });
}

function refuse(plural: string): void {
  const list = cluster.list.bind(cluster);
  cluster.list = async (query: ListQuery, keep) => {
    if (query.plural === plural) throw failureOf('AccessDenied', `listing ${plural}: forbidden`);
    return await list(query, keep);
  };
}

/** Objects of somebody’s Git and of nobody’s, and a workload, all in the older API’s words. */
function oldObjects(): void {
  const spec = { template: { spec: { nodeClassRef: { name: 'default' } } } };
  cluster.put('karpenter.sh/v1beta1', 'nodepools', { metadata: { name: 'ours' }, spec });
  cluster.put('karpenter.sh/v1beta1', 'nodepools', { metadata: { name: 'theirs', labels: { 'argocd.argoproj.io/instance': 'x' } }, spec });
  const template = { metadata: { annotations: { 'karpenter.sh/do-not-evict': 'true' } }, spec: {} };
  cluster.put('apps/v1', 'deployments', { metadata: { name: 'cart', namespace: 'shop' }, spec: { template } });
}

const look = (step: 'v1' | 'v1beta1' = 'v1', roles?: RoleClients) =>
  createMigrationActivities(depsOf(cluster), roles).readKarpenterMigration({ cluster: CLUSTER, step });

describe('a look', () => {
  test('objects of the older API, by who delivers them; claims that differ or lack what 1.1 needs', async () => {
    controller('0.37.7');
    oldObjects();
    claim('whole', { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' });
    claim('drifted', { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, [condition('Drifted')]);
    claim('kindless', { group: 'karpenter.k8s.aws', name: 'default' });
    claim('groupless', { kind: 'EC2NodeClass', name: 'default' });
    const { steps, ...seen } = await look();
    expect(seen).toEqual({
      controller: '0.37.7',
      delivered: ['NodePool theirs (argocd)'],
      workloads: ['Deployment shop/cart'],
      questions: [],
      unknowns: [],
      claimCount: 4,
      driftedCount: 1,
      incomplete: ['kindless', 'groupless'],
    });
    expect(steps.find(({ id }) => id === 'manifests')).toMatchObject({
      state: 'open',
      seen: '2 objects of Karpenter’s and 1 workload would be written otherwise: see below.',
    });
    expect(steps.find(({ id }) => id === 'patch')).toEqual({
      id: 'patch',
      title: 'The controller runs a patch from which, and back to which, the way to 1.0 leads',
      state: 'done',
      seen: '0.37.7 runs.',
    });
  });

  test('what may not be read is not taken for migrated', async () => {
    controller('0.37.7');
    refuse('pods');
    const { steps, unknowns } = await look();
    expect(steps.find(({ id }) => id === 'manifests')).toMatchObject({ state: 'unknown', seen: 'Not all objects could be read.' });
    expect(unknowns).toEqual(['Pods: not permitted: it needs list on pods (listing pods: forbidden)']);
  });

  test('no Karpenter: its version is unknown, and so is what its role may do', async () => {
    oldObjects();
    const unasked = () => {
      throw new Error('AWS is asked for nobody’s role');
    };
    const { steps, controller: version, iam, delivered } = await look('v1', { aws: unasked, account: unasked });
    expect(version).toBeUndefined();
    expect(iam).toEqual({ granted: 'unknown', lines: ['UNKNOWN there is no Karpenter whose role could be asked'] });
    expect(steps.find(({ id }) => id === 'controller')).toMatchObject({
      state: 'unknown',
      seen: 'No Deployment has the label app.kubernetes.io/name=karpenter.',
    });
    // Objects of the older API are looked for all the same.
    expect(delivered).toEqual(['NodePool theirs (argocd)']);
  });

  test('each way has its own steps', async () => {
    controller('0.31.4');
    const ids = async (step: 'v1' | 'v1beta1') => (await look(step)).steps.map(({ id }) => id);
    expect(await ids('v1')).not.toContain('old-objects');
    expect(await ids('v1beta1')).toContain('old-objects');
  });
});

describe('waiting for a step', () => {
  const wait = (until: MigrationStepId, options: { orBroken?: true; timeoutMs?: number } = {}) =>
    createMigrationActivities(depsOf(cluster)).awaitKarpenterMigration({
      cluster: CLUSTER,
      timing: quickTiming(),
      step: 'v1',
      until,
      timeoutMs: 10,
      ...options,
    });
  const WEBHOOK = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    plural: 'validatingwebhookconfigurations',
    name: 'validation.webhook.karpenter.sh',
  };

  test('ends once it is done; what it was last is told when time runs out', async () => {
    controller('1.0.14');
    cluster.put(WEBHOOK.apiVersion, WEBHOOK.plural, { metadata: { name: WEBHOOK.name } });
    expect(await wait('webhooks')).toEqual({
      timedOut: true,
      state: 'open',
      seen: 'There are still ValidatingWebhookConfiguration validation.webhook.karpenter.sh.',
      fix: 'Helm takes them away with the controller of 1.0; where it does not own them, delete them after that.',
    });
    setTimeout(() => cluster.remove(WEBHOOK), 10);
    expect(await wait('webhooks', { timeoutMs: 5_000 })).toEqual({ timedOut: false, state: 'done', seen: 'None is there.' });
  });

  test('manifests are waited for by the objects themselves', async () => {
    controller('0.37.7');
    oldObjects();
    expect(await wait('manifests')).toMatchObject({
      timedOut: true,
      state: 'open',
      seen: '2 objects of Karpenter’s and 1 workload would be written otherwise: see below.',
    });
  });

  test('one that is broken is no end, unless that is what is to be known', async () => {
    controller('0.37.7');
    for (const name of ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'])
      cluster.edit({ apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', name }, ({ spec }) =>
        (spec as { versions: object[] }).versions.push({ name: 'v1', served: true }),
      );
    expect(await wait('conversion')).toMatchObject({ timedOut: true, state: 'broken' });
    expect(await wait('conversion', { orBroken: true, timeoutMs: 5_000 })).toMatchObject({ timedOut: false, state: 'broken' });
  });

  test('a step that this way does not have is never done', async () => {
    controller('1.0.14');
    expect(await wait('nodes')).toEqual({ timedOut: true, state: 'unknown', seen: 'nothing was seen' });
  });
});
