/** The scale subresource: a workload's replicas under one shape. */
import { fieldError, invalid } from '../../failures.ts';
import { isObject } from '../../json.ts';
import type { KubeObject } from '../../store.ts';
import type { ResourceRequest } from '../request.ts';

const BUILT_IN = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/** The Scale of a workload. */
export function scaleOf(object: KubeObject, request: Pick<ResourceRequest, 'custom'>): KubeObject {
  const paths = request.custom?.subresources?.scale;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths ? at(object, paths.labelSelectorPath) : selectorText(object);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, (paths ?? BUILT_IN).specReplicasPath) ?? 0 },
    status: { replicas: at(object, (paths ?? BUILT_IN).statusReplicasPath) ?? 0, ...(selector ? { selector } : {}) },
  };
}

/** Writes a Scale's replicas into the workload. Throws Invalid. */
export function applyScale(copy: KubeObject, scale: KubeObject, request: Pick<ResourceRequest, 'custom'>): void {
  const replicas: unknown = scale.spec?.replicas ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const why = fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, copy.metadata.name, why);
  }
  const steps = stepsOf(request.custom?.subresources?.scale?.specReplicasPath ?? BUILT_IN.specReplicasPath);
  let parent: Record<string, unknown> = copy;
  for (const step of steps.slice(0, -1)) {
    const next = parent[step];
    const inner = isObject(next) ? { ...next } : {};
    parent[step] = inner;
    parent = inner;
  }
  parent[steps.at(-1) ?? ''] = replicas;
}

function at(object: KubeObject, path: string | undefined): unknown {
  let value: unknown = object;
  for (const step of stepsOf(path ?? '')) value = isObject(value) ? value[step] : undefined;
  return value;
}

function stepsOf(path: string): string[] {
  return path.split('.').filter((step) => step !== '');
}

function selectorText(object: KubeObject): string {
  return Object.entries(object.spec?.selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(',');
}
