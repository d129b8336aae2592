/** Who delivers charts by GitOps, and kube-proxy's mode. */
import { parse } from 'yaml';
import type { GitOpsSeen, Shape } from '../../../../domain/readiness/model/evidence.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { field } from '../../../../domain/core/unknown.ts';
import type { Application } from '../../../kubernetes/gitops/argo-cd.ts';
import { chartsOf, readDeliverers, repositoryOf } from '../../../kubernetes/gitops/deliverers.ts';
import { chartNameOf, type HelmRelease, type OciRepository, writtenVersion } from '../../../kubernetes/gitops/flux.ts';
import { isRange } from '../../../kubernetes/gitops/wanted-version.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';

/** Charts that Flux and Argo CD deliver to the cluster itself. A cluster without either has none. */
export async function readGitOps(port: KubernetesPort, cluster: ClusterRef): Promise<GitOpsSeen[]> {
  const { releases, repositories, applications } = await readDeliverers(port, cluster);
  return [...releases.map((each) => ofFlux(each, repositories)), ...applications.flatMap(ofArgo)];
}

function ofFlux(release: HelmRelease, repositories: readonly OciRepository[]): GitOpsSeen {
  const { name, namespace = '' } = release.metadata;
  const about = { kind: 'HelmRelease', namespace, name, by: 'flux' as const };
  const { chart, chartRef: ref } = release.spec ?? {};
  const repository = repositoryOf(release, repositories);
  // The version is in an object that is not read here: a HelmChart, or an OCIRepository that is not there.
  if (chart === undefined && repository === undefined) return { ...about, chart: ref?.name ?? '', version: 'unknown', range: false };
  const version = writtenVersion(release, repository);
  return { ...about, chart: chartNameOf(release, repository), version, range: !version.startsWith('sha256:') && isRange(version) };
}

function ofArgo(application: Application): GitOpsSeen[] {
  const { name, namespace = '' } = application.metadata;
  return chartsOf(application).map(({ chart, targetRevision }) => ({
    kind: 'Application',
    namespace,
    name,
    chart,
    by: 'argocd',
    version: targetRevision,
    range: isRange(targetRevision),
  }));
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
