/** Looks at the fields that were found changed once more: somebody may have put them back. */
import { type Difference, type SideEffect, type Touched, valueText } from '../../../domain/run/side-effects/side-effect.ts';
import { isRecord } from '../../../domain/core/unknown.ts';
import { parsePointer } from '../../../domain/run/side-effects/paths.ts';
import type { ClusterDeps } from '../clusters.ts';
import type { SideEffectActivities } from '../../contract/side-effects.ts';
import { digest } from './recorder.ts';
import { readView } from './views.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

export function createSideEffectActivities(deps: ClusterDeps): SideEffectActivities {
  return {
    async lookAtSideEffects({ cluster, effects }) {
      const left = await Promise.all(effects.map((effect) => leftOf(deps, cluster, effect)));
      return { effects: left.filter((effect) => effect !== undefined) };
    },
  };
}

async function leftOf(deps: ClusterDeps, cluster: ClusterRef, effect: SideEffect): Promise<SideEffect | undefined> {
  const object = await readNow(deps, cluster, effect.resource);
  // What is gone was not put back.
  if (object === undefined) return effect;
  const differences = effect.differences.filter((each) => !isAsBefore(object, each));
  return differences.length === 0 && effect.moreCount === 0 ? undefined : { ...effect, differences };
}

async function readNow(deps: ClusterDeps, cluster: ClusterRef, resource: Touched): Promise<unknown> {
  if (!('eks' in resource)) return await (await deps.clusterPorts(cluster)).kubernetes.get(resource);
  const of = updateResource(resource);
  return of === undefined ? undefined : await readView(deps.aws(cluster), cluster, of);
}

function updateResource({ eks, name }: Extract<Touched, { eks: string }>): UpdateResource | undefined {
  if (eks === 'launch-template') return undefined;
  return eks === 'cluster' ? { kind: eks } : { kind: eks, name };
}

/** An element that was gone has no place to look at: it is told until it is decided about. */
function isAsBefore(object: unknown, { path, pointer, before }: Difference): boolean {
  if (pointer === undefined) return false;
  const now = parsePointer(pointer).reduce<unknown>((inner, key) => child(inner, key), object);
  return before === undefined ? now === undefined || now === null : now !== undefined && valueText(path, now, digest) === before;
}

function child(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isRecord(value) ? value[key] : undefined;
}
