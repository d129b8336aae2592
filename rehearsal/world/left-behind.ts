/** The twin's own difference of before and after: what a run changed for its own sake and did not put back. */
import { stableJson } from '../kubernetes/json.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import { typeKey } from '../kubernetes/types.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { World } from './world.ts';

export interface LeftBehind {
  kind:
    | 'budgets'
    | 'ami-selector'
    | 'annotation'
    | 'do-not-disrupt'
    | 'cordon'
    | 'replicas'
    | 'disruption-budget'
    | 'namespace-labels'
    | 'lifecycle-hook'
    | 'add-on-settings'
    | 'istio-part';
  /** As kubectl names it: nodepools/default, deployments/shop/cart. */
  resource: string;
  /** One sentence. */
  what: string;
  before?: string;
  after?: string;
}

/** Fields that no upgrade is meant to change, by resource. */
export interface Snapshot {
  fields: Map<string, { kind: LeftBehind['kind']; value: string }>;
  namespaceLabels: Map<string, Record<string, string>>;
  heldNodes: Set<string>;
  marked: Set<string>;
  hooks: Set<string>;
}

const MARK = 'belay.dev/';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

const nameOf = (plural: string, { metadata }: KubeObject): string =>
  metadata.namespace === undefined ? `${plural}/${metadata.name}` : `${plural}/${metadata.namespace}/${metadata.name}`;

/** What has to be equal again, with how to read it. */
const WATCHED: readonly { plural: string; kind: LeftBehind['kind']; read: (object: KubeObject) => unknown }[] = [
  { plural: 'nodepools', kind: 'budgets', read: (o) => o.spec?.disruption ?? null },
  { plural: 'ec2nodeclasses', kind: 'ami-selector', read: (o) => o.spec?.amiSelectorTerms ?? null },
  { plural: 'deployments', kind: 'replicas', read: (o) => o.spec?.replicas ?? null },
  { plural: 'statefulsets', kind: 'replicas', read: (o) => o.spec?.replicas ?? null },
  { plural: 'horizontalpodautoscalers', kind: 'replicas', read: (o) => o.spec?.minReplicas ?? null },
  { plural: 'poddisruptionbudgets', kind: 'disruption-budget', read: (o) => o.spec ?? null },
];

/** What somebody else changes meanwhile is how it should be in the end. */
export function absorb(before: Snapshot, world: World, act: (world: World) => void): void {
  const earlier = takeSnapshot(world).fields;
  act(world);
  for (const [name, field] of takeSnapshot(world).fields) if (earlier.get(name)?.value !== field.value) before.fields.set(name, field);
}

export function takeSnapshot(world: World): Snapshot {
  const { store } = world;
  const fields: Snapshot['fields'] = new Map(watchedFields(world).map(({ resource, kind, value }) => [resource, { kind, value }]));
  const held = store.list('nodes').filter((n) => n.metadata.annotations?.[DO_NOT_DISRUPT] !== undefined);
  return {
    fields,
    namespaceLabels: new Map(store.list('namespaces').map((n) => [n.metadata.name, { ...n.metadata.labels }])),
    heldNodes: new Set(held.map((n) => n.metadata.name)),
    marked: new Set(marks(world).map((m) => m.resource + m.key)),
    hooks: new Set(hooks(world)),
  };
}

/** Objects that are new or gone are no business of this list, but for halves of an Istio revision; nor are fields that are meant to change. */
export function leftBehind(world: World, before: Snapshot, { amiSelectors = {} }: Scenario['expectations']): LeftBehind[] {
  return [
    ...changedFields(world, before).filter(
      ({ kind, resource }) => kind !== 'ami-selector' || amiSelectors[resource.split('/')[1] ?? ''] === undefined,
    ),
    ...changedNamespaces(world, before),
    ...marksLeft(world, before),
    ...nodesLeft(world, before),
    ...istioParts(world),
    ...hooks(world)
      .filter((hook) => !before.hooks.has(hook))
      .map((hook) => ({ kind: 'lifecycle-hook' as const, resource: hook, what: 'the lifecycle hook was not there before' })),
  ];
}

/** Of one's own Auto Scaling groups: "batch/belay-drain". */
function hooks(world: World): string[] {
  return world.eks.network.autoScalingGroups.flatMap(({ name, hooks: some = [] }) => some.map((hook) => `${name}/${hook.name}`));
}

function watchedFields({ eks, store }: World): { resource: string; kind: LeftBehind['kind']; value: string }[] {
  return [
    ...WATCHED.flatMap(({ plural, kind, read }) =>
      store.list(plural).map((object) => ({ resource: nameOf(plural, object), kind, value: stableJson(read(object)) })),
    ),
    ...eks.addOns.map(({ name, serviceAccountRoleArn = null, configurationValues = null, podIdentityAssociations = [] }) => ({
      resource: `addons/${name}`,
      kind: 'add-on-settings' as const,
      value: stableJson({ serviceAccountRoleArn, configurationValues, podIdentityAssociations }),
    })),
  ];
}

function changedFields(world: World, before: Snapshot): LeftBehind[] {
  return watchedFields(world).flatMap(({ resource, kind, value: is }) => {
    const was = before.fields.get(resource);
    return was === undefined || was.value === is
      ? []
      : [{ kind, resource, what: `${kind} differ from before`, before: was.value, after: is }];
  });
}

/** The one change that is meant: the mesh's labels point at a revision that runs. */
function changedNamespaces(world: World, before: Snapshot): LeftBehind[] {
  const selectable = new Set(
    world.store
      .list('mutatingwebhookconfigurations')
      .flatMap((w) => [w.metadata.labels?.['istio.io/rev'], w.metadata.labels?.['istio.io/tag']]),
  );
  return world.store.list('namespaces').flatMap((namespace) => {
    const was = before.namespaceLabels.get(namespace.metadata.name);
    const is = namespace.metadata.labels ?? {};
    if (was === undefined) return [];
    const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => {
      if (was[key] === is[key]) return false;
      if (key === 'istio.io/rev') return !selectable.has(is[key]);
      return !(key === 'istio-injection' && is[key] === undefined && selectable.has(is['istio.io/rev']));
    });
    return changed.map((key) => ({
      kind: 'namespace-labels' as const,
      resource: nameOf('namespaces', namespace),
      what: `label ${key} differs from before`,
      before: was[key],
      after: is[key],
    }));
  });
}

/** Helm's records of releases say who made them: that is their purpose. */
function isNoRecord(object: KubeObject): boolean {
  return object['type'] !== 'helm.sh/release.v1';
}

function marks(world: World): { resource: string; key: string; value: string }[] {
  return world.store.types().flatMap((type) =>
    world.store
      .list(typeKey(type))
      .filter(isNoRecord)
      .flatMap((object) =>
        Object.entries({ ...object.metadata.labels, ...object.metadata.annotations })
          .filter(([key]) => key.startsWith(MARK))
          .map(([key, value]) => ({ resource: nameOf(type.plural, object), key, value })),
      ),
  );
}

function marksLeft(world: World, before: Snapshot): LeftBehind[] {
  return marks(world)
    .filter((m) => !before.marked.has(m.resource + m.key))
    .map(({ resource, key, value }) => ({ kind: 'annotation', resource, what: `${key} is still there`, after: value }));
}

function nodesLeft(world: World, before: Snapshot): LeftBehind[] {
  return world.store.list('nodes').flatMap((node) => {
    const resource = nameOf('nodes', node);
    const found: LeftBehind[] = [];
    if (node.spec?.unschedulable === true && node.metadata.deletionTimestamp === undefined) {
      found.push({ kind: 'cordon', resource, what: 'the node is still cordoned' });
    }
    if (node.metadata.annotations?.[DO_NOT_DISRUPT] !== undefined && !before.heldNodes.has(node.metadata.name)) {
      found.push({ kind: 'do-not-disrupt', resource, what: `${DO_NOT_DISRUPT} is still there` });
    }
    return found;
  });
}

/** Parts of a revision whose istiod is gone: a webhook among them stops pods from starting. */
function istioParts(world: World): LeftBehind[] {
  const running = new Set(world.store.list('deployments', { labels: { app: 'istiod' } }).map((d) => d.metadata.labels?.['istio.io/rev']));
  return ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'services', 'poddisruptionbudgets', 'configmaps'].flatMap(
    (plural) =>
      world.store.list(plural).flatMap((object) => {
        const revision = object.metadata.labels?.['istio.io/rev'];
        if (revision === undefined || running.has(revision)) return [];
        return [
          { kind: 'istio-part' as const, resource: nameOf(plural, object), what: `belongs to Istio revision ${revision}, which is gone` },
        ];
      }),
  );
}
