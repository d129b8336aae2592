/**
 * Which revision a pod template is. In a cluster that was loaded, the labels of what runs were made by its own API server from templates of which the
 * twin has only a part: as long as a workload's template is the one that was loaded, its label stands for it.
 */
import type { KubeObject, ObjectStore } from '../../store.ts';
import { templateHash } from './templates.ts';

/** Labels by the workload's uid and the twin's own hash. */
const adopted = new WeakMap<ObjectStore, Map<string, string>>();

const keyOf = (workload: KubeObject): string => `${workload.metadata.uid} ${templateHash(workload.spec.template)}`;

/** The value of the label that pods of the present template have. */
export function revisionHash(store: ObjectStore, workload: KubeObject): string {
  return adopted.get(store)?.get(keyOf(workload)) ?? templateHash(workload.spec.template);
}

/** From now on this label stands for the template that the workload has. */
export function adoptRevision(store: ObjectStore, workload: KubeObject, label: string): void {
  const labels = adopted.get(store) ?? new Map<string, string>();
  adopted.set(store, labels.set(keyOf(workload), label));
}
