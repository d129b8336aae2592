/** Health: a query that sees nothing, an alert before nodes move, an API server that is slow while its control plane moves. */
import { rollScenario } from './roll-parts.ts';
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
    'A critical alert fires once the control plane has moved. The run is parked before the node groups and goes on by itself when it is resolved.',
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
