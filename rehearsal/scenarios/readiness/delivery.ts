/** Who delivers what in the scenario `readiness`, and kube-proxy's mode. */
import type { World } from '../../world/world.ts';
import { addApplication, addKubeProxyConfig } from '../parts/delivery-parts.ts';
import { addNamespace } from '../parts/workload-parts.ts';

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
