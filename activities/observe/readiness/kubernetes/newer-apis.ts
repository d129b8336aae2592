/** What is kept in the APIs that only the newer minor serves, by metadata alone. */
import { type NewerApi, newerApis } from '../../../../domain/facts/newer-apis.ts';
import type { NewerApiSeen, NewerObject } from '../../../../domain/plan/rollback/evidence.ts';
import type { KubernetesVersion } from '../../../../domain/core/version.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { see, type OnTransient } from '../../../runtime/see.ts';
import { splitVersion } from './apis.ts';
import { defined } from '../../../../domain/core/defined.ts';

/** `at`: the minor that the control plane is at. What may not be listed is said, never passed over. */
export function readNewerApis(port: KubernetesPort, at: KubernetesVersion, onTransient: OnTransient): Promise<NewerApiSeen[]> {
  return Promise.all(
    newerApis(at).map(async (api): Promise<NewerApiSeen> => {
      const objects = await see(`listing ${api.plural}.${api.group}`, () => listed(port, api), onTransient);
      return { api, objects: objects.ok ? objects.value : objects.unseen.why };
    }),
  );
}

/** In the first version that this server has: all versions show the same objects. None: betas are off, and nothing can be kept. */
async function listed(port: KubernetesPort, { group, versions, plural, own }: NewerApi): Promise<NewerObject[]> {
  const selector = own?.labelSelector;
  for (const version of versions) {
    const found: NewerObject[] = [];
    const query = { apiVersion: `${group}/${version}`, plural, metadataOnly: true };
    const answer = await port.list<KubeObject>({ ...query, ...defined({ labelSelector: selector }) }, (object) => {
      if (!isOwn(object, own)) found.push(objectOf(object));
      return undefined;
    });
    if (answer !== undefined) return found;
  }
  return [];
}

const isOwn = ({ metadata: { name } }: KubeObject, own: NewerApi['own'] = {}): boolean =>
  name === own.name || (own.prefix !== undefined && name.startsWith(own.prefix));

function objectOf({ metadata: { name, namespace, managedFields = [] } }: KubeObject): NewerObject {
  const writers = managedFields
    .filter(({ subresource }) => subresource === undefined || subresource === '')
    .map(({ manager = 'somebody', apiVersion = '' }) => ({ manager, version: splitVersion(apiVersion).version }));
  return { name, ...defined({ namespace }), writers };
}
