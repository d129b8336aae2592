/** Where a chart comes from, as arguments of helm, and what it says of itself. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { failureOf, failureType } from '../../runtime/translate-errors.ts';
import { type HelmRunner, runHelm } from './runner.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/** A chart's place as arguments of helm. `location`: a chart repository's address, a chart's address or OCI reference, a name of a configured repository, or a path. */
export function chartPlace(location: string, chart: string): string[] {
  return /^https?:\/\//.test(location) && !location.endsWith('.tgz') ? [chart, '--repo', location] : [location];
}

/** The place of a chart that lies beside another one: the last part of the way is what differs. */
export function besideChart(location: string, chart: string, other: string): string[] {
  const [place = location, ...rest] = chartPlace(location, other);
  return rest.length > 0 ? [place, ...rest] : [place.replace(new RegExp(`${chart}(?=[^/]*$)`), other)];
}

export interface ShownChart {
  version?: string;
  /** The version of what the chart installs; that of the chart where it does not say. */
  appVersion?: string;
}

/** What helm finds there in that version or range. Throws Configuration, with `fix` in its text, when there is none. */
export async function showChart(
  helm: HelmRunner | undefined,
  cluster: ClusterRef,
  { place, version, doing, fix }: { place: string[]; version: string; doing: string; fix: string },
): Promise<ShownChart> {
  try {
    const shown = await runHelm(helm, cluster, { args: ['show', 'chart', ...place, '--version', version], doing });
    const found = fieldOf(shown, 'version');
    return { version: found, appVersion: fieldOf(shown, 'appVersion') ?? found };
  } catch (error) {
    if (failureType(error) !== 'InvalidRequest') throw error;
    throw failureOf('Configuration', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}

/** A top-level field of Chart.yaml as helm prints it. */
function fieldOf(yaml: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*["']?([^"'\\s]+)["']?\\s*$`, 'm').exec(yaml)?.[1];
}
