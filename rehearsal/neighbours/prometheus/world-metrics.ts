/** What Prometheus would have scraped from the world at this moment: the API server, kube-state-metrics, istiod, the proxies. */
import { conditionOf } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import type { Series } from './evaluate.ts';
import { trafficMetrics, xdsMetrics } from './mesh-metrics.ts';
import { monitored } from './monitoring.ts';
import { alertSeries, apiServerMetrics, dnsMetrics, karpenterMetrics, waitingMetrics } from './platform-metrics.ts';
import { series } from './series.ts';

export interface Illness {
  /** An alert fires. */
  alert: boolean;
  /** The API server answers late. */
  slowApi: boolean;
}

const POD_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

function nodeMetrics(nodes: KubeObject[]): Series[] {
  return nodes.flatMap((node) => {
    const { name } = node.metadata;
    const ready = conditionOf(node, 'Ready')?.status.toLowerCase() ?? 'unknown';
    return [
      series('up', { job: 'kubernetes-nodes', instance: name }, ready === 'true' ? 1 : 0),
      series('kube_node_info', { node: name, kubelet_version: String(node['status']?.nodeInfo?.kubeletVersion ?? '') }, 1),
      series('kube_node_spec_unschedulable', { node: name }, node['spec']?.unschedulable === true ? 1 : 0),
      ...['true', 'false', 'unknown'].map((status) =>
        series('kube_node_status_condition', { node: name, condition: 'Ready', status }, status === ready ? 1 : 0),
      ),
    ];
  });
}

function podMetrics(pods: KubeObject[]): Series[] {
  return pods.flatMap((pod) => {
    const labels = { namespace: pod.metadata.namespace ?? 'default', pod: pod.metadata.name };
    return [
      series('kube_pod_info', { ...labels, node: String(pod['spec']?.nodeName ?? '') }, 1),
      ...POD_PHASES.map((phase) => series('kube_pod_status_phase', { ...labels, phase }, pod['status']?.phase === phase ? 1 : 0)),
    ];
  });
}

function deploymentMetrics(deployments: KubeObject[]): Series[] {
  return deployments.flatMap((deployment) => {
    const labels = { namespace: deployment.metadata.namespace ?? 'default', deployment: deployment.metadata.name };
    return [
      series('kube_deployment_spec_replicas', labels, Number(deployment['spec']?.replicas ?? 1)),
      series('kube_deployment_status_replicas_available', labels, Number(deployment['status']?.availableReplicas ?? 0)),
    ];
  });
}

/** Every series of this moment; `illness`: of what the cluster itself does not show. */
export function worldMetrics(world: World, illness: Illness): Series[] {
  const { store } = world;
  const pods = store.list('pods');
  const deployments = store.list('deployments');
  const own = [
    series('up', { job: 'prometheus', instance: 'localhost:9090' }, 1),
    series('up', { job: 'kubernetes-apiservers', instance: 'kubernetes:443' }, world.apiServerDown() ? 0 : 1),
    ...nodeMetrics(store.list('nodes')),
    ...podMetrics(pods),
    ...waitingMetrics(pods),
    ...deploymentMetrics(deployments),
    ...apiServerMetrics(world, illness.slowApi),
    ...dnsMetrics(world.clock.elapsedMs() / 1000),
    ...karpenterMetrics(deployments),
    ...alertSeries(illness.alert),
    ...xdsMetrics(world, pods),
    ...trafficMetrics(world, pods),
  ];
  return monitored(own, world.monitoring ?? {}, world.clock.elapsedMs() / 1000);
}
