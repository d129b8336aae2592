/** The namespace controller: a namespace that is deleted goes when all that is in it has gone: kubernetes/pkg/controller/namespace/deletion. */
import { isTerminating, kubeTime } from '../pods/pods.ts';
import type { KubeObject, ObjectStore, ResourceType } from '../store.ts';
import { typeKey } from '../types.ts';
import { keyed } from './keyed.ts';

/** World time after which it looks again at what is left. */
const AGAIN_MS = 1_000;

export const namespaces = keyed({
  name: 'namespaces',
  plural: 'namespaces',
  reconcile({ store, clock }, namespace) {
    if (!isTerminating(namespace) || !namespace.spec?.finalizers?.length) return undefined;
    const { name } = namespace.metadata;
    for (const { type, objects } of contents(store, name)) {
      for (const { metadata } of objects) {
        const object = store.get(typeKey(type), metadata.name, name);
        if (object && !isTerminating(object)) store.delete(typeKey(type), metadata.name, name);
      }
    }
    const left = contents(store, name);
    const at = kubeTime(clock.nowMs());
    store.update('namespaces', name, undefined, (copy) => {
      copy.status.conditions = conditionsOf(left, copy.status.conditions ?? [], at);
      if (left.length === 0) copy.spec = {};
    });
    return left.length === 0 ? undefined : clock.nowMs() + AGAIN_MS;
  },
});

interface Contents {
  type: ResourceType;
  objects: KubeObject[];
}

/** What is in a namespace, by type. */
function contents(store: ObjectStore, namespace: string): Contents[] {
  return store
    .types()
    .filter((type) => type.namespaced)
    .map((type) => ({ type, objects: store.list(typeKey(type), { namespace }) }))
    .filter(({ objects }) => objects.length > 0);
}

interface Condition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime: string;
  reason: string;
  message: string;
}

type Verdict = Omit<Condition, 'lastTransitionTime'>;

/** Five of them, of which the twin can only fail two; a status that stays keeps its time. */
function conditionsOf(left: readonly Contents[], before: readonly Condition[], at: string): Condition[] {
  const verdicts: Verdict[] = [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    contentRemaining(left),
    finalizersRemaining(left),
  ];
  return verdicts.map((verdict) => {
    const known = before.find(({ type }) => type === verdict.type);
    return { ...verdict, lastTransitionTime: known?.status === verdict.status ? known.lastTransitionTime : at };
  });
}

function contentRemaining(left: readonly Contents[]): Verdict {
  const type = 'NamespaceContentRemaining';
  if (left.length === 0) return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
  const counts = left.map(({ type: { plural, group }, objects }) => `${plural}.${group} has ${objects.length} resource instances`);
  return { type, status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${counts.toSorted().join(', ')}` };
}

function finalizersRemaining(left: readonly Contents[]): Verdict {
  const type = 'NamespaceFinalizersRemaining';
  const finalizers = left.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? []));
  if (finalizers.length === 0)
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' };
  const counts = [...Map.groupBy(finalizers, (name) => name)].map(([name, each]) => `${name} in ${each.length} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${counts.toSorted().join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
