/** Entries of managedFields where no client writes: by the marks of deliverers, and by the controllers of the twin. What clients get is in test/contract. */
import { expect, test } from 'vitest';
import { labelKeeper } from '../../../activities/istio/mesh/namespace-keepers.ts';
import { deliveredBy } from '../../../activities/kubernetes/gitops/owner-marks.ts';
import { createObjectStore } from '../../../rehearsal/kubernetes/object-store.ts';
import type { FieldWriter, KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { WORLD_START } from './harness.ts';

const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const BELAY: FieldWriter = { manager: 'belay', operation: 'Update', apiVersion: 'v1' };

const store = () => createObjectStore({ now: () => new Date(WORLD_START) });
const pool = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default', labels },
  spec: { disruption: { budgets: [{ nodes: '10%' }] }, weight: 1 },
});
const space = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', labels: { ...FLUX, ...labels } },
});

/** "kustomize-controller Apply": its fields. */
function owned(object: KubeObject | undefined): Record<string, unknown> {
  const entries = object?.metadata.managedFields;
  if (!Array.isArray(entries)) return {};
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource = '', fieldsV1 }) => [`${manager} ${operation} ${subresource}`.trim(), fieldsV1]),
  );
}

test('what controllers make has none, and gets none by an update', () => {
  const kept = store();
  kept.create('nodepools', pool({}));
  kept.update('nodepools', 'default', undefined, ({ spec }) => void (spec.weight = 2), BELAY);
  expect(kept.get('nodepools', 'default')?.metadata.managedFields).toBeUndefined();
});

test('what Flux delivers is applied by it; who changes a field takes it, and Flux takes it back', () => {
  const kept = store();
  kept.create('nodepools', pool(FLUX));
  const budgets = { 'f:budgets': {} };
  const labels = { 'f:kustomize.toolkit.fluxcd.io/name': {}, 'f:kustomize.toolkit.fluxcd.io/namespace': {} };
  const whole = { 'f:metadata': { 'f:labels': labels }, 'f:spec': { 'f:disruption': budgets, 'f:weight': {} } };
  expect(owned(kept.get('nodepools', 'default'))).toEqual({ 'kustomize-controller Apply': whole });
  const set = (nodes: string, writer?: FieldWriter): KubeObject =>
    kept.update('nodepools', 'default', undefined, ({ spec }) => void (spec.disruption.budgets = [{ nodes }]), writer);
  expect(owned(set('0', BELAY))).toEqual({
    'kustomize-controller Apply': { ...whole, 'f:spec': { 'f:weight': {} } },
    'belay Update': { 'f:spec': { 'f:disruption': budgets } },
  });
  expect(owned(set('10%'))).toEqual({ 'kustomize-controller Apply': whole });
});

test('status and marks of a controller are its own', () => {
  const kept = store();
  kept.create('nodepools', pool(FLUX));
  const changed = kept.update('nodepools', 'default', undefined, (copy) => {
    copy.metadata.annotations = { 'karpenter.sh/nodepool-hash': '1' };
    copy.status = { nodes: 1 };
  });
  expect(owned(changed)).toMatchObject({
    'karpenter Update status': {
      'f:metadata': { 'f:annotations': { 'f:karpenter.sh/nodepool-hash': {} } },
      'f:status': { '.': {}, 'f:nodes': {} },
    },
  });
});

test('lists of a custom type are owned as its schema says', () => {
  const kept = store();
  const items = { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } } };
  const listeners = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items };
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { listeners } } } };
  const gateway = {
    apiVersion: 'networking.istio.io/v1',
    kind: 'Gateway',
    metadata: { name: 'in' },
    spec: { listeners: [{ name: 'web', port: 80 }] },
  };
  const writer: FieldWriter = { ...BELAY, apiVersion: 'networking.istio.io/v1', schema };
  const item = { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:port': {} } };
  expect(owned(kept.create('gateways.networking.istio.io', gateway, writer))).toEqual({
    'belay Update': { 'f:spec': { '.': {}, 'f:listeners': { '.': {}, ...item } } },
  });
});

test.each([
  { declares: 'istio.io/rev', isKept: true },
  { declares: 'team', isKept: false },
])('Flux applies the label $declares: a label of Istio that somebody puts there is kept by it: $isKept', ({ declares, isKept }) => {
  const kept = store();
  kept.create('namespaces', space({ [declares]: '1-30' }));
  const label = ({ metadata }: KubeObject): void => void (metadata.labels = { 'istio.io/rev': '1-30', ...metadata.labels });
  const labelled = kept.update('namespaces', 'shop', undefined, label, { ...BELAY, manager: 'kubectl-label' });
  const seen = JSON.parse(JSON.stringify(labelled));
  expect(deliveredBy(seen.metadata)).toBe('flux');
  expect(labelKeeper(seen) !== undefined).toBe(isKept);
});
