/** Argo CD's Applications, and the settings of kube-proxy. */
import type { World } from '../world/world.ts';
import { addNamespace } from './workload-parts.ts';

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
