/** Who would put an object back as Git has it. */
import type { KubeObject } from '../ports.ts';
import { controllerOf } from '../kubernetes/shapes.ts';

/**
 * By the marks of Flux' Kustomizations and HelmReleases, and of Argo CD (annotation or label tracking); else by its owner reference, as of an
 * ApplicationSet. undefined: nobody, so a change of the object stays.
 */
export function ownerOf(object: KubeObject): string | undefined {
  const { labels = {}, annotations = {} } = object.metadata;
  for (const [tool, kind] of [
    ['kustomize', 'Kustomization'],
    ['helm', 'HelmRelease'],
  ]) {
    const name = labels[`${tool}.toolkit.fluxcd.io/name`];
    if (name !== undefined) return `${kind} ${labels[`${tool}.toolkit.fluxcd.io/namespace`] ?? ''}/${name}`;
  }
  // "parent:argoproj.io/Application:argocd/karpenter"
  const tracked = annotations['argocd.argoproj.io/tracking-id']?.split(':')[0];
  const parent = tracked ?? labels['argocd.argoproj.io/instance'] ?? labels['app.kubernetes.io/instance'];
  if (parent !== undefined) return `Application ${parent}`;
  const controller = controllerOf(object);
  return controller === undefined ? undefined : `${controller.kind} ${controller.name}`;
}
