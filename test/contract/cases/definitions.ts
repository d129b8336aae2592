/** CustomResourceDefinitions: what they make the server serve, validate, default and prune. */
import type { Conversation } from '../conversation.ts';
import { definition, namespace } from '../objects.ts';
import type { Area } from '../suite.ts';
import { established, ready } from './established.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export async function define(talk: Conversation, home: string, crd: ReturnType<typeof definition>): Promise<string> {
  await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
  await talk.post(DEFINITIONS, crd, { quiet: true });
  await talk.eventually(`${DEFINITIONS}/${crd.metadata.name}`, established, { pick: () => 'established' });
  const path = `/apis/contract.belay.dev/v1/namespaces/${home}/${crd.spec.names.plural}`;
  await ready(talk, path);
  return path;
}

const custom = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'contract.belay.dev/v1',
  kind,
  metadata: { name },
  ...more,
});

const POOL_SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['budgets'],
      properties: {
        budgets: {
          type: 'array',
          maxItems: 2,
          minItems: 1,
          items: {
            type: 'object',
            required: ['nodes'],
            properties: {
              nodes: { type: 'string', pattern: '^((100|[0-9]{1,2})%|[0-9]+)$', default: '10%' },
              reasons: { type: 'array', items: { type: 'string', enum: ['Underutilized', 'Empty', 'Drifted'] } },
            },
          },
        },
        weight: { type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
        share: { type: 'number', multipleOf: 0.5 },
        policy: { type: 'string', enum: ['WhenEmpty', 'Always'], default: 'Always' },
        name: { type: 'string', minLength: 2, maxLength: 4 },
        limits: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer' } },
        flag: { type: 'boolean' },
        size: { 'x-kubernetes-int-or-string': true },
        when: { type: 'string', format: 'date-time' },
        maybe: { type: 'string', nullable: true },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['key'],
          items: { type: 'object', required: ['key'], properties: { key: { type: 'string' }, value: { type: 'string' } } },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { nodes: { type: 'integer' } } },
  },
};

export const definitions: Area = {
  name: 'definitions',
  cases: {
    'a definition, and what is served for it': async (talk) => {
      await talk.post(
        DEFINITIONS,
        definition(
          'widgets',
          'Widget',
          { type: 'object' },
          { names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] } },
        ),
        {
          pick: ({ status: _status, ...body }) => body,
        },
      );
      await talk.eventually(`${DEFINITIONS}/widgets.contract.belay.dev`, established, {
        pick: ({ metadata: { resourceVersion: _version, ...metadata }, ...body }) => ({ ...body, metadata }),
      });
      await ready(talk, '/apis/contract.belay.dev/v1/widgets');
      await talk.get('/apis/contract.belay.dev', {
        pick: (body) => ({ kind: body.kind, name: body.name, preferred: body.preferredVersion }),
      });
      await talk.eventually('/apis/contract.belay.dev/v1', (body) => body.resources?.some(isWidget), {
        pick: (body) =>
          body.resources.filter(isWidget).map(({ storageVersionHash: _hash, ...resource }: Record<string, unknown>) => resource),
      });
      await talk.get('/apis/contract.belay.dev/v1/widgets');
      await talk.get('/apis/contract.belay.dev/v1/namespaces/default/widgets/none');
      await talk.get('/apis/contract.belay.dev/v2/widgets');
    },
    'definitions that are none': async (talk) => {
      await talk.post(DEFINITIONS, { ...definition('gizmos', 'Gizmo', { type: 'object' }), metadata: { name: 'wrong' } });
    },
    'a schema refuses, in the words that people know': async (talk) => {
      const path = await define(talk, 'definitions-schema', definition('pools', 'Pool', POOL_SCHEMA));
      const post = (spec: unknown) => talk.post(path, custom('Pool', 'bad', { spec }));
      await talk.post(path, custom('Pool', 'bad'));
      await post({});
      await post('text');
      await post({ budgets: [] });
      await post({ budgets: 'text' });
      await post({ budgets: [{ nodes: '10%' }, { nodes: '1' }, { nodes: '2' }] });
      await post({ budgets: [{ nodes: 10 }] });
      await post({ budgets: [{ nodes: 'some' }] });
      await post({ budgets: [{ nodes: '1', reasons: ['Bored'] }] });
      await post({ budgets: [{}], weight: 0 });
      await post({ budgets: [{}], weight: 101 });
      await post({ budgets: [{}], weight: 1.5 });
      await post({ budgets: [{}], weight: '1' });
      await post({ budgets: [{}], share: 0.7 });
      await post({ budgets: [{}], policy: 'Never' });
      await post({ budgets: [{}], name: 'x' });
      await post({ budgets: [{}], name: 'longer' });
      await post({ budgets: [{}], limits: { a: 1, b: 2 } });
      await post({ budgets: [{}], limits: { a: 'x' } });
      await post({ budgets: [{}], flag: 'yes' });
      await post({ budgets: [{}], size: true });
      await post({ budgets: [{}], when: 'soon' });
      await post({ budgets: [{}], flag: null });
      await post({ budgets: [{}], keyed: [{ key: 'a' }, { key: 'a' }] });
      await post({ budgets: [{}], keyed: [{ value: 'a' }] });
      await post({ budgets: [{}], set: ['a', 'a'] });
    },
    'a schema fills in and prunes': async (talk) => {
      const path = await define(talk, 'definitions-defaults', definition('piles', 'Pile', POOL_SCHEMA));
      await talk.post(
        path,
        custom('Pile', 'one', { extra: 1, spec: { budgets: [{}], unknown: 1, size: '10%', maybe: null, open: { any: { thing: [1] } } } }),
      );
      await talk.patch(`${path}/one`, 'merge', {
        spec: { policy: null, flag: null, budgets: [{ nodes: '0', reasons: ['Drifted'], odd: true }] },
      });
      await talk.patch(`${path}/one`, 'json', [{ op: 'add', path: '/spec/budgets/-', value: { reasons: ['Empty'] } }]);
      await talk.patch(`${path}/one`, 'merge', { spec: { budgets: [{ nodes: 'all' }] } });
      await talk.patch(`${path}/one`, 'merge', { status: { nodes: 3 } });
      await talk.post(`${path}?fieldValidation=Strict`, custom('Pile', 'two', { spec: { budgets: [{ odd: 1 }], unknown: 1 } }));
      await talk.post(`${path}?fieldValidation=Warn`, custom('Pile', 'two', { spec: { budgets: [{}], unknown: 1 } }), {
        headers: ['warning'],
      });
      await talk.post(path, { ...custom('Pile', 'two'), kind: 'Pool' });
      await talk.post(path, { ...custom('Pile', 'two'), apiVersion: 'contract.belay.dev/v2' });
      await talk.post(path, { metadata: { name: 'bare' }, spec: { budgets: [{}] } });
    },
    'status and scale of a custom type': async (talk) => {
      const subresources = {
        status: {},
        scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.nodes', labelSelectorPath: '.status.selector' },
      };
      const schema = {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { count: { type: 'integer' } } },
          status: { type: 'object', properties: { nodes: { type: 'integer' }, selector: { type: 'string' } } },
        },
      };
      const path = await define(talk, 'definitions-status', definition('packs', 'Pack', schema, {}, { subresources }));
      await talk.post(path, custom('Pack', 'one', { spec: { count: 1 }, status: { nodes: 7 } }));
      await talk.patch(`${path}/one`, 'merge', { status: { nodes: 7 } });
      await talk.patch(`${path}/one/status`, 'merge', { spec: { count: 9 }, status: { nodes: 7, selector: 'app=x' } });
      await talk.get(`${path}/one/scale`);
      await talk.patch(`${path}/one/scale`, 'merge', { spec: { replicas: 4 } });
      await talk.get(`${path}/one`, { pick: (body) => [body.spec, body.status, body.metadata.generation] });
      const { body } = await talk.get(`${path}/one`, { quiet: true });
      await talk.put(`${path}/one`, { ...body, metadata: { name: 'one' } });
      await talk.put(`${path}/one`, { ...body, spec: { count: 2 } }, { pick: (object) => [object.spec, object.metadata.generation] });
    },
    'columns that a definition prints': async (talk) => {
      const additionalPrinterColumns = [
        { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
        { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: 'Where', type: 'string', jsonPath: '.spec.where', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ];
      const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const path = await define(talk, 'definitions-columns', definition('prints', 'Print', schema, {}, { additionalPrinterColumns }));
      await talk.post(path, custom('Print', 'one', { spec: { count: 3 }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }), {
        quiet: true,
      });
      await talk.post(path, custom('Print', 'two'), { quiet: true });
      talk.normaliser.hide(/^\d+s$/, '<age>');
      await talk.table(`${path}?includeObject=None`);
    },
    'a version that is deprecated says so': async (talk) => {
      const versions = [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: 'contract.belay.dev/v1beta1 Relic is old',
          schema: { openAPIV3Schema: { type: 'object' } },
        },
        { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      ];
      const path = await define(talk, 'definitions-versions', definition('relics', 'Relic', { type: 'object' }, { versions }));
      await talk.post(path, custom('Relic', 'one'), { quiet: true });
      const old = path.replace('/v1/', '/v1beta1/');
      await talk.get(`${old}/one`, { headers: ['warning'] });
      await talk.get(old, { headers: ['warning'], pick: (body) => [body.kind, body.apiVersion, body.items.length] });
      await talk.get(path.replace('/v1/', '/v1alpha1/'));
      await talk.delete(`${DEFINITIONS}/relics.contract.belay.dev`, undefined, { pick: () => 'deleted' });
    },
  },
};

function isWidget(resource: { name: string }): boolean {
  return resource.name.startsWith('widgets');
}
