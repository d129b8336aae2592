/** Tries what is believed of Flux and Argo CD by asking them to look now. */
import { broken, type ChangeCheck, held, untried } from './check.ts';
import { at, mustBe, nameOf, someOf, stringsAt, textAt, within } from './look.ts';

const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const REFRESH = 'argocd.argoproj.io/refresh';

export const GITOPS_CHANGES: Readonly<Record<string, ChangeCheck>> = {
  'FLUX-REQUESTED': async (ground, owe) => {
    const releases = await someOf(ground, '/apis/helm.toolkit.fluxcd.io/v2/helmreleases', 'HelmRelease');
    const release = releases.find((each) => at(each, 'spec', 'suspend') !== true);
    if (release === undefined) return untried('every HelmRelease is suspended');
    const [namespace, name] = nameOf(release).split('/');
    const path = `/apis/helm.toolkit.fluxcd.io/v2/namespaces/${namespace}/helmreleases/${name}`;
    const annotate = async (value: string | null): Promise<unknown> =>
      mustBe(
        await ground.kube('PATCH', path, { body: { metadata: { annotations: { [REQUESTED_AT]: value } } } }),
        200,
        'annotating the HelmRelease',
      );
    const before = stringsAt(release, 'metadata', 'annotations')[REQUESTED_AT] ?? null;
    owe(`annotation ${REQUESTED_AT} of HelmRelease ${nameOf(release)}`, async () => void (await annotate(before)));
    const token = `belay-conformance-${Date.now()}`;
    await annotate(token);
    const handled = await within(
      ground,
      async () => textAt(mustBe(await ground.kube('GET', path), 200, 'the HelmRelease'), 'status', 'lastHandledReconcileAt') === token,
    );
    return handled ? held(`${nameOf(release)} repeats it`) : broken(`${nameOf(release)} has not repeated it`);
  },
  'ARGO-REFRESH': async (ground, owe) => {
    const [application] = await someOf(ground, '/apis/argoproj.io/v1alpha1/applications', 'Application');
    const [namespace, name] = nameOf(application).split('/');
    const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
    const annotate = async (value: string | null): Promise<unknown> =>
      mustBe(
        await ground.kube('PATCH', path, { body: { metadata: { annotations: { [REFRESH]: value } } } }),
        200,
        'annotating the Application',
      );
    owe(`annotation ${REFRESH} of Application ${nameOf(application)}`, async () => void (await annotate(null)));
    await annotate('normal');
    const taken = await within(
      ground,
      async () =>
        stringsAt(mustBe(await ground.kube('GET', path), 200, 'the Application'), 'metadata', 'annotations')[REFRESH] === undefined,
    );
    return taken ? held(`${nameOf(application)} has lost it`) : broken(`${nameOf(application)} still carries it`);
  },
};
