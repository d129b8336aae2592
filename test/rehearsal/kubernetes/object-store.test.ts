/** The object store: versions, generations, finalizers, garbage collection, and watch events. */
import { describe, expect, test } from 'vitest';
import { createObjectStore, type PodAdmission } from '../../../rehearsal/kubernetes/object-store.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';

const now = () => new Date('2026-03-02T09:00:00.500Z');

function nodePool(name: string): KubeObject {
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name }, spec: { weight: 1 } };
}

function pod(name: string, extra: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { app: name } },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
    ...extra,
  };
}

describe('object store', () => {
  test('stamps uid, creation time and version, and answers with what it stored', () => {
    const store = createObjectStore({ now });
    const created = store.create('nodepools', nodePool('default'));
    expect(created.metadata).toMatchObject({ name: 'default', generation: 1, creationTimestamp: '2026-03-02T09:00:00Z' });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.metadata.resourceVersion).toBe(String(store.resourceVersion()));
    expect(store.get('nodepools', 'default')).toBe(created);
    expect(() => store.create('nodepools', nodePool('default'))).toThrow('nodepools.karpenter.sh "default" already exists');
  });

  test('a spec change bumps the generation, status and labels do not, no change is no event', () => {
    const store = createObjectStore({ now });
    store.create('nodepools', nodePool('default'));
    const events: string[] = [];
    store.watch((event) => events.push(`${event.type} ${event.plural} ${event.object.metadata.name}`));
    expect(store.update('nodepools', 'default', undefined, (copy) => void (copy.spec.weight = 2)).metadata.generation).toBe(2);
    expect(store.update('nodepools', 'default', undefined, (copy) => void (copy.status = { nodes: 1 })).metadata.generation).toBe(2);
    const before = store.resourceVersion();
    store.update('nodepools', 'default', undefined, (copy) => void (copy.spec.weight = 2));
    expect(store.resourceVersion()).toBe(before);
    expect(events).toEqual(['MODIFIED nodepools default', 'MODIFIED nodepools default']);
    expect(() => store.update('nodepools', 'gone', undefined, () => {})).toThrow('nodepools.karpenter.sh "gone" not found');
  });

  test('finalizers hold an object until the last one is taken away', () => {
    const store = createObjectStore({ now });
    store.create('nodeclaims', {
      ...nodePool('claim-1'),
      kind: 'NodeClaim',
      metadata: { name: 'claim-1', finalizers: ['karpenter.sh/termination'] },
    });
    const events: string[] = [];
    store.watch((event) => events.push(event.type));
    store.delete('nodeclaims', 'claim-1');
    expect(store.get('nodeclaims', 'claim-1')?.metadata.deletionTimestamp).toBe('2026-03-02T09:00:00Z');
    store.update('nodeclaims', 'claim-1', undefined, (copy) => void (copy.metadata.finalizers = []));
    expect(store.get('nodeclaims', 'claim-1')).toBeUndefined();
    expect(events).toEqual(['MODIFIED', 'DELETED']);
  });

  test('what an object owned goes with it, over generations, unless another owner is left', () => {
    const store = createObjectStore({ now });
    const first = store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' } });
    const second = store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'second' } });
    const owner = (of: KubeObject) => ({ apiVersion: of.apiVersion, kind: of.kind, name: of.metadata.name, uid: of.metadata.uid ?? '' });
    const child = store.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'child', ownerReferences: [owner(first)] },
    });
    store.create('pods', pod('grandchild', { metadata: { name: 'grandchild', namespace: 'default', ownerReferences: [owner(child)] } }));
    store.create(
      'pods',
      pod('shared', { metadata: { name: 'shared', namespace: 'default', ownerReferences: [owner(first), owner(second)] } }),
    );
    store.delete('configmaps', 'first', 'default');
    expect(store.list('configmaps', { namespace: 'default' }).map((object) => object.metadata.name)).toEqual(['second']);
    expect(store.list('pods').map((object) => object.metadata.name)).toEqual(['shared']);
  });

  test('a pod on a node ends gracefully; without a node, or with no grace, at once', () => {
    const store = createObjectStore({ now });
    store.create('pods', pod('free'));
    store.create('pods', pod('bound', { spec: { nodeName: 'node-1', containers: [] } }));
    store.delete('pods', 'free', 'shop');
    store.delete('pods', 'bound', 'shop');
    expect(store.list('pods').map((object) => [object.metadata.name, object.metadata.deletionTimestamp])).toEqual([
      ['bound', '2026-03-02T09:00:30Z'],
    ]);
    store.delete('pods', 'bound', 'shop', { gracePeriodSeconds: 0 });
    expect(store.list('pods')).toEqual([]);
  });

  test('an admission function registered later sees pods created after it', () => {
    const admission: PodAdmission[] = [];
    const store = createObjectStore({ now, admission });
    store.create('pods', pod('before'));
    admission.push((created) => void (created.metadata.annotations = { injected: 'yes' }));
    store.create('pods', pod('after'));
    expect(store.list('pods').map((object) => object.metadata.annotations?.injected)).toEqual([undefined, 'yes']);
  });

  test('a CustomResourceDefinition brings its type; a namespace takes all in it with it', () => {
    const store = createObjectStore({ now });
    expect(store.type('widgets')).toBeUndefined();
    store.create('customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          { name: 'v1beta1', served: true },
          { name: 'v1', served: true, storage: true },
        ],
      },
    });
    expect(store.type('widgets', 'example.com')).toMatchObject({ version: 'v1', kind: 'Widget', namespaced: true });
    store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    store.create('widgets', { apiVersion: '', kind: '', metadata: { name: 'one', namespace: 'shop' } });
    expect(store.list('widgets', { namespace: 'shop' })[0]?.apiVersion).toBe('example.com/v1');
  });

  test('events come in order of their versions even when a listener changes the store', () => {
    const store = createObjectStore({ now });
    const versions: number[] = [];
    store.watch((event) => {
      if (event.type === 'ADDED') store.update('nodepools', 'default', undefined, (copy) => void (copy.status = { seen: true }));
    });
    store.watch((event) => versions.push(event.resourceVersion));
    store.create('nodepools', nodePool('default'));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(versions).toHaveLength(2);
  });
});
