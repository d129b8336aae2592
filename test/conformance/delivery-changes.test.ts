/** What is found of Flux and Argo CD when they are asked to look now and do not. */
import { expect, test } from 'vitest';
import { answered, type Outside, verdictOn } from './answers.ts';

const RELEASES = '/apis/helm.toolkit.fluxcd.io/v2/helmreleases';
const RELEASE = '/apis/helm.toolkit.fluxcd.io/v2/namespaces/flux/helmreleases/shop';
const APPLICATIONS = '/apis/argoproj.io/v1alpha1/applications';
const APPLICATION = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop';

const flux = (suspend: boolean, more: Record<string, unknown> = {}): Outside => ({
  kube: {
    [RELEASES]: { items: [{ metadata: { namespace: 'flux', name: 'shop' }, spec: { suspend } }] },
    [RELEASE]: { status: { lastHandledReconcileAt: 'yesterday' } },
    ...more,
  },
  ground: { limitMs: 20 },
});
const argo = (annotations: object): Outside => ({
  kube: {
    [APPLICATIONS]: { items: [{ metadata: { namespace: 'argocd', name: 'shop' } }] },
    [APPLICATION]: { metadata: { annotations } },
  },
  ground: { limitMs: 20 },
});

test.each<[string, Outside, string]>([
  ['FLUX-REQUESTED', flux(false), 'broken: flux/shop has not repeated it'],
  // One that is suspended is not reconciled: it has nothing to repeat.
  ['FLUX-REQUESTED', flux(true), 'untried, absent: every HelmRelease is suspended'],
  [
    'FLUX-REQUESTED',
    flux(false, { [`PATCH ${RELEASE}`]: answered(409, { message: 'changed' }) }),
    'untried, unanswered: annotating the HelmRelease was answered with 409 (changed)',
  ],
  ['ARGO-REFRESH', argo({}), 'held: argocd/shop has lost it'],
  ['ARGO-REFRESH', argo({ 'argocd.argoproj.io/refresh': 'normal' }), 'broken: argocd/shop still carries it'],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
