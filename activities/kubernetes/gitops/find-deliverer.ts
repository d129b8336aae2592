/** Which objects of Flux and Argo CD deliver a chart, and who would put back a change of theirs. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Application } from './argo-cd.ts';
import { chartsOf, readDeliverers, repositoryOf } from './deliverers.ts';
import { chartNameOf, type HelmRelease, type OciRepository, writtenVersion } from './flux.ts';
import { ownerOf } from './owner-marks.ts';
import { defined } from '../../../domain/core/defined.ts';

/**
 * All objects that deliver one of these charts to the cluster itself, in the order of the charts. A cluster without Flux and Argo CD has none.
 * `cluster`: the one that `port` leads to. Throws InvalidRequest where Flux is too old for what it delivers to be read.
 */
export async function findDeliveredCharts(port: KubernetesPort, cluster: ClusterRef, charts: readonly string[]): Promise<DeliveredChart[]> {
  const { releases, repositories, applications } = await readDeliverers(port, cluster);
  const found = [...releases.flatMap((release) => ofFlux(release, repositories)), ...applications.flatMap(ofArgo)].filter(({ chart }) =>
    charts.includes(chart),
  );
  return found.toSorted((a, b) => charts.indexOf(a.chart) - charts.indexOf(b.chart));
}

/** A release of another kind of source says no version that could be changed in one place. */
function ofFlux(release: HelmRelease, repositories: readonly OciRepository[]): DeliveredChart[] {
  const { name, namespace = '' } = release.metadata;
  const repository = repositoryOf(release, repositories);
  if (release.spec?.chartRef !== undefined && repository === undefined) return [];
  const owner = ownerOf(repository ?? release);
  return [
    {
      kind: 'HelmRelease',
      namespace,
      name,
      chart: chartNameOf(release, repository),
      version: writtenVersion(release, repository),
      ...(repository === undefined
        ? {}
        : { repository: { namespace: repository.metadata.namespace ?? '', name: repository.metadata.name } }),
      ...defined({ owner }),
    },
  ];
}

function ofArgo(application: Application): DeliveredChart[] {
  const { name, namespace = '' } = application.metadata;
  const owner = ownerOf(application);
  return chartsOf(application).map(({ chart, targetRevision }) => ({
    kind: 'Application',
    namespace,
    name,
    chart,
    version: targetRevision,
    ...defined({ owner }),
  }));
}
