/** All that Belay does with Istio. */
import type { IstioActivities } from '../contract/istio.ts';
import type { KubernetesDeps } from '../contract/ports.ts';
import { createAwaitRevisionActivities } from './revision/await-revision.ts';
import { createCheckRetirementActivities } from './retirement/check-retirement.ts';
import type { Istioctl } from './mesh/istioctl.ts';
import type { HelmDeps } from '../kubernetes/helm/upgrade.ts';
import { createGatewayActivities } from './waves/gateways.ts';
import { createGitOpsRetireActivities } from './retirement/gitops-retire.ts';
import { createGitOpsRevisionActivities } from './revision/gitops-revision.ts';
import { createHelmRetireActivities } from './retirement/helm-retire.ts';
import { createHelmRevisionActivities } from './revision/helm-revision.ts';
import { createLoneIstiodActivities } from './mesh/lone-istiod.ts';
import { createNodeAgentActivities } from './revision/node-agents.ts';
import { createProxyActivities } from './waves/proxies.ts';
import { createRollByHandActivities } from './waves/restart-by-hand.ts';
import { createWaveActivities } from './waves/move-waves.ts';

/** `helm` is needed only where Istio is managedBy helm. */
export function createIstioActivities(deps: KubernetesDeps & HelmDeps & { istioctl?: Istioctl }): IstioActivities {
  const waves = createWaveActivities(deps);
  return {
    ...createHelmRevisionActivities(deps),
    ...createHelmRetireActivities(deps),
    ...createGitOpsRevisionActivities(deps),
    ...createGitOpsRetireActivities(deps),
    ...createAwaitRevisionActivities(deps),
    ...waves,
    ...createLoneIstiodActivities(deps),
    ...createGatewayActivities(deps),
    ...createNodeAgentActivities(deps),
    ...createProxyActivities({ ...deps, readWave: waves.readWave }),
    ...createRollByHandActivities(deps),
    ...createCheckRetirementActivities(deps),
  };
}
