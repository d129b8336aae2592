/** Argo CD's Applications, Flux' HelmReleases, and the settings of kube-proxy. */
import { setCondition } from '../../controllers/conditions.ts';
import { snapshotOf } from '../../controllers/gitops/flux-history.ts';
import { ISTIO_NAMESPACE } from '../../controllers/istio/revisions.ts';
import { kubeTime } from '../../kubernetes/pods/pods.ts';
import type { World } from '../../world/world.ts';
import { addNamespace } from './workload-parts.ts';

/** An Application of Argo CD that delivers one version of a chart. `parent`: the Application that keeps it as in Git. */
export function addApplication(
  world: World,
  {
    name,
    chart,
    version,
    parent,
    automated,
    values,
  }: {
    name: string;
    chart: string;
    version: string;
    parent?: string;
    automated?: object;
    values?: object;
  },
): void {
  addNamespace(world, 'argocd');
  const tracked = { 'argocd.argoproj.io/tracking-id': `${parent}:argoproj.io/Application:argocd/${name}` };
  const namespace = values === undefined ? 'kube-system' : ISTIO_NAMESPACE;
  const helm = values === undefined ? {} : { helm: { valuesObject: values } };
  world.store.create('applications', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', ...(parent === undefined ? {} : { annotations: tracked }) },
    spec: {
      project: 'platform',
      source: { repoURL: 'https://charts.example.com', chart, targetRevision: version, ...helm },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      ...(automated === undefined ? {} : { syncPolicy: { automated } }),
    },
  });
}

/** A HelmRelease of Flux that has delivered one version of a chart, by its own version or through an OCIRepository. */
export function addHelmRelease(
  world: World,
  {
    name,
    version,
    oci,
    parent,
    chart: chartName = name,
    values,
  }: {
    name: string;
    version: string;
    oci?: boolean;
    parent?: string;
    /** As the release, where it is absent. */
    chart?: string;
    values?: object;
  },
): void {
  addNamespace(world, 'flux-system');
  const labels = { 'kustomize.toolkit.fluxcd.io/name': parent ?? '', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
  const metadata = { name, namespace: 'flux-system', ...(parent === undefined ? {} : { labels }) };
  const registry = values === undefined ? 'oci://public.ecr.aws/karpenter' : 'oci://gcr.io/istio-release/charts';
  if (oci === true) {
    world.store.create('ocirepositories', {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'OCIRepository',
      metadata,
      spec: { interval: '10m', url: `${registry}/${chartName}`, ref: { tag: version } },
    });
  }
  const source = { kind: 'HelmRepository', name: values === undefined ? 'karpenter' : 'istio' };
  const chart =
    oci === true ? { chartRef: { kind: 'OCIRepository', name } } : { chart: { spec: { chart: chartName, version, sourceRef: source } } };
  const targetNamespace = values === undefined ? 'kube-system' : ISTIO_NAMESPACE;
  world.store.create('helmreleases', {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { ...metadata, finalizers: ['finalizers.fluxcd.io'] },
    spec: { interval: '10m', releaseName: name, targetNamespace, ...chart, ...(values === undefined ? {} : { values }) },
  });
  world.store.update('helmreleases', name, 'flux-system', (copy) => {
    const at = kubeTime(world.clock.nowMs());
    copy.status = {
      observedGeneration: copy.metadata.generation,
      history: [snapshotOf(copy, { chart: chartName, version, number: 1, status: 'deployed', at })],
    };
    setCondition(world, copy, 'Released', 'True', 'InstallSucceeded');
    setCondition(world, copy, 'Ready', 'True', 'InstallSucceeded');
  });
}

/** As EKS's add-on keeps it. */
export function addKubeProxyConfig(world: World, mode: 'iptables' | 'ipvs'): void {
  world.store.create('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-proxy-config', namespace: 'kube-system', labels: { 'k8s-app': 'kube-proxy' } },
    data: { config: `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: "${mode}"\n` },
  });
}
