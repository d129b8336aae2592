/** Who delivers what in the scenario `readiness`, and kube-proxy's mode. */
import type { World } from '../../world/world.ts';
import { addNamespace } from '../workload-parts.ts';

export function plantDelivery(world: World): void {
  addApplication(world, { name: 'mesh', chart: 'istiod', version: '1.29.2' });
  addNamespace(world, 'flux-system');
  world.store.create('helmreleases', {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'any-version', namespace: 'flux-system' },
    spec: {
      interval: '10m',
      chart: { spec: { chart: 'podinfo', version: '6.x', sourceRef: { kind: 'HelmRepository', name: 'podinfo' } } },
    },
  });
  addKubeProxyConfig(world, 'ipvs');
}

/** An Application of Argo CD that delivers one version of a chart. */
export function addApplication(world: World, { name, chart, version }: { name: string; chart: string; version: string }): void {
  addNamespace(world, 'argocd');
  world.store.create('applications', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'platform',
      source: { repoURL: 'https://charts.example.com', chart, targetRevision: version },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'kube-system' },
    },
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
