/** What is written instead of an API version that goes: only what the target serves is advice. */
import { compareKubernetesVersions, type KubernetesVersion, parseKubernetesVersion } from '../core/version.ts';
import { API_INTRODUCTIONS } from './api-introductions.ts';
import { API_LIFECYCLE, type ApiLifecycle } from './api-lifecycle.ts';
import { STORED_TYPES } from './stored-types.ts';

interface Api {
  group: string;
  version: string;
  kind: string;
}

/** "policy/v1 PodDisruptionBudget" */
export const apiOf = ({ group, version, kind }: Api): string => `${group === '' ? version : `${group}/${version}`} ${kind}`;

const lifecycles = new Map(API_LIFECYCLE.map((row) => [apiOf(row), row]));
const introductions = new Map(API_INTRODUCTIONS.map((row) => [apiOf(row), row]));

/** Kinds that Kubernetes has dropped for good; that a row names no replacement says nothing. */
const DROPPED: readonly string[] = ['ClusterCIDR', 'DeploymentRollback', 'PodSecurityPolicy'];

/** When Kubernetes stops serving this kind in this version; undefined: it goes on, or it is a custom resource. */
export function lifecycleOf(api: Api): ApiLifecycle | undefined {
  return lifecycles.get(apiOf(api));
}

const isBy = (minor: string, target: KubernetesVersion): boolean => compareKubernetesVersions(parseKubernetesVersion(minor), target) <= 0;

export const isGone = ({ removedIn }: ApiLifecycle, target: KubernetesVersion): boolean => isBy(removedIn, target);
export const isDeprecated = ({ deprecatedIn, removedIn }: ApiLifecycle, target: KubernetesVersion): boolean =>
  isBy(deprecatedIn ?? removedIn, target);

export const isDropped = ({ kind }: ApiLifecycle): boolean => DROPPED.includes(kind);

/** "policy/v1 PodDisruptionBudget": what the target serves in its place. undefined: the kind is dropped, or this is not known. */
export function replacementAt(life: ApiLifecycle, target: KubernetesVersion): string | undefined {
  if (isDropped(life)) return undefined;
  let served: string | undefined;
  // A replacement goes in its turn: the last one that the target serves lasts longest.
  for (let next = life.replacement; next !== undefined; next = lifecycles.get(next)?.replacement) if (isServed(next, target)) served = next;
  return served ?? newerVersion(life, target);
}

function isServed(api: string, target: KubernetesVersion): boolean {
  const [life, introduction] = [lifecycles.get(api), introductions.get(api)];
  return !(life !== undefined && isGone(life, target)) && (introduction === undefined || isBy(introduction.introducedIn, target));
}

/** The newest version of the same kind, and newer than this one. */
function newerVersion(life: ApiLifecycle, target: KubernetesVersion): string | undefined {
  const newer = [...API_INTRODUCTIONS, ...STORED_TYPES].filter(
    (each) => each.group === life.group && each.kind === life.kind && compareApiVersions(each, life) > 0 && isServed(apiOf(each), target),
  );
  const newest = newer.toSorted(compareApiVersions).at(-1);
  return newest === undefined ? undefined : apiOf(newest);
}

/** Stable after beta after alpha, then by number (Kubernetes: "Version priority"). */
function compareApiVersions(a: Api, b: Api): number {
  const [left, right] = [rankOf(a.version), rankOf(b.version)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function rankOf(version: string): number[] {
  const [, major = '0', stage = 'stable', minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [['alpha', 'beta', 'stable'].indexOf(stage), Number(major), Number(minor)];
}
