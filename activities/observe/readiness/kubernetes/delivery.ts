/** Who delivers charts by GitOps, and kube-proxy's mode. */
import { parse } from 'yaml';
import type { GitOpsSeen, Shape } from '../../../../domain/readiness/model/evidence.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { type ArgoDestination, type FluxDestination, releasesElsewhere, syncsElsewhere } from '../../../kubernetes/gitops/destination.ts';
import { isRange } from '../../../kubernetes/gitops/wanted-version.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';

type HelmRelease = KubeObject<
  FluxDestination & { chart?: { spec?: { chart?: string; version?: string } }; chartRef?: { kind?: string; name?: string } }
>;
type OciRepository = KubeObject<{ ref?: { tag?: string; semver?: string; digest?: string } }>;
type ArgoSource = { chart?: string; targetRevision?: string };
type Application = KubeObject<ArgoDestination & { source?: ArgoSource; sources?: ArgoSource[] }>;

/** Charts that Flux and Argo CD deliver to the cluster itself. A cluster without either has none. */
export async function readGitOps(port: KubernetesPort, cluster: ClusterRef): Promise<GitOpsSeen[]> {
  const [releases, repositories, applications] = await Promise.all([
    port.list<HelmRelease>({ apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases' }),
    port.list<OciRepository>({ apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories' }),
    port.list<Application>({ apiVersion: 'argoproj.io/v1alpha1', plural: 'applications' }),
  ]);
  const byName = new Map((repositories ?? []).map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]));
  return [
    ...(releases ?? []).filter((each) => !releasesElsewhere(each)).map((each) => ofFlux(each, byName)),
    ...(applications ?? []).filter((each) => !syncsElsewhere(each, cluster)).flatMap(ofArgo),
  ];
}

function ofFlux({ metadata, spec = {} }: HelmRelease, repositories: ReadonlyMap<string, OciRepository>): GitOpsSeen {
  const namespace = metadata.namespace ?? '';
  const about = { kind: 'HelmRelease', namespace, name: metadata.name, by: 'flux' as const };
  const template = spec.chart?.spec;
  // Without a version Flux takes the newest (helm.toolkit.fluxcd.io/v2: "Defaults to latest").
  if (template !== undefined) return { ...about, chart: template.chart ?? '', ...versioned(template.version ?? '*') };
  const ref = repositories.get(`${namespace}/${spec.chartRef?.name}`)?.spec?.ref ?? {};
  const version = ref.semver ?? ref.tag ?? ref.digest ?? 'latest';
  const fixed = ref.digest !== undefined && ref.semver === undefined && ref.tag === undefined;
  return { ...about, chart: spec.chartRef?.name ?? '', ...(fixed ? { version, range: false } : versioned(version)) };
}

function ofArgo({ metadata, spec = {} }: Application): GitOpsSeen[] {
  const sources = spec.sources ?? (spec.source === undefined ? [] : [spec.source]);
  return sources.flatMap(({ chart, targetRevision = '*' }): GitOpsSeen[] => {
    if (chart === undefined) return [];
    return [
      { kind: 'Application', namespace: metadata.namespace ?? '', name: metadata.name, chart, by: 'argocd', ...versioned(targetRevision) },
    ];
  });
}

const versioned = (version: string): Pick<GitOpsSeen, 'version' | 'range'> => ({ version, range: isRange(version) });

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
