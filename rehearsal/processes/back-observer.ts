/** Tells from the outside where a way back is: by versions that are lower than the control plane's, and by the freeze that names its step. */
import type { Mutation } from '../world/journal.ts';

/** Moments of a way back. Phases that an upgrade has as well say so. */
export const BACK_MOMENTS = [
  'back:freeze-drift',
  'back:karpenter-drift',
  'back:node-groups',
  'add-ons-back',
  'control-plane-back',
  'node-classes-back',
] as const;
export type BackMoment = (typeof BACK_MOMENTS)[number];

export class BackObserver {
  /** Of the control plane's moves. */
  #highestMinor = 0;
  #moved = false;
  #frozen = false;

  /** undefined: the mutation is of no way back. */
  observe({ api, operation, resource, detail = {} }: Mutation): BackMoment | undefined {
    const version = [detail['version'], detail['addonVersion']].find((each) => typeof each === 'string') ?? '';
    if (api === 'eks') return this.#ofEks(operation, resource, minorIn(version));
    if (api !== 'kubernetes' || !/^patch (?:nodepools|nodes|ec2nodeclasses)$/.test(operation)) return undefined;
    const named = /freeze-drift@(\d+\.\d+)/.exec(JSON.stringify(detail))?.[1];
    if (named !== undefined && minorIn(named) < this.#highestMinor && !this.#frozen) {
      this.#frozen = true;
      return 'back:freeze-drift';
    }
    if (!this.#frozen) return undefined;
    if (this.#moved) return 'node-classes-back';
    return operation === 'patch ec2nodeclasses' || named !== undefined ? 'back:freeze-drift' : 'back:karpenter-drift';
  }

  #ofEks(operation: string, resource: string, minor: number): BackMoment | undefined {
    const lower = minor < this.#highestMinor;
    switch (operation) {
      case 'UpdateClusterVersion':
        this.#highestMinor = Math.max(this.#highestMinor, minor);
        this.#moved = lower;
        this.#frozen &&= lower;
        return lower ? 'control-plane-back' : undefined;
      case 'UpdateNodegroupVersion':
        return lower ? 'back:node-groups' : undefined;
      case 'UpdateAddon':
        return lower && resource.includes('kube-proxy') ? 'add-ons-back' : undefined;
      default:
        return undefined;
    }
  }
}

/** "1.32", "v1.32.0-eksbuild.2"; what says no version is not lower. */
function minorIn(text: string): number {
  return Number(/^v?1\.(\d+)/.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
}
