/** Who delivers charts by GitOps, and kube-proxy's mode. */
import { parse } from 'yaml';
import type { GitOpsSeen, Shape } from '../../../../domain/readiness/model/evidence.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { type ArgoDestination, releasesElsewhere, syncsElsewhere } from '../../../kubernetes/gitops/destination.ts';
import {
  chartNameOf,
  HELM_RELEASES,
  type HelmRelease,
  OCI_REPOSITORIES,
  type OciRepository,
  refuseOldFlux,
  writtenVersion,
} from '../../../kubernetes/gitops/flux.ts';
import { isRange } from '../../../kubernetes/gitops/wanted-version.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';

type ArgoSource = { chart?: string; targetRevision?: string };
type Application = KubeObject<ArgoDestination & { source?: ArgoSource; sources?: ArgoSource[] }>;

/** Charts that Flux and Argo CD deliver to the cluster itself. A cluster without either has none. */
export async function readGitOps(port: KubernetesPort, cluster: ClusterRef): Promise<GitOpsSeen[]> {
  const [releases, repositories, applications] = await Promise.all([
    port.list<HelmRelease>(HELM_RELEASES),
    port.list<OciRepository>(OCI_REPOSITORIES),
    port.list<Application>({ apiVersion: 'argoproj.io/v1alpha1', plural: 'applications' }),
  ]);
  const own = (releases ?? []).filter((each) => !releasesElsewhere(each));
  refuseOldFlux(own, repositories);
  const byName = new Map((repositories ?? []).map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]));
  return [
    ...own.map((each) => ofFlux(each, byName)),
    ...(applications ?? []).filter((each) => !syncsElsewhere(each, cluster)).flatMap(ofArgo),
  ];
}

function ofFlux(release: HelmRelease, repositories: ReadonlyMap<string, OciRepository>): GitOpsSeen {
  const { name, namespace = '' } = release.metadata;
  const about = { kind: 'HelmRelease', namespace, name, by: 'flux' as const };
  const { chart, chartRef: ref } = release.spec ?? {};
  const repository = ref?.kind === 'OCIRepository' ? repositories.get(`${ref.namespace ?? namespace}/${ref.name}`) : undefined;
  // The version is in an object that is not read here: a HelmChart, or an OCIRepository that is not there.
  if (chart === undefined && repository === undefined) return { ...about, chart: ref?.name ?? '', version: 'unknown', range: false };
  const version = writtenVersion(release, repository);
  return { ...about, chart: chartNameOf(release, repository), version, range: !version.startsWith('sha256:') && isRange(version) };
}

function ofArgo({ metadata, spec = {} }: Application): GitOpsSeen[] {
  const sources = spec.sources ?? (spec.source === undefined ? [] : [spec.source]);
  return sources.flatMap(({ chart, targetRevision = '*' }): GitOpsSeen[] => {
    if (chart === undefined) return [];
    return [
      {
        kind: 'Application',
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        // An OCI chart may carry the way to it: "karpenter/karpenter".
        chart: chart.slice(chart.lastIndexOf('/') + 1),
        by: 'argocd',
        version: targetRevision,
        range: isRange(targetRevision),
      },
    ];
  });
}

type ConfigMap = KubeObject & { data?: Record<string, string> };

/** EKS's add-on keeps it in kube-proxy-config, kubeadm's in kube-proxy. An empty mode is the default, iptables. */
export async function readKubeProxy(port: KubernetesPort): Promise<Shape<'kubeProxy'>> {
  for (const name of ['kube-proxy-config', 'kube-proxy']) {
    const found = await port.get<ConfigMap>({ apiVersion: 'v1', plural: 'configmaps', namespace: 'kube-system', name });
    const text = found?.data?.['config'] ?? found?.data?.['config.conf'];
    if (text === undefined) continue;
    const mode = field(parse(text), 'mode');
    return { mode: typeof mode === 'string' ? mode : '' };
  }
  return 'none';
}
