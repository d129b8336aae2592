/** The order of environments: has the one before stood on the target for long enough? */
import { compareKubernetesVersions, tryKubernetesVersion } from '../core/version.ts';
import { count } from '../core/text.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';

const DAY_MS = 24 * 60 * 60_000;

/** belay.yaml's environments.<name>.after, resolved. */
export interface AfterEnvironment {
  environment: string;
  /** All clusters of that environment. */
  clusters: ClusterRef[];
  bakedDays: number;
}

/** A run that has completed, up or back, by its record. Times are ISO 8601. */
export interface RecordedUpgrade {
  from?: string;
  to: string;
  endedAt: string;
}

/** What is known of one cluster of the environment before. */
export interface EarlierCluster {
  cluster: string;
  /** Of its control plane, by EKS: "1.33". Absent: `unseen` says why. */
  version?: string;
  unseen?: string;
  /** Completed upgrades, by this installation's records. Absent: `unrecorded` says why they cannot be read. */
  upgrades?: RecordedUpgrade[];
  unrecorded?: string;
}

export interface OrderVerdict {
  status: 'pass' | 'fail' | 'unknown';
  /** One line per cluster. */
  lines: string[];
}

/** What a plan says of the order of environments when it is made; a run looks again before its first step. */
export interface PlanOrder extends OrderVerdict {
  environment: string;
  bakedDays: number;
}

/** For people who read a plan: "after staging, which must have been at 1.33 for 3 days: not yet; staging-a is at 1.32, not at 1.33" */
export function orderLine({ environment, bakedDays, status, lines }: PlanOrder, target: string): string {
  const met = { pass: 'it does', fail: 'not yet', unknown: 'that is not known' }[status];
  return [`after ${environment}, which must have been at ${target} for ${count(bakedDays, 'day')}: ${met}`, ...lines].join('; ');
}

/** Every cluster has to stand at the target or beyond it, and its upgrade there has to be so old. What cannot be seen is never a yes. */
export function orderOf(target: string, bakedDays: number, earlier: readonly EarlierCluster[], now: string): OrderVerdict {
  const each = earlier.map((cluster) => judge(target, bakedDays, cluster, now));
  const status = (['fail', 'unknown'] as const).find((bad) => each.some((one) => one.status === bad)) ?? 'pass';
  return { status: each.length === 0 ? 'unknown' : status, lines: each.map(({ line }) => line) };
}

/** What was judged in several parts, as one: a part that failed, or was not seen, counts for all. */
export function orderOfParts(parts: readonly OrderVerdict[]): OrderVerdict {
  const status = (['fail', 'unknown'] as const).find((bad) => parts.some((part) => part.status === bad)) ?? 'pass';
  return { status: parts.length === 0 ? 'unknown' : status, lines: parts.flatMap(({ lines }) => lines) };
}

function judge(
  target: string,
  bakedDays: number,
  { cluster, version, unseen, upgrades, unrecorded }: EarlierCluster,
  now: string,
): { status: OrderVerdict['status']; line: string } {
  const at = version === undefined ? undefined : reaches(version, target);
  if (version === undefined || at === undefined)
    return { status: 'unknown', line: `${cluster} cannot be read: ${unseen ?? `its version is "${version}"`}` };
  if (!at) return { status: 'fail', line: `${cluster} is at ${version}, not at ${target}` };
  if (upgrades === undefined)
    return { status: 'unknown', line: `the records of ${cluster} cannot be read: ${unrecorded ?? 'no reason given'}` };
  const since = bakingSince(upgrades, target);
  if (since === undefined)
    return { status: 'unknown', line: `${cluster} is at ${version}, and no record says since when: it was not upgraded from here` };
  const days = Math.floor((Date.parse(now) - Date.parse(since)) / DAY_MS);
  const line = `${cluster} is at ${version}, upgraded ${since.slice(0, 10)} (${count(Math.max(0, days), 'day')} ago)`;
  return days >= bakedDays ? { status: 'pass', line } : { status: 'fail', line: `${line}, not baked for ${count(bakedDays, 'day')} yet` };
}

/**
 * When the run ended that brought the cluster there the last time. A later hop does not start the days anew; a way back ends them, also one that no
 * record tells of: the next upgrade begins below the target again.
 */
function bakingSince(upgrades: readonly RecordedUpgrade[], target: string): string | undefined {
  let since: string | undefined;
  for (const { from, to, endedAt } of upgrades.toSorted((a, b) => a.endedAt.localeCompare(b.endedAt))) {
    const crosses = from !== undefined && reaches(from, target) === false;
    if (reaches(to, target) !== true) since = undefined;
    else if (since === undefined || crosses) since = endedAt;
  }
  return since;
}

function reaches(version: string, target: string): boolean | undefined {
  const [is, wanted] = [tryKubernetesVersion(version), tryKubernetesVersion(target)];
  return is === undefined || wanted === undefined ? undefined : compareKubernetesVersions(is, wanted) >= 0;
}
