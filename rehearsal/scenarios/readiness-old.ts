/** Faults that do not go with those of the scenario `readiness`: an old minor, its deprecated API, and an update that does not end. */
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import { readiness } from './readiness.ts';
import { plantAnonymousAccess } from './readiness/access.ts';
import type { Scenario } from './scenario.ts';

const DAY_MS = 24 * 3_600_000;
const LIFE_MS = 7 * DAY_MS;
const FLOW_SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas';

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 2 });
  addAddOn(world, 'vpc-cni', 'v1.19.2-eksbuild.5');
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  // One minor behind the control plane: nobody has finished the last upgrade.
  addAddOn(world, 'kube-proxy', 'v1.29.10-eksbuild.3');
  plantAnonymousAccess(world);
  const nowMs = world.clock.nowMs();
  world.eks.deprecatedCalls.push(
    { path: FLOW_SCHEMAS, userAgent: 'repaired-client/1.2', atMs: nowMs - 9 * DAY_MS },
    { path: FLOW_SCHEMAS, userAgent: 'repaired-client/1.2', atMs: nowMs - 8 * DAY_MS },
  );
  world.eks.updates.push({
    id: '5a1b2c3d-0000-4000-8000-000000000131',
    resource: { kind: 'cluster' },
    type: 'VersionUpdate',
    status: 'InProgress',
    params: [{ type: 'Version', value: '1.31' }],
    createdAtMs: nowMs,
    errors: [],
  });
}

export const readinessOld: Scenario = {
  ...readiness,
  name: 'readiness-old',
  title: 'An old cluster in the middle of an update, 1.30 → 1.32',
  description:
    'Faults that do not go with those of readiness: a deprecated API that is called, and a control plane update that does not end.',
  cluster: { ...readiness.cluster, name: 'readiness-old' },
  from: '1.30',
  to: '1.32',
  // The update goes on for as long as anybody looks.
  tempo: { ...readiness.tempo, apiServerMovesAfterMs: LIFE_MS, controlPlaneUpdateMs: 2 * LIFE_MS },
  managedBy: {},
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};
