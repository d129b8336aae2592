/** Health: a query that sees nothing, an alert before nodes move, an API server that is slow while its control plane moves. */
import { LOAD_BALANCER } from '../aws/metrics/cloudwatch.ts';
import { rollScenario } from './parts/roll-parts.ts';
import { small } from './small.ts';

/** The query is one in circulation: Karpenter has no such metric. */
export const healthBlind = rollScenario({
  name: 'health-blind',
  title: 'A health check that sees nothing, 1.31 → 1.32',
  description: 'One of the checks in belay.yaml asks for a metric that does not exist. The first gate says so, and what would be right.',
  settings: {
    health: {
      checks: {
        'karpenter-launches': {
          query: 'sum(increase(karpenter_node_claims_terminated_total{reason="launch_failed"}[10m]))',
          failWhen: { operator: '>', value: 2 },
        },
      },
    },
  },
  build: (world) => small.build(world),
});

export const alertFiring = rollScenario({
  name: 'alert-firing',
  title: 'An alert fires before the node groups, 1.31 → 1.32',
  description:
    'A critical alert fires once the control plane has moved. The run is parked before the node groups and continues by itself once it is resolved.',
  faults: ['prometheus:alert=40@control-plane'],
  build: (world) => small.build(world),
});

export const apiLatency = rollScenario({
  name: 'api-latency',
  title: 'A slow API server while the control plane moves, 1.31 → 1.32',
  description:
    "The API server's p99 is over its limit during the control plane's update alone. The step comes to its end, and people decide before the next one.",
  faults: ['prometheus:slow-api=4@control-plane'],
  // Long enough for some looks.
  tempo: { ...small.tempo, controlPlaneUpdateMs: 2_400_000 },
  build: (world) => small.build(world),
});

export const prometheusShared = rollScenario({
  name: 'prometheus-shared',
  title: 'A Prometheus that two clusters share, 1.31 → 1.32',
  description:
    "The other cluster's API server fails and its alerts fire: matchers keep that apart. An alert of the cluster itself is silenced in Alertmanager and stops nothing.",
  settings: { prometheus: { matchers: ['cluster="prometheus-shared"'] } },
  alertmanager: true,
  build(world) {
    world.monitoring = { shared: { cluster: 'prometheus-shared', other: 'sandbox' }, silenced: 'CheckoutSlow' };
    small.build(world);
  },
});

const ofShop = (metric: string) => ({
  namespace: 'AWS/ApplicationELB',
  metric,
  dimensions: { LoadBalancer: LOAD_BALANCER },
  stat: 'Sum',
});

export const scrapesOnly = rollScenario({
  name: 'scrapes-only',
  title: 'No Prometheus, but /metrics, 1.31 → 1.32',
  description:
    "Health checks compare scrapes of the API server, CoreDNS and Karpenter. A tenth of the API server's answers are 5xx while the node group is updated, and people decide before the next step.",
  prometheus: 'none',
  // Long enough for some looks.
  tempo: { ...small.tempo, nodeLaunchMs: 90_000, nodeDrainMs: 60_000 },
  build(world) {
    world.monitoring = { apiServerFails: true };
    small.build(world);
  },
});

export const cloudWatchOnly = rollScenario({
  name: 'cloudwatch-only',
  title: "No Prometheus, but CloudWatch's metrics, 1.31 → 1.32",
  description:
    "Checks ask CloudWatch alone. One names no cluster and is blind; the shop's load balancer counts errors while the control plane moves, and people decide before the next step.",
  prometheus: 'none',
  settings: {
    health: {
      checks: {
        'shop-errors': {
          cloudWatch: {
            expression: 'FILL(errors, 0) / requests',
            metrics: { errors: ofShop('HTTPCode_Target_5XX_Count'), requests: ofShop('RequestCount') },
          },
          failWhen: { operator: '>', value: 0.05 },
        },
        'pods-waiting': {
          cloudWatch: {
            namespace: 'AWS/EKS',
            metric: 'scheduler_pending_pods',
            dimensions: { ClusterName: 'cloudwatch-only' },
            stat: 'Maximum',
          },
          failWhen: { operator: '>', value: 50 },
        },
        'api-errors': {
          cloudWatch: { namespace: 'AWS/EKS', metric: 'apiserver_request_total_5XX', stat: 'Sum' },
          failWhen: { operator: '>', value: 100 },
        },
      },
    },
  },
  // Long enough for some looks.
  tempo: { ...small.tempo, controlPlaneUpdateMs: 2_400_000 },
  build(world) {
    world.monitoring = { shopFails: true };
    small.build(world);
  },
});
