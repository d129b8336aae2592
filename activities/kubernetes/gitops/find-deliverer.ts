/** Which objects of Flux and Argo CD deliver a chart, and who would put back a change of theirs. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { APPLICATIONS, type Application, sourcesOf } from './argo-cd.ts';
import { releasesElsewhere, syncsElsewhere } from './destination.ts';
import {
  chartNameOf,
  HELM_RELEASES,
  type HelmRelease,
  OCI_REPOSITORIES,
  type OciRepository,
  refuseOldFlux,
  writtenVersion,
} from './flux.ts';
import { ownerOf } from './owner-marks.ts';
import { defined } from '../../../domain/core/defined.ts';

/**
 * All objects that deliver one of these charts to the cluster itself, in the order of the charts. A cluster without Flux and Argo CD has none.
 * `cluster`: the one that `port` leads to. Throws InvalidRequest where Flux is too old for what it delivers to be read.
 */
export async function findDeliveredCharts(port: KubernetesPort, cluster: ClusterRef, charts: readonly string[]): Promise<DeliveredChart[]> {
  const [releases, repositories, applications] = await Promise.all([
    port.list<HelmRelease>(HELM_RELEASES),
    port.list<OciRepository>(OCI_REPOSITORIES),
    port.list<Application>(APPLICATIONS),
  ]);
  const own = (releases ?? []).filter((release) => !releasesElsewhere(release));
  refuseOldFlux(own, repositories);
  const found = [
    ...own.flatMap((release) => ofFlux(release, repositories ?? [])),
    ...(applications ?? []).filter((application) => !syncsElsewhere(application, cluster)).flatMap(ofArgo),
  ].filter(({ chart }) => charts.includes(chart));
  return found.toSorted((a, b) => charts.indexOf(a.chart) - charts.indexOf(b.chart));
}

/** A release of another kind of source says no version that could be changed in one place. */
function ofFlux(release: HelmRelease, repositories: readonly OciRepository[]): DeliveredChart[] {
  const { name, namespace = '' } = release.metadata;
  const ref = release.spec?.chartRef;
  const at = { namespace: ref?.namespace ?? namespace, name: ref?.name ?? '' };
  const repository =
    ref?.kind === 'OCIRepository'
      ? repositories.find(({ metadata }) => metadata.name === at.name && metadata.namespace === at.namespace)
      : undefined;
  if (ref !== undefined && repository === undefined) return [];
  const owner = ownerOf(repository ?? release);
  return [
    {
      kind: 'HelmRelease',
      namespace,
      name,
      chart: chartNameOf(release, repository),
      version: writtenVersion(release, repository),
      ...(repository === undefined ? {} : { repository: at }),
      ...defined({ owner }),
    },
  ];
}

function ofArgo(application: Application): DeliveredChart[] {
  const { name, namespace = '' } = application.metadata;
  const owner = ownerOf(application);
  return sourcesOf(application).flatMap(({ chart, targetRevision = '*' }): DeliveredChart[] =>
    chart === undefined
      ? []
      : [
          {
            kind: 'Application',
            namespace,
            name,
            chart: lastPart(chart),
            version: targetRevision,
            ...defined({ owner }),
          },
        ],
  );
}

/** An OCI chart may carry the way to it: "karpenter/karpenter". */
const lastPart = (chart: string): string => chart.slice(chart.lastIndexOf('/') + 1);
