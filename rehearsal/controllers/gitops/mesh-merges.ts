/** What people merge for a mesh that Git keeps: versions of its charts, an object for a new revision, its removal, labels of namespaces. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { patchOfIstio } from '../istio/revisions.ts';
import { type Delivering, type Git, isKept } from './git.ts';

const KINDS: readonly Delivering[] = ['helmreleases', 'applications'];

interface Kept {
  plural: Delivering;
  object: KubeObject;
}

/** Objects under a parent that deliver the chart. */
function keptOf(world: World, chart: string): Kept[] {
  return KINDS.flatMap((plural) =>
    world.store
      .list(plural)
      .filter((object) => isKept(object) && (object.spec.source?.chart ?? object.spec.chart?.spec?.chart) === chart)
      .map((object) => ({ plural, object })),
  );
}

/** Where the object has its values. */
function valuesIn({ spec }: KubeObject): Record<string, unknown> {
  if (spec.source === undefined) return (spec.values ??= {});
  spec.source.helm ??= {};
  return (spec.source.helm.valuesObject ??= {});
}

const revisionIn = ({ object }: Kept): unknown => valuesIn(structuredClone(object))['revision'];

/** An object for the revision, as the one that is asked for: a copy of one that is there, without its pinned image. false: Git has none. */
export function mergeRevision(world: World, git: Git, revision: string, version: string): boolean {
  const kept = keptOf(world, 'istiod');
  const [first] = kept;
  if (first === undefined) return false;
  if (kept.some((each) => revisionIn(each) === revision)) return true;
  const before = String(revisionIn(first));
  const { metadata, status: _status, ...copy } = structuredClone(first.object);
  delete copy['operation'];
  const { labels, annotations, namespace } = metadata;
  const finalizers = first.plural === 'applications' ? { finalizers: ['resources-finalizer.argocd.argoproj.io'] } : {};
  const object: KubeObject = {
    ...copy,
    metadata: { name: metadata.name.replace(before, revision), namespace, labels, annotations, ...finalizers },
  };
  const values = valuesIn(object);
  values['revision'] = revision;
  unpin(values);
  if (object.spec.source === undefined) {
    object.spec.chart.spec.version = patchOfIstio(version);
    if (object.spec.releaseName !== undefined) object.spec.releaseName = object.spec.releaseName.replace(before, revision);
  } else object.spec.source.targetRevision = patchOfIstio(version);
  git.add(world, first.plural, object);
  return true;
}

function unpin(values: Record<string, unknown>): void {
  const { tag: _tag, ...pilot } = (values['pilot'] ?? {}) as { tag?: string };
  if ('pilot' in values) values['pilot'] = pilot;
}

/** false: Git has no object for the revision. */
export function mergeRemoval(world: World, git: Git, revision: string): boolean {
  const found = keptOf(world, 'istiod').find((each) => revisionIn(each) === revision);
  if (found === undefined) return false;
  git.remove(world, found.plural, found.object);
  return true;
}

/** defaultRevision of a base that Git keeps. false: Git has none. */
export function mergeDefaultRevision(world: World, revision: string): boolean {
  const [base] = keptOf(world, 'base');
  if (base === undefined) return false;
  const { name, namespace } = base.object.metadata;
  world.store.update(base.plural, name, namespace, (copy) => void (valuesIn(copy)['defaultRevision'] = revision));
  return true;
}

/** The labels of a namespace, where they are declared or in the cluster. */
export function mergeLabels(world: World, git: Git, namespace: string, revision: string): void {
  const labels = { 'istio.io/rev': revision, 'istio-injection': null };
  if (git.label(world, namespace, labels)) return;
  world.store.update('namespaces', namespace, undefined, (copy) => {
    copy.metadata.labels = { ...copy.metadata.labels, 'istio.io/rev': revision };
    delete copy.metadata.labels['istio-injection'];
  });
}
