/** All that Belay does with Istio. */
import type { IstioActivities } from './contract.ts';
import type { KubernetesDeps } from '../../ports.ts';
import { createAwaitRevisionActivities } from './await-revision.ts';
import { createCheckRetirementActivities } from './check-retirement.ts';
import type { Istioctl } from '../../istioctl/analysis.ts';
import type { HelmDeps } from '../helm-upgrade.ts';
import { createGatewayActivities } from './gateways.ts';
import { createGitOpsRetireActivities } from './gitops-retire.ts';
import { createGitOpsRevisionActivities } from './gitops-revision.ts';
import { createHelmRevisionActivities } from './helm-revision.ts';
import { createLoneIstiodActivities } from './lone-istiod.ts';
import { createNodeAgentActivities } from './node-agents.ts';
import { createProxyActivities } from './proxies.ts';
import { createRollByHandActivities } from './roll-by-hand.ts';
import { createWaveActivities } from './waves.ts';

/** `helm` is needed only where Istio is managedBy helm. */
export function createIstioActivities(deps: KubernetesDeps & HelmDeps & { istioctl?: Istioctl }): IstioActivities {
  const waves = createWaveActivities(deps);
  return {
    ...createHelmRevisionActivities(deps),
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
