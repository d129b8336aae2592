/** Revision tags as Istio tells Helm's users to set them: rendered from istiod's chart and applied by hand, so that they belong to no release. */
import { parseAllDocuments } from 'yaml';
import type { KubeObject, ObjectStore } from '../../kubernetes/store.ts';
import type { Api } from '../api.ts';
import { objectPath } from '../paths.ts';

const TAG = 'istio.io/tag';

/** Tags of a scenario's cluster by the revision that they point at. */
export function tagsOf(seed: ObjectStore, revision: string): string[] {
  return seed
    .list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })
    .flatMap(({ metadata }) => metadata.labels?.[TAG] ?? []);
}

/** `rendered`: what helm prints of istiod's chart; only its tags are applied. istiod gives them its authority by itself. */
export async function applyTags(api: Api, seed: ObjectStore, rendered: string): Promise<void> {
  for (const document of parseAllDocuments(rendered)) {
    const object = document.toJS() as KubeObject | null;
    if (object?.metadata?.labels?.[TAG] === undefined) continue;
    const type = seed.type(`${object.kind.toLowerCase()}s`);
    if (type === undefined) throw new Error(`a revision tag of Istio's chart has a ${object.kind}, which the rehearsal does not know`);
    await api.patch(objectPath(type, object.metadata.name, object.metadata.namespace), object, 'apply');
  }
}
