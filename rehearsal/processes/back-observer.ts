/** Tells from the outside where a way back is: by versions that are lower than before, and by the freeze that names its step. */
import { compareComponentVersions, tryComponentVersion } from '../../domain/core/component-version.ts';
import type { Mutation } from '../world/journal.ts';

/** Moments of a way back, of the control plane's or of a single step's. Phases that an upgrade has as well say so. */
export const BACK_MOMENTS = [
  'back:freeze-drift',
  'back:karpenter-controller',
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
  /** Of the freezes: a step is also undone where the control plane has never moved. */
  #frozenMinor = 0;
  /** Add-ons, and what delivers charts, at the version that each was sent to last. */
  readonly #versions = new Map<string, string>();
  readonly #lowered = new Set<string>();

  /** undefined: the mutation is of no way back. */
  observe({ api, operation, resource, detail = {} }: Mutation): BackMoment | undefined {
    const version = [detail['version'], detail['addonVersion']].find((each) => typeof each === 'string') ?? '';
    if (api === 'eks') return this.#ofEks(operation, resource, version);
    if (api !== 'kubernetes') return undefined;
    const body = JSON.stringify(detail);
    if (DELIVERS_KARPENTER.test(`${operation} ${resource}`)) return this.#ofChart(resource, body);
    if (!/^patch (?:nodepools|nodes|ec2nodeclasses)$/.test(operation)) return undefined;
    return this.#ofNodes(operation, /freeze-drift@(\d+\.\d+)/.exec(body)?.[1]);
  }

  /** `named`: minor of the freeze that a mark names. */
  #ofNodes(operation: string, named: string | undefined): BackMoment | undefined {
    const minor = named === undefined ? undefined : minorIn(named);
    const lower = minor !== undefined && minor < Math.max(this.#highestMinor, this.#frozenMinor);
    if (lower && !this.#frozen) {
      this.#frozen = true;
      return 'back:freeze-drift';
    }
    if (minor !== undefined && !lower) this.#frozenMinor = minor;
    if (!this.#frozen) return undefined;
    if (this.#moved) return 'node-classes-back';
    return operation === 'patch ec2nodeclasses' || named !== undefined ? 'back:freeze-drift' : 'back:karpenter-drift';
  }

  #ofEks(operation: string, resource: string, version: string): BackMoment | undefined {
    const minor = minorIn(version);
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
        return this.#isLowered(resource, version) || (lower && resource.includes('kube-proxy')) ? 'add-ons-back' : undefined;
      default:
        return undefined;
    }
  }

  /** Its version is written before it is told to look, which says no version. */
  #ofChart(resource: string, body: string): BackMoment | undefined {
    const version = /"v?(\d+\.\d+\.\d+)/.exec(body)?.[1];
    const [name = ''] = resource.split('/').slice(-1);
    const lowered = version === undefined ? this.#lowered.has(name) : this.#isLowered(name, version);
    return lowered ? 'back:karpenter-controller' : undefined;
  }

  /** Below what it was sent to before; stays so until it goes up again. */
  #isLowered(name: string, version: string): boolean {
    const [before, now] = [tryComponentVersion(this.#versions.get(name) ?? version), tryComponentVersion(version)];
    this.#versions.set(name, version);
    const by = before === undefined || now === undefined ? 0 : compareComponentVersions(now, before);
    if (by < 0) this.#lowered.add(name);
    if (by > 0) this.#lowered.delete(name);
    return this.#lowered.has(name);
  }
}

/** Of Flux and Argo CD; Helm's own records do not tell their version. */
const DELIVERS_KARPENTER = /^patch (?:ocirepositories|helmreleases|applications) .*karpenter/;

/** "1.32", "v1.32.0-eksbuild.2"; what says no version is not lower. */
function minorIn(text: string): number {
  return Number(/^v?1\.(\d+)/.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
}
