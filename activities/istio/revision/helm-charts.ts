/** Where the charts of Istio come from, and which version of them is meant. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { HelmRunner } from '../../kubernetes/helm/runner.ts';
import { besideChart, chartPlace, showChart } from '../../kubernetes/helm/chart.ts';
import { minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/**
 * Where Istio publishes the charts of all its versions. istio-release.storage.googleapis.com has none of 1.31 and newer, and ends in December 2026
 * (istio.io, upgrade notes of 1.31; blog, "An update on our move to AWS").
 */
const REPOSITORY = 'https://blob.istio.io/istio-release/charts';

export interface FoundChart {
  /** The chart's place and exact version, as arguments of helm. */
  args: string[];
  version: string;
  /** Istio's own version. */
  appVersion: string;
}

/** Charts of Istio by the names under which they are published. */
export type IstioChart = 'istiod' | 'base' | 'cni' | 'ztunnel';

type Wanted = Pick<IstioCanary, 'toMinor' | 'toVersion'>;

/**
 * Asks helm which version there is: the newest patch of the wanted minor, unless the plan names one. `location` is istio.chart of belay.yaml:
 * a chart repository's address, a chart's address or OCI reference, a name of a configured repository, or a path; the others lie beside istiod.
 * Throws Configuration when what is there is not of the wanted minor: a path has one version, whatever is asked for.
 */
export async function findChart(
  helm: HelmRunner | undefined,
  cluster: ClusterRef,
  location: string | undefined,
  chart: IstioChart,
  { toMinor, toVersion }: Wanted,
): Promise<FoundChart> {
  const place = placeOf(location, chart);
  const doing = `looking for chart ${chart} of Istio ${toMinor}`;
  const fix = `set istio.chart in belay.yaml to a repository, an OCI reference or a path that has ${toMinor}`;
  const { version, appVersion } = await showChart(helm, cluster, { place, version: toVersion ?? `~${toMinor}.0`, doing, fix });
  if (version === undefined || appVersion === undefined || minorOf(appVersion) !== toMinor) {
    throw failureOf('Configuration', `${doing}: ${place.join(' ')} is ${appVersion ?? 'without a version'}; ${fix}`);
  }
  return { args: [...place, '--version', version], version, appVersion };
}

function placeOf(location: string = REPOSITORY, chart: IstioChart): string[] {
  return chart === 'istiod' ? chartPlace(location, chart) : besideChart(location, 'istiod', chart);
}
