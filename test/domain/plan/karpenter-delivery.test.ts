/** How a new Karpenter comes: what the plan says of it, and where the freeze then stands. */
import { describe, expect, test } from 'vitest';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { policy, seed000Facts } from '../../support/facts.ts';
import { paramsOf, planOf, stepIds, stepOf } from '../../support/plans.ts';

type By = 'helm' | 'flux' | 'argocd' | 'terraform' | 'manual';

const RELEASE: DeliveredChart = { kind: 'HelmRelease', namespace: 'flux-system', name: 'karpenter', chart: 'karpenter', version: '1.1.1' };
const CRDS: DeliveredChart = { ...RELEASE, name: 'crds', chart: 'karpenter-crd' };
const KEPT: DeliveredChart = { ...RELEASE, owner: 'Kustomization flux-system/platform' };
const APPLICATION: DeliveredChart = { ...RELEASE, kind: 'Application', namespace: 'argocd' };

function planBy(karpenter: By, deliveredCharts: DeliveredChart[] = []) {
  const base = seed000Facts();
  const facts = base.karpenter === undefined ? base : { ...base, karpenter: { ...base.karpenter, deliveredCharts } };
  return planOf(facts, '1.32', { policy: policy({ managedBy: { ...policy().managedBy, karpenter } }) });
}

const FREEZE_FIRST = ['pre-checks@1.32', 'freeze-drift@1.32', 'karpenter-controller@1.32', 'add-ons-bridge@1.32', 'control-plane@1.32'];
const FREEZE_LATER = ['pre-checks@1.32', 'karpenter-controller@1.32', 'add-ons-bridge@1.32', 'freeze-drift@1.32', 'control-plane@1.32'];

describe('how Karpenter is changed', () => {
  test.each<[string, By, DeliveredChart[], unknown, string[]]>([
    ['helm', 'helm', [], { kind: 'helm' }, FREEZE_FIRST],
    ['Flux, and nobody keeps its objects', 'flux', [CRDS, RELEASE], { kind: 'gitops', charts: [CRDS, RELEASE] }, FREEZE_FIRST],
    ['Flux, kept as in Git', 'flux', [KEPT], { kind: 'gitops', charts: [KEPT] }, FREEZE_LATER],
    ['Flux, of which nothing delivers the controller', 'flux', [CRDS], undefined, FREEZE_LATER],
    ['Argo CD, and Flux has one as well', 'argocd', [RELEASE, APPLICATION], { kind: 'gitops', charts: [APPLICATION] }, FREEZE_FIRST],
    ['Terraform', 'terraform', [RELEASE], undefined, FREEZE_LATER],
    ['people', 'manual', [RELEASE], undefined, FREEZE_LATER],
  ])('by %s', (_title, by, charts, delivery, order) => {
    const plan = planBy(by, charts);
    expect(paramsOf(plan, 'karpenter-controller', '1.32').delivery).toEqual(delivery);
    expect(stepIds(plan).slice(0, 5)).toEqual(order);
  });

  test.each<[By, DeliveredChart[], string, string]>([
    [
      'helm',
      [],
      ' Belay upgrades karpenter-crd and then karpenter with helm, with the values that the releases have.',
      'helm rollback the release of the controller to its revision before; the newer CRDs stay, compatible within v1',
    ],
    [
      'flux',
      [CRDS, KEPT],
      ' Belay changes the version in HelmRelease flux-system/crds. HelmRelease flux-system/karpenter is kept as in Git by Kustomization flux-system/platform: Belay asks for the merge.',
      'set HelmRelease flux-system/karpenter back to 1.1.1; the newer CRDs stay, compatible within v1',
    ],
    ['manual', [], '', 'deploy chart 1.1.1 with the values it had; the newer CRDs stay, compatible within v1'],
  ])('the plan says it, and the way back, by %s', (by, charts, way, back) => {
    const { why, rollback } = stepOf(planBy(by, charts), 'karpenter-controller@1.32');
    expect(why).toBe(`Karpenter 1.1.1 does not support both Kubernetes 1.31 and 1.32; 1.2 (at least 1.2.0) does.${way}`);
    expect(rollback.how).toBe(back);
  });
});
