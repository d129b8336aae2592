/** What Flux and Argo CD deliver to a cluster, as it is listed, and where each chart comes from. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { APPLICATIONS, type Application, sourcesOf } from './argo-cd.ts';
import { releasesElsewhere, syncsElsewhere } from './destination.ts';
import { HELM_RELEASES, type HelmRelease, OCI_REPOSITORIES, type OciRepository, refuseOldFlux, refuseOldReleases } from './flux.ts';

export interface Deliverers {
  releases: HelmRelease[];
  repositories: readonly OciRepository[];
  applications: Application[];
}

/**
 * Those that deliver to the cluster itself; all empty without Flux and Argo CD. `cluster`: the one that `port` leads to. Throws InvalidRequest where Flux is
 * too old for what it delivers to be read.
 */
export async function readDeliverers(port: KubernetesPort, cluster: ClusterRef): Promise<Deliverers> {
  const [releases, repositories, applications] = await Promise.all([
    port.list<HelmRelease>(HELM_RELEASES),
    port.list<OciRepository>(OCI_REPOSITORIES),
    port.list<Application>(APPLICATIONS),
  ]);
  const isOwn = (release: HelmRelease): boolean => !releasesElsewhere(release);
  if (releases === undefined) await refuseOldReleases(port, isOwn);
  const own = (releases ?? []).filter(isOwn);
  refuseOldFlux(own, repositories);
  return {
    releases: own,
    repositories: repositories ?? [],
    applications: (applications ?? []).filter((application) => !syncsElsewhere(application, cluster)),
  };
}

/** The one that a release takes its chart from; undefined: another kind of source, or one that is not there. */
export function repositoryOf(release: HelmRelease, repositories: readonly OciRepository[]): OciRepository | undefined {
  const ref = release.spec?.chartRef;
  if (ref?.kind !== 'OCIRepository') return undefined;
  const namespace = ref.namespace ?? release.metadata.namespace;
  return repositories.find(({ metadata }) => metadata.name === ref.name && metadata.namespace === namespace);
}

/** Charts of an Application, without the way to them: an OCI chart may be "karpenter/karpenter". Sources that are no chart are left out. */
export function chartsOf(application: Application): { chart: string; targetRevision: string }[] {
  return sourcesOf(application).flatMap(({ chart, targetRevision = '*' }) =>
    chart === undefined ? [] : [{ chart: chart.slice(chart.lastIndexOf('/') + 1), targetRevision }],
  );
}
