/** Where Helm keeps the release of a revision, by Helm's own annotations on what it has installed. */
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { type ReleaseName, releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import { findIstiods, istiodOf, listMutating, listValidating, REV, TAG } from '../mesh/inventory.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

export interface ReleasePlace extends ReleaseName {
  /** istiod of the revision is installed. */
  there: boolean;
}

/** istiod goes early in an uninstall: after one that was cut off, what is left of the revision still says whose it is. */
export async function releasePlaceOf(port: KubernetesPort, revision: string): Promise<ReleasePlace> {
  const istiod = (await findIstiods(port, revision))[0];
  const marked = istiod ?? (await leftOf(port, revision));
  const home = marked?.metadata.namespace ?? 'istio-system';
  const [name, namespace] = marked === undefined ? [] : [releaseNameOf(marked), releaseNamespaceOf(marked)];
  return { name: name ?? istiodOf(revision), namespace: namespace ?? home, there: istiod !== undefined };
}

async function leftOf(port: KubernetesPort, revision: string): Promise<KubeObject | undefined> {
  const labelSelector = `${REV}=${revision}`;
  const spaced = ['services', 'configmaps', 'serviceaccounts'].map(
    async (plural) => (await port.list({ apiVersion: 'v1', plural, labelSelector })) ?? [],
  );
  const webhooks: KubeObject[] = [...(await listMutating(port)), ...(await listValidating(port))];
  const own = webhooks.filter(({ metadata }) => metadata.labels?.[REV] === revision && metadata.labels[TAG] === undefined);
  return [...own, ...(await Promise.all(spaced)).flat()].find((object) => releaseNameOf(object) !== undefined);
}

export function noRelease(revision: string, namespace: string, name: string): Error {
  return failureOf(
    'Configuration',
    `looking for the Helm release of Istio revision ${revision}: there is no release ${namespace}/${name}; if something else installs Istio, say so in managedBy.istio`,
  );
}
