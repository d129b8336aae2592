/** Where GitOps delivers Istio, the plan says which objects Belay changes itself and for which merges it asks. */
import { expect, test } from 'vitest';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import { policy, seed002Facts } from '../../../support/facts.ts';
import { planOf, stepOf } from '../../../support/plans.ts';

const BASE: DeliveredChart = { kind: 'HelmRelease', namespace: 'istio-system', name: 'base', chart: 'base', version: '1.26.2' };
const ISTIOD: DeliveredChart = { ...BASE, name: 'istiod', chart: 'istiod' };
const kept = (chart: DeliveredChart): DeliveredChart => ({ ...chart, owner: 'Kustomization flux-system/mesh' });

const COPIES = 'makes a copy of what delivers istiod for each new revision, and removes the old one behind a gate.';
const ASKS = 'kept as in Git by Kustomization flux-system/mesh, so Belay asks for the merges.';

test.each<[string, DeliveredChart[], string]>([
  ['none of it is kept', [BASE, ISTIOD], `Belay changes HelmRelease istio-system/base, HelmRelease istio-system/istiod, ${COPIES}`],
  ['all of it is kept', [kept(BASE), kept(ISTIOD)], `HelmRelease istio-system/base, HelmRelease istio-system/istiod: ${ASKS}`],
  [
    'a part is kept',
    [BASE, kept(ISTIOD)],
    `Belay changes HelmRelease istio-system/base, ${COPIES} HelmRelease istio-system/istiod: ${ASKS}`,
  ],
  ['something else delivers istiod', [BASE], ''],
  ['Argo CD delivers it, and belay.yaml says Flux', [{ ...ISTIOD, kind: 'Application' }], ''],
])('%s', (_what, deliveredCharts, words) => {
  const facts = seed002Facts();
  const { istio } = facts;
  if (istio === undefined) throw new Error('these facts have Istio');
  const own = { policy: policy({ managedBy: { ...policy().managedBy, istio: 'flux' } }) };
  const whyWith = (charts: DeliveredChart[]): string =>
    stepOf(planOf({ ...facts, istio: { ...istio, deliveredCharts: charts } }, '1.34', own), 'istio@1.33').why;
  expect(whyWith(deliveredCharts)).toBe(`${whyWith([])}${words === '' ? '' : ` ${words}`}`);
});
