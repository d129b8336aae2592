/** A check of one namespace: is it there? A mistyped one has no findings, and would be ready whatever the cluster is like. */
import { nearest } from '../../../domain/policy/config/base/nearest.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

/** Throws InvalidRequest where the cluster has no such namespace. Where namespaces cannot be listed, the checks go on without knowing. */
export async function refuseUnknownNamespace(port: KubernetesPort, cluster: string, namespace: string): Promise<void> {
  const listed: KubeObject[] | undefined = await port.list({ apiVersion: 'v1', plural: 'namespaces' }).catch(() => undefined);
  const names = listed?.map(({ metadata }) => metadata.name) ?? [];
  if (names.length === 0 || names.includes(namespace)) return;
  const close = nearest(namespace, names);
  const advice = close === undefined ? 'kubectl get namespaces lists them' : `did you mean ${close}?`;
  throw failureOf('InvalidRequest', `${cluster} has no namespace ${namespace}; ${advice}`);
}
