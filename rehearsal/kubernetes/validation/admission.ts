/** What the API server's own admission adds to objects that come over the wire. */
import { equalJson } from '../json.ts';
import type { KubeObject, ResourceType } from '../store.ts';

/** Changes an object that is about to be created. */
export function admitCreate(type: ResourceType, object: KubeObject): void {
  if (type.group === '' && type.plural === 'nodes') taintUntilReady(object);
}

/** Changes an object that is about to be updated. */
export function admitUpdate(type: ResourceType, before: KubeObject, after: KubeObject): void {
  if (type.group === 'apps' && type.plural === 'daemonsets') countTemplates(before, after);
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
