/** Several versions of a custom type: what is stored, what is shown, and what happens when nobody converts. */
import type { Conversation, Json } from '../conversation.ts';
import { definition, namespace } from '../objects.ts';
import type { Area } from '../suite.ts';
import { established, ready } from './established.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const versions = (...names: string[]) =>
  names.map((name) => ({
    name: name.replace('*', ''),
    served: true,
    storage: name.endsWith('*'),
    schema: { openAPIV3Schema: OPEN },
    subresources: { status: {} },
  }));

const custom = (kind: string, version: string, spec: object) => ({
  apiVersion: `contract.belay.dev/${version}`,
  kind,
  metadata: { name: 'one' },
  spec,
});

async function define(talk: Conversation, home: string, crd: { metadata: { name: string }; spec: { names: { plural: string } } }) {
  await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
  await talk.post(DEFINITIONS, crd, { quiet: true });
  const at = `${DEFINITIONS}/${crd.metadata.name}`;
  await talk.eventually(at, established, { pick: () => 'established' });
  const path = (version: string): string => `/apis/contract.belay.dev/${version}/namespaces/${home}/${crd.spec.names.plural}`;
  return { at, path };
}

const storedVersions = ({ status }: Json): unknown => status.storedVersions;
/** Without the value, which minors word differently. */
const refusal = ({ details }: Json): unknown =>
  details.causes.map(({ field, message }: Json) => [field, message.slice(message.indexOf('missing'))]);

export const conversions: Area = {
  name: 'conversions',
  cases: {
    'the storage version moves, and what was stored before holds the old one': async (talk) => {
      const { at, path } = await define(
        talk,
        'conversions-storage',
        definition('ladders', 'Ladder', OPEN, { versions: versions('v1beta1*') }),
      );
      await ready(talk, path('v1beta1'));
      await talk.post(path('v1beta1'), custom('Ladder', 'v1beta1', { rungs: 3 }), { quiet: true });
      await talk.patch(at, 'merge', { spec: { versions: versions('v1*', 'v1beta1') } }, { pick: storedVersions });
      await ready(talk, path('v1'));
      await talk.patch(at, 'merge', { spec: { versions: versions('v1*') } }, { pick: refusal });
      await talk.patch(`${at}/status`, 'merge', { status: { storedVersions: ['v1beta1'] } }, { pick: storedVersions });
      const { body: before } = await talk.get(`${path('v1')}/one`, { quiet: true });
      await talk.put(`${path('v1')}/one`, before, {
        pick: ({ apiVersion, metadata, spec }) => [
          apiVersion,
          spec,
          metadata.generation,
          metadata.resourceVersion === before.metadata.resourceVersion ? 'not written' : 'written',
        ],
      });
      const { body: after } = await talk.get(`${path('v1beta1')}/one`, { quiet: true });
      await talk.put(`${path('v1beta1')}/one`, after, {
        pick: ({ apiVersion, metadata }) => [
          apiVersion,
          metadata.resourceVersion === after.metadata.resourceVersion ? 'not written' : 'written',
        ],
      });
      await talk.patch(`${at}/status`, 'merge', { status: { storedVersions: ['v1'] } }, { pick: storedVersions });
      await talk.patch(at, 'merge', { spec: { versions: versions('v1*') } }, { pick: storedVersions });
    },
    'a conversion webhook that points nowhere': async (talk) => {
      const service = { namespace: 'conversions-webhook', name: 'converter', port: 8443, path: '/convert' };
      const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } } };
      const { at, path } = await define(
        talk,
        'conversions-webhook',
        definition('tides', 'Tide', OPEN, { versions: versions('v1', 'v1beta1*'), conversion }),
      );
      await ready(talk, path('v1beta1'));
      await talk.post(path('v1beta1'), custom('Tide', 'v1beta1', { height: 3 }), { pick: ({ spec }) => spec });
      await talk.get(`${path('v1beta1')}/one`, { pick: ({ spec }) => spec });
      await talk.get(`${path('v1')}/one`);
      await talk.get(`${path('v1')}?limit=500`);
      await talk.get(path('v1'));
      await talk.post(path('v1'), { ...custom('Tide', 'v1', {}), metadata: { name: 'two' } });
      await talk.patch(`${path('v1')}/one`, 'merge', { spec: { height: 4 } });
      await talk.post(
        '/api/v1/namespaces/conversions-webhook/services',
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'converter' }, spec: { ports: [{ port: 443 }] } },
        { quiet: true },
      );
      await talk.eventually(`${path('v1')}/one`, ({ message }) => /no service port/.test(message ?? ''));
      // Once the definition has changed, the server cannot fill its cache.
      const clientConfig = { service: { ...service, path: '/convert-all' } };
      await talk.patch(at, 'merge', { spec: { conversion: { webhook: { clientConfig } } } }, { quiet: true });
      await talk.eventually(path('v1'), ({ message }) => /failed to list.*convert-all/.test(message ?? ''));
    },
  },
};
