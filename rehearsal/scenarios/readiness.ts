/** A cluster with one fault for each thing that readiness looks at, as far as they get along: each fault's name says what it is. For `belay check`, not to be upgraded. */
import type { World } from '../world/world.ts';
import { addNodeGroup } from './parts/cluster-parts.ts';
import { plantAccess } from './readiness/access.ts';
import { plantAccount } from './readiness/account.ts';
import { plantApis } from './readiness/apis.ts';
import { plantDelivery } from './readiness/delivery.ts';
import { plantEks } from './readiness/eks.ts';
import { plantIstio } from './readiness/istio.ts';
import { plantKarpenter } from './readiness/karpenter.ts';
import { plantNodes } from './readiness/nodes.ts';
import { plantWorkloads } from './readiness/workloads.ts';
import type { Scenario } from './scenario.ts';
import { small } from './small.ts';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 3, dedicated: true });
  plantEks(world);
  plantNodes(world);
  plantKarpenter(world);
  plantIstio(world);
  plantWorkloads(world);
  plantApis(world);
  plantAccess(world);
  plantDelivery(world);
  plantAccount(world);
}

export const readiness: Scenario = {
  ...small,
  name: 'readiness',
  title: 'Everything that can be wrong, 1.32 → 1.35',
  description: 'One fault for each readiness check, each with a name that says what it is: for belay check, not to be upgraded.',
  cluster: { name: 'readiness', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.32',
  to: '1.35',
  startsAt: '2026-02-10T01:00:00Z',
  managedBy: { karpenter: 'helm' },
  expectations: { controlPlane: '1.35', kubelets: '1.35' },
  build,
};
