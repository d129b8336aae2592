/** Single steps of Karpenter's migration in a cluster: each looks first, changes once, and leaves alone what is not its own. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { MigrationActivities, NewObjects } from '../../../../activities/contract/karpenter-migration.ts';
import { createMigrationActivities } from '../../../../activities/karpenter/migration/index.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { putController, putDefinitions } from '../../../support/karpenter-migration-objects.ts';

const KUBELET = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';
const GUARD = 'eks-upgrade/a/b/prod/karpenter-migration@1.31';
const OF_FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'nodes', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };

let cluster: FakeKubernetes;
let migration: MigrationActivities;
const at = { cluster: CLUSTER };

beforeEach(() => {
  cluster = new FakeKubernetes();
  cluster.put('v1', 'nodes', { metadata: { name: 'system' } });
  migration = createMigrationActivities(depsOf(cluster));
});

const controller = (version: string): void => putController(cluster, version);

/** `storage`: the version that is stored. */
const definitions = (storage: 'v1beta1' | 'v1', storedVersions?: string[]): void =>
  putDefinitions(cluster, { served: ['v1beta1', 'v1'], storage, storedVersions });

const pools = (version: string): [string, string] => [`karpenter.sh/${version}`, 'nodepools'];
const pool = async (version: string, name = 'default') =>
  await cluster.get({ apiVersion: `karpenter.sh/${version}`, plural: 'nodepools', name });
const nodeClass = async (name = 'default') => await cluster.get({ apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name });

describe('the freeze of the step', () => {
  const spec = { disruption: { budgets: [{ nodes: '10%' }] } };

  test.each(['v1beta1', 'v1'] as const)('a budget of 0 for every reason in %s, once, and exactly as before afterwards', async (version) => {
    controller('0.37.7');
    definitions(version);
    cluster.put(...pools(version), { metadata: { name: 'default' }, spec });
    const before = await pool(version);
    expect(await migration.holdForMigration({ ...at, guard: GUARD })).toEqual({ byBudget: ['default'], byNode: [] });
    await migration.holdForMigration({ ...at, guard: GUARD });
    expect(cluster.patches).toHaveLength(1);
    expect((await pool(version))?.spec).toEqual({ disruption: { budgets: [{ nodes: '10%' }, { nodes: '0' }] } });
    expect(await migration.releaseMigrationHold({ ...at, guard: GUARD })).toEqual({
      restored: ['default'],
      changedByOthers: [],
      failed: [],
    });
    const after = await pool(version);
    expect([after?.spec, after?.metadata.annotations]).toEqual([before?.spec, before?.metadata.annotations]);
  });

  test('taken in v1beta1, given back in v1', async () => {
    controller('0.37.7');
    definitions('v1beta1');
    cluster.put(...pools('v1beta1'), { metadata: { name: 'default' }, spec });
    await migration.holdForMigration({ ...at, guard: GUARD });
    const held = await pool('v1beta1');
    definitions('v1', ['v1beta1', 'v1']);
    cluster.put(...pools('v1'), { metadata: { name: 'default', annotations: held?.metadata.annotations }, spec: held?.spec });
    expect((await migration.releaseMigrationHold({ ...at, guard: GUARD })).restored).toEqual(['default']);
    expect((await pool('v1'))?.spec).toEqual(spec);
  });

  test.each<[string, string, object]>([
    ['0.33 knows no budgets', 'v0.33.5', {}],
    ['a pool that Flux keeps as in Git', '0.37.7', OF_FLUX],
  ])('%s: its nodes are held, and exactly as before afterwards', async (_title, version, labels) => {
    controller(version);
    definitions('v1beta1');
    cluster.put(...pools('v1beta1'), { metadata: { name: 'default', labels: { ...labels } }, spec: {} });
    const node = (name: string, annotations: Record<string, string>) =>
      cluster.put('v1', 'nodes', { metadata: { name, labels: { 'karpenter.sh/nodepool': 'default' }, annotations } });
    node('plain', { a: 'b' });
    node('asked', { 'karpenter.sh/do-not-disrupt': 'true' });
    node('theirs', {
      'belay.dev/freeze-guard': 'another',
      'belay.dev/do-not-disrupt-before': 'null',
      'karpenter.sh/do-not-disrupt': 'true',
    });
    const all = () =>
      ['plain', 'asked', 'theirs'].map((name) => cluster.look({ apiVersion: 'v1', plural: 'nodes', name }).metadata.annotations);
    const before = all();
    expect(await migration.holdForMigration({ ...at, guard: GUARD })).toEqual({ byBudget: [], byNode: ['default'] });
    expect(all()[0]).toMatchObject({ 'karpenter.sh/do-not-disrupt': 'true', 'belay.dev/freeze-guard': GUARD });
    await migration.releaseMigrationHold({ ...at, guard: GUARD });
    expect(all()).toEqual(before);
  });

  test('no CRD of Karpenter’s: nothing is held, and nothing given back', async () => {
    expect(await migration.holdForMigration({ ...at, guard: GUARD })).toEqual({ byBudget: [], byNode: [] });
    expect(await migration.releaseMigrationHold({ ...at, guard: GUARD })).toEqual({ restored: [], changedByOthers: [], failed: [] });
  });

  test('a pool that goes away while budgets are given back is in no list', async () => {
    controller('0.37.7');
    definitions('v1');
    cluster.put(...pools('v1'), { metadata: { name: 'default' }, spec });
    await migration.holdForMigration({ ...at, guard: GUARD });
    cluster.beforePatch = ({ apiVersion, plural, name }) => cluster.remove({ apiVersion, plural, name });
    expect(await migration.releaseMigrationHold({ ...at, guard: GUARD })).toEqual({ restored: [], changedByOthers: [], failed: [] });
  });

  test('a pool that another run has frozen is left alone, before and after', async () => {
    controller('0.37.7');
    definitions('v1beta1');
    const annotations = { 'belay.dev/budgets-before': '{"budgets":null}', 'belay.dev/freeze-guard': 'another' };
    cluster.put(...pools('v1beta1'), { metadata: { name: 'default', annotations }, spec: {} });
    cluster.put('v1', 'nodes', { metadata: { name: 'a' } });
    expect(await migration.holdForMigration({ ...at, guard: GUARD })).toEqual({ byBudget: [], byNode: [] });
    await migration.releaseMigrationHold({ ...at, guard: GUARD });
    expect(cluster.patches).toEqual([]);
  });
});

describe('kubelet settings', () => {
  const settings = { maxPods: 42, clusterDNS: ['10.0.0.10'] };
  const annotated = (name: string, kubelet: object, labels = {}) =>
    cluster.put(...pools('v1'), {
      metadata: { name, labels, annotations: { [KUBELET]: JSON.stringify(kubelet) } },
      spec: { template: { spec: { nodeClassRef: { name: 'default' } } } },
    });
  const classWith = (spec: object, metadata: object = {}) =>
    cluster.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', { metadata: { name: 'default', ...metadata }, spec });

  test('to the class first, then the annotation goes; a second call changes nothing', async () => {
    annotated('a', settings);
    annotated('b', { clusterDNS: ['10.0.0.10'], maxPods: 42 });
    classWith({ role: 'node' });
    expect(await migration.moveKubelets(at)).toEqual({ moved: ['a', 'b'], asked: [], refused: [], old: [] });
    expect(cluster.patches.map(({ ref }) => `${ref.plural}/${ref.name}`)).toEqual(['ec2nodeclasses/default', 'nodepools/a', 'nodepools/b']);
    expect((await nodeClass())?.spec).toEqual({ role: 'node', kubelet: settings });
    expect((await pool('v1', 'a'))?.metadata.annotations).toBeUndefined();
    expect(await migration.moveKubelets(at)).toEqual({ moved: [], asked: [], refused: [], old: [] });
  });

  test('a class in Git is asked for; the annotation stays until the class has the same', async () => {
    annotated('a', settings, OF_FLUX);
    classWith({}, { labels: OF_FLUX, managedFields: [{ manager: 'kustomize-controller', apiVersion: 'karpenter.k8s.aws/v1beta1' }] });
    expect(await migration.moveKubelets(at)).toEqual({
      moved: [],
      asked: [`EC2NodeClass default (Flux): spec.kubelet ${JSON.stringify(settings)}`],
      refused: [],
      old: ['EC2NodeClass default (Flux writes it as karpenter.k8s.aws/v1beta1)'],
    });
    expect(cluster.patches).toEqual([]);
    classWith(
      { kubelet: settings },
      { labels: OF_FLUX, managedFields: [{ manager: 'kustomize-controller', apiVersion: 'karpenter.k8s.aws/v1' }] },
    );
    expect(await migration.moveKubelets(at)).toMatchObject({ moved: ['a'], asked: [], old: [] });
  });

  test('a class of a ResourceSet is asked for too', async () => {
    annotated('a', settings);
    const labels = { 'resourceset.fluxcd.controlplane.io/name': 'nodes', 'resourceset.fluxcd.controlplane.io/namespace': 'flux-system' };
    classWith({}, { labels, managedFields: [{ manager: 'flux-operator', apiVersion: 'karpenter.k8s.aws/v1beta1' }] });
    expect(await migration.moveKubelets(at)).toMatchObject({
      moved: [],
      asked: [expect.stringContaining('EC2NodeClass default (Flux): ')],
      old: ['EC2NodeClass default (Flux writes it as karpenter.k8s.aws/v1beta1)'],
    });
  });

  test('a class of Terraform’s typed resources is asked for too', async () => {
    annotated('a', settings);
    classWith({}, { managedFields: [{ manager: 'HashiCorp', apiVersion: 'karpenter.k8s.aws/v1beta1' }] });
    expect(await migration.moveKubelets(at)).toEqual({
      moved: [],
      asked: [`EC2NodeClass default (Terraform): spec.kubelet ${JSON.stringify(settings)}`],
      refused: [],
      old: ['EC2NodeClass default (Terraform writes it as karpenter.k8s.aws/v1beta1)'],
    });
  });

  test.each<[string, () => void, string]>([
    [
      'an annotation that is no JSON',
      () => cluster.put(...pools('v1'), { metadata: { name: 'a', annotations: { [KUBELET]: 'maxPods: 42' } }, spec: {} }),
      `its annotation ${KUBELET} cannot be read`,
    ],
    ['a class that is gone', () => annotated('a', settings), 'its EC2NodeClass does not exist'],
    [
      'a class with other settings',
      () => {
        annotated('a', settings);
        classWith({ kubelet: { maxPods: 110 } });
      },
      'EC2NodeClass default has other kubelet settings: give the pool a class of its own (belay migrate karpenter writes it); its nodes will drift',
    ],
  ])('%s: for its owners, and nothing is changed', async (_title, put, why) => {
    cluster.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', { metadata: { name: 'other' }, spec: {} });
    put();
    expect(await migration.moveKubelets(at)).toEqual({ moved: [], asked: [], refused: [`NodePool a: ${why}`], old: [] });
    expect(cluster.patches).toEqual([]);
  });

  test('pools that share a class and differ are for their owners: nothing is changed', async () => {
    annotated('a', settings);
    cluster.put(...pools('v1'), { metadata: { name: 'b' }, spec: { template: { spec: { nodeClassRef: { name: 'default' } } } } });
    classWith({});
    expect((await migration.moveKubelets(at)).refused).toEqual([
      'NodePool a: it shares EC2NodeClass default with b, which has other kubelet settings: give one of them a class of its own (belay migrate karpenter writes it); its nodes will drift',
    ]);
    expect(cluster.patches).toEqual([]);
  });
});

test('webhooks of 0.3x go only once 1.0 runs, and only those that nobody owns', async () => {
  const webhook = (name: string, metadata: object = {}) =>
    cluster.put('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', { metadata: { name, ...metadata } });
  webhook('validation.webhook.karpenter.sh');
  webhook('validation.webhook.config.karpenter.sh', {
    annotations: { 'meta.helm.sh/release-name': 'old', 'meta.helm.sh/release-namespace': 'karpenter' },
  });
  webhook('istiod-default-validator');
  controller('0.37.7');
  await expect(migration.removeOldWebhooks(at)).rejects.toThrow('the controller is 0.37.7, and still serves them');
  controller('1.0.14');
  expect(await migration.removeOldWebhooks(at)).toEqual({
    removed: ['ValidatingWebhookConfiguration validation.webhook.karpenter.sh'],
    kept: ['ValidatingWebhookConfiguration validation.webhook.config.karpenter.sh (Helm release karpenter/old)'],
  });
  expect(cluster.deleted).toEqual(['validatingwebhookconfigurations/validation.webhook.karpenter.sh']);
});

describe('stored versions', () => {
  test('every object is written anew, then the CRD says so; only where v1 is what is stored', async () => {
    definitions('v1', ['v1beta1', 'v1']);
    cluster.put(...pools('v1'), { metadata: { name: 'a' }, spec: {} });
    expect(await migration.storeAsV1(at)).toEqual({ rewritten: 1 });
    expect(cluster.patches.map(({ ref }) => [ref.plural, ref.name, ref.subresource])).toEqual([
      ['nodepools', 'a', undefined],
      ['customresourcedefinitions', 'nodepools.karpenter.sh', 'status'],
      ['customresourcedefinitions', 'nodeclaims.karpenter.sh', 'status'],
      ['customresourcedefinitions', 'ec2nodeclasses.karpenter.k8s.aws', 'status'],
    ]);
    await migration.storeAsV1(at);
    expect(cluster.patches).toHaveLength(4);
  });

  const touching = (type: 'Conflict' | 'AccessDenied'): void => {
    cluster.beforePatch = ({ plural }) => {
      if (plural === 'nodepools') throw failureOf(type, `patching nodepools a: ${type}`);
    };
  };

  test('somebody else writes an object meanwhile: it is stored as v1 by that', async () => {
    definitions('v1', ['v1beta1', 'v1']);
    cluster.put(...pools('v1'), { metadata: { name: 'a' }, spec: {} });
    touching('Conflict');
    expect(await migration.storeAsV1(at)).toEqual({ rewritten: 1 });
  });

  test('an object that may not be written: the CRD does not say that it is stored as v1', async () => {
    definitions('v1', ['v1beta1', 'v1']);
    cluster.put(...pools('v1'), { metadata: { name: 'a' }, spec: {} });
    touching('AccessDenied');
    await expect(migration.storeAsV1(at)).rejects.toMatchObject({ type: 'AccessDenied' });
    expect(cluster.patches).toEqual([]);
  });

  test('CRDs of before 1.0 are refused', async () => {
    definitions('v1beta1', ['v1beta1']);
    await expect(migration.storeAsV1(at)).rejects.toThrow('its storage version is v1beta1; install karpenter-crd of 1.0 first');
  });
});

test('expiry: which nodes 1.0 would drain by force, by pool', async () => {
  definitions('v1beta1');
  cluster.put(...pools('v1beta1'), { metadata: { name: 'default' }, spec: { disruption: { expireAfter: '24h' } } });
  cluster.put(...pools('v1beta1'), { metadata: { name: 'calm' }, spec: { disruption: { expireAfter: 'Never' } } });
  const claim = (name: string, poolName: string, hoursOld: number) =>
    cluster.put('karpenter.sh/v1beta1', 'nodeclaims', {
      metadata: {
        name,
        labels: { 'karpenter.sh/nodepool': poolName },
        creationTimestamp: new Date(Date.parse(cluster.serverDate() ?? new Date().toISOString()) - hoursOld * 3_600_000).toISOString(),
      },
    });
  claim('a', 'default', 30);
  claim('b', 'default', 10);
  claim('c', 'calm', 9000);
  expect(await migration.foreseeExpiry({ ...at, withinMs: 24 * 3_600_000 })).toEqual({
    pastCount: 1,
    soonCount: 1,
    lines: ['NodePool default (2 nodes, expireAfter 24h): 1 past it, 1 within 24 h of it'],
  });
});

describe('v1alpha5', () => {
  const provisioner = (name: string, metadata: object = {}) =>
    cluster.put('karpenter.sh/v1alpha5', 'provisioners', {
      metadata: { name, ...metadata },
      spec: { providerRef: { name: 'default' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
    });
  const template = (spec: object) => cluster.put('karpenter.k8s.aws/v1alpha1', 'awsnodetemplates', { metadata: { name: 'default' }, spec });
  const complete = { instanceProfile: 'nodes', subnetSelector: { a: 'b' }, securityGroupSelector: { a: 'b' } };

  test('successors beside the old objects, once; what Git has is asked for, what only owners know is a question', async () => {
    provisioner('default', { annotations: { 'meta.helm.sh/release-name': 'nodes' } });
    provisioner('kept', { labels: OF_FLUX });
    template(complete);
    expect(await migration.createNewObjects(at)).toEqual({
      created: ['EC2NodeClass default', 'NodePool default'],
      asked: ['NodePool kept (Flux has Provisioner kept)'],
      refused: [],
    });
    const made = await pool('v1beta1');
    expect(made).toMatchObject({
      spec: { template: { spec: { nodeClassRef: { kind: 'EC2NodeClass', name: 'default' }, taints: [{ key: 'gpu' }] } } },
    });
    expect(made?.metadata.annotations).toBeUndefined();
    expect((await migration.createNewObjects(at)).created).toEqual([]);
  });

  test.each<[string, 'Conflict' | 'InvalidRequest', NewObjects]>([
    ['is there by now: as wanted', 'Conflict', { created: ['EC2NodeClass default'], asked: [], refused: [] }],
    [
      'is refused: its owner is told',
      'InvalidRequest',
      { created: [], asked: [], refused: ['EC2NodeClass default: the server says InvalidRequest'] },
    ],
  ])('a successor that %s', async (_title, type, outcome) => {
    template(complete);
    cluster.create = async () => Promise.reject(failureOf(type, `the server says ${type}`));
    expect(await migration.createNewObjects(at)).toEqual(outcome);
  });

  test('successors that may not be created: the call fails', async () => {
    template(complete);
    cluster.create = async () => Promise.reject(failureOf('AccessDenied', 'the server says no'));
    await expect(migration.createNewObjects(at)).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test('a class whose role nobody has written', async () => {
    template({ subnetSelector: { a: 'b' }, securityGroupSelector: { a: 'b' } });
    const { created, refused } = await migration.createNewObjects(at);
    expect([created, refused]).toEqual([[], [expect.stringMatching(/^EC2NodeClass default: spec\.role is required/)]]);
  });

  test('the taint comes beside theirs, once, and goes alone', async () => {
    provisioner('default');
    const spec = () => cluster.look({ apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners', name: 'default' }).spec;
    await migration.taintProvisioners(at);
    await migration.taintProvisioners(at);
    expect(cluster.patches).toHaveLength(1);
    expect(spec()).toMatchObject({ taints: [{ key: 'gpu' }, { key: 'karpenter.sh/legacy', value: 'true', effect: 'NoSchedule' }] });
    expect(await migration.untaintProvisioners(at)).toEqual({ untainted: ['default'] });
    expect(spec()).toMatchObject({ taints: [{ key: 'gpu' }] });
  });

  test('nothing is deleted while Machines are left, unless people chose the cascade', async () => {
    provisioner('default');
    template(complete);
    cluster.put('karpenter.sh/v1alpha5', 'machines', { metadata: { name: 'default-x' } });
    await expect(migration.deleteAlphaObjects({ ...at, cascade: false })).rejects.toThrow(
      '1 Machines are left, and their nodes would go all at once',
    );
    expect(cluster.deleted).toEqual([]);
    expect(await migration.deleteAlphaObjects({ ...at, cascade: true })).toEqual({ deleted: ['Provisioner default'], asked: [] });
    cluster.remove({ apiVersion: 'karpenter.sh/v1alpha5', plural: 'machines', name: 'default-x' });
    expect(await migration.deleteAlphaObjects({ ...at, cascade: false })).toEqual({ deleted: ['AWSNodeTemplate default'], asked: [] });
  });
});
