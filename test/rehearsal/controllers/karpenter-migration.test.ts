/** Karpenter's API on its way to v1 in the twin: what is served and stored, who converts, and what goes wrong in the wrong order. */
import { afterEach, describe, expect, test } from 'vitest';
import { CustomObjectsApi } from '@kubernetes/client-node';
import { serveKubernetes } from '../../../rehearsal/play/stage/cluster-side.ts';
import { KUBELET_ANNOTATION } from '../../../rehearsal/controllers/karpenter/migration/conversion.ts';
import { unmetByKarpenter } from '../../../rehearsal/controllers/karpenter/migration/migrated.ts';
import { conditionOf, isReady } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { seed003 } from '../../../rehearsal/scenarios/seeds/seed-003.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { configFor } from '../kubernetes/harness.ts';
import { MINUTE_MS, steppedWorld, stepUntil } from '../support.ts';

const HOUR_MS = 60 * MINUTE_MS;
const NAMES = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];

/** The platform team merges a version for a HelmRelease, and Flux delivers it, or fails. */
function merge(built: BuiltWorld, name: string, version: string): void {
  built.owners.handle({ component: 'karpenter', name, version, managedBy: 'flux' });
  const done = () =>
    built.world.store
      .get('helmreleases', name, 'flux-system')
      ?.status.history.some((h: { chartVersion: string }) => h.chartVersion === version);
  stepUntil(built, `${name} ${version} is delivered`, done);
  built.step(2 * MINUTE_MS);
}

function toPatch(built: BuiltWorld): void {
  merge(built, 'karpenter', '0.37.7');
  merge(built, 'karpenter-crd', '0.37.7');
}

function toOne(built: BuiltWorld): void {
  toPatch(built);
  merge(built, 'karpenter-crd', '1.0.14');
  merge(built, 'karpenter', '1.0.14');
}

const storedVersions = ({ world }: BuiltWorld): unknown[] =>
  NAMES.map((name) => world.store.get('customresourcedefinitions', name)?.status.storedVersions);
const claims = ({ world }: BuiltWorld): string[] => world.store.list('nodeclaims').map(({ metadata }) => metadata.name);
const told = ({ world }: BuiltWorld, what: RegExp): string[] => world.journal.events.map((e) => e.text).filter((text) => what.test(text));
const drifted = ({ world }: BuiltWorld): string[] =>
  world.store.list('nodeclaims').flatMap((claim) => conditionOf(claim, 'Drifted')?.reason ?? []);

let close = async (): Promise<void> => undefined;
afterEach(async () => await close());

async function pools(built: BuiltWorld) {
  const server = await serveKubernetes(built, 'human');
  close = () => server.close();
  const api = configFor(server, 'human').makeApiClient(CustomObjectsApi);
  const of = (version: string) => ({ group: 'karpenter.sh', version, plural: 'nodepools', name: 'default' });
  return {
    get: async (version: string) => await api.getClusterCustomObject(of(version)),
    list: async (version: string) => await api.listClusterCustomObject({ ...of(version) }),
    patch: async (version: string, body: object[]) => await api.patchClusterCustomObject({ ...of(version), body }),
  };
}

describe('before', () => {
  test('0.37.1 serves v1 and converts nothing: v1beta1 under another name', async () => {
    const { get } = await pools(steppedWorld(seed003));
    const [older, newer] = [await get('v1beta1'), await get('v1')];
    expect(older.spec.template.spec).toMatchObject({
      nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' },
      kubelet: { clusterDNS: ['172.20.0.10'], maxPods: 110 },
    });
    expect(older.spec.disruption).toEqual({ consolidationPolicy: 'WhenUnderutilized', expireAfter: '1440h', budgets: [{ nodes: '1' }] });
    expect(newer).toEqual({ ...older, apiVersion: 'karpenter.sh/v1' });
  });

  test('what has expired waits for budgets; from 1.0 on it goes at once', () => {
    const built = steppedWorld(seed003);
    built.world.store.update('nodepools', 'batch', undefined, ({ spec }) => void (spec.disruption.budgets = [{ nodes: '0' }]));
    toPatch(built);
    const [batch] = built.world.store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': 'batch' } });
    built.world.store.update('nodeclaims', batch?.metadata.name ?? '', undefined, ({ spec }) => void (spec.expireAfter = '144h30m'));
    const before = claims(built);
    built.step(HOUR_MS);
    expect(claims(built)).toEqual(before);
    merge(built, 'karpenter-crd', '1.0.14');
    merge(built, 'karpenter', '1.0.14');
    expect(told(built, /^Karpenter removes batch-.*expired/)).toHaveLength(1);
  });
});

describe('the patch with webhooks', () => {
  test('both versions are served, and converted', async () => {
    const built = steppedWorld(seed003);
    toPatch(built);
    const { get, patch } = await pools(built);
    const { metadata, spec } = await get('v1');
    expect(JSON.parse(metadata.annotations[KUBELET_ANNOTATION])).toEqual({ clusterDNS: ['172.20.0.10'], maxPods: 110 });
    expect(spec.template.spec).toMatchObject({
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      expireAfter: '1440h',
    });
    expect(spec.disruption).toEqual({ consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s', budgets: [{ nodes: '1' }] });
    expect(storedVersions(built)).toEqual([['v1beta1'], ['v1beta1'], ['v1beta1']]);
    // v1beta1 has no reasons: what is stored holds every one.
    await patch('v1', [{ op: 'add', path: '/spec/disruption/budgets/-', value: { nodes: '0', reasons: ['Drifted'] } }]);
    expect((await get('v1')).spec.disruption.budgets).toEqual([{ nodes: '1' }, { nodes: '0' }]);
  });

  test('without the Service nobody reads the other version', async () => {
    const built = steppedWorld(seed003);
    toPatch(built);
    built.world.store.delete('services', 'karpenter', 'kube-system');
    const { get, list } = await pools(built);
    expect((await get('v1beta1')).kind).toBe('NodePool');
    await expect(list('v1')).rejects.toMatchObject({
      code: 429,
      body: expect.stringContaining('storage is (re)initializing: failed to list karpenter.sh/v1, Kind=NodePool: conversion webhook for'),
    });
    await expect(get('v1')).rejects.toMatchObject({
      code: 500,
      body: expect.stringContaining(
        'conversion webhook for karpenter.sh/v1beta1, Kind=NodePool failed: Post \\"https://karpenter.kube-system.svc:8443/conversion/karpenter.sh?timeout=30s\\": service \\"karpenter\\" not found',
      ),
    });
  });
});

describe('1.0', () => {
  test('stores everything as v1 by itself, and replaces no node', () => {
    const built = steppedWorld(seed003);
    const before = claims(built);
    toOne(built);
    stepUntil(built, 'all is stored as v1', () => JSON.stringify(storedVersions(built)) === '[["v1"],["v1"],["v1"]]');
    expect([claims(built), drifted(built)]).toEqual([before, []]);
    expect(unmetByKarpenter(built.world, { since: '1.0.6', kubelet: { default: { clusterDNS: ['172.20.0.10'], maxPods: 110 } } })).toEqual([
      'kubelet settings stand in annotations of NodePool default',
      'EC2NodeClass default has not the kubelet settings that its nodes have',
    ]);
  });

  test('an annotation that goes before the settings have moved makes nodes drift; after them it does not', () => {
    const loseAnnotation = ({ world }: BuiltWorld) =>
      world.store.update('nodepools', 'default', undefined, ({ metadata }) => void delete metadata.annotations?.[KUBELET_ANNOTATION]);
    const careless = steppedWorld(seed003);
    toOne(careless);
    loseAnnotation(careless);
    stepUntil(careless, 'nodes drift', () => drifted(careless).includes('NodeClassDrift'));
    const careful = steppedWorld(seed003);
    toOne(careful);
    careful.owners.handle({ component: 'karpenter-manifests', name: 'karpenter', version: 'v1', managedBy: 'flux' });
    careful.step(3 * MINUTE_MS);
    loseAnnotation(careful);
    careful.step(5 * MINUTE_MS);
    expect(drifted(careful)).toEqual([]);
    expect(careful.world.store.get('nodepools', 'default')?.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'kustomize-controller', apiVersion: 'karpenter.sh/v1' }),
    );
  });
});

describe('in the wrong order', () => {
  test('the API server refuses the CRDs of 1.1 while objects may be stored as v1beta1, and Flux goes back', () => {
    const built = steppedWorld(seed003);
    toPatch(built);
    merge(built, 'karpenter-crd', '1.1.10');
    const release = built.world.store.get('helmreleases', 'karpenter-crd', 'flux-system')!;
    expect(conditionOf(release, 'Remediated')?.reason).toBe('RollbackSucceeded');
    expect(conditionOf(release, 'Ready')?.message).toContain(
      'status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions',
    );
    expect(storedVersions(built)[0]).toEqual(['v1beta1']);
  });

  test('a controller of 1.0 without its CRDs crashes until they are there', () => {
    const built = steppedWorld(seed003);
    built.world.store.update('customresourcedefinitions', 'nodepools.karpenter.sh', undefined, ({ spec }) => {
      spec.versions = spec.versions.filter(({ name }: { name: string }) => name !== 'v1');
    });
    built.owners.handle({ component: 'karpenter', name: 'karpenter', version: '1.0.14', managedBy: 'flux' });
    stepUntil(built, 'a pod crashes', () => told(built, /crashes: no matches for kind "NodePool" in version "v1"/).length > 0);
    built.step(5 * MINUTE_MS);
    const pods = built.world.store.list('pods', { labels: { 'app.kubernetes.io/name': 'karpenter' } });
    expect(pods.filter((pod) => isReady(pod) && pod.spec.containers[0].image.endsWith(':1.0.14'))).toEqual([]);
  });
});
