/** The API server's own admission of what comes over the wire: what it refuses, and what it adds to objects. */
import { rememberStorage } from '../definitions.ts';
import { forbidden, notFound } from '../failures.ts';
import { equalJson } from '../json.ts';
import { isTerminating } from '../pods/pods.ts';
import type { KubeObject, ObjectStore, ResourceType } from '../store.ts';

/** NamespaceLifecycle: nothing new in a namespace that is not there or on its way out. Throws NotFound and Forbidden. */
export function admitHome(store: ObjectStore, type: ResourceType, { metadata }: KubeObject): void {
  const { namespace } = metadata;
  if (namespace === undefined) return;
  const home = store.get('namespaces', namespace);
  if (home === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (!isTerminating(home)) return;
  const name = metadata.name || (typeof metadata.generateName === 'string' ? metadata.generateName : '');
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
  throw forbidden(type, name, why, [cause]);
}

const IMMORTAL = ['default', 'kube-system', 'kube-public'];

/** NamespaceLifecycle: three namespaces stay. Throws Forbidden. */
export function admitDelete(type: ResourceType, name: string): void {
  if (type.group === '' && type.plural === 'namespaces' && IMMORTAL.includes(name))
    throw forbidden(type, name, 'this namespace may not be deleted');
}

/** Changes an object that is about to be created. */
export function admitCreate(type: ResourceType, object: KubeObject): void {
  if (type.group === '' && type.plural === 'nodes') taintUntilReady(object);
}

/** Changes an object that is about to be updated. */
export function admitUpdate(type: ResourceType, before: KubeObject, after: KubeObject): void {
  if (type.group === 'apps' && type.plural === 'daemonsets') countTemplates(before, after);
  if (type.plural === 'customresourcedefinitions') rememberStorage(after);
  // Only its subresource `finalize` takes a namespace's finalizer away.
  if (type.group === '' && type.plural === 'namespaces') after.spec = before.spec;
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** A DaemonSet counts its templates in an annotation, for old clients. */
function countTemplates(before: KubeObject, after: KubeObject): void {
  const known = Number(before.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
  const generation = equalJson(before.spec?.template, after.spec?.template) ? known : known + 1;
  after.metadata.annotations = { ...after.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

/** TaintNodesByCondition: a node is tainted until the node controller finds it ready. */
function taintUntilReady(node: KubeObject): void {
  const key = 'node.kubernetes.io/not-ready';
  node.spec ??= {};
  const taints: { key: string; effect: string }[] = node.spec.taints ?? [];
  if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return;
  node.spec.taints = [...taints, { key, effect: 'NoSchedule' }];
}
