/** The JavaScript client: what its answers, its errors and its watches tell. */
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import type { Conversation } from '../conversation.ts';
import { budget, configMap, definition, namespace, node, pod, running } from '../objects.ts';
import { TOKENS } from '../server.ts';
import type { Area } from '../suite.ts';
import { define } from './definitions.ts';

function configOf({ server }: Conversation, token: string = TOKENS.admin): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'contract', server: server.url, caData: server.caData, skipTLSVerify: false }],
    users: [{ name: 'contract', token }],
    contexts: [{ name: 'contract', cluster: 'contract', user: 'contract' }],
    currentContext: 'contract',
  });
  return config;
}

/** What a refusal is to a program. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'nothing was refused';
  } catch (error) {
    const { code, body } = error as { code?: number; body?: unknown };
    return { code, body: typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body };
  }
}

export const clientNode: Area = {
  name: 'client-node',
  cases: {
    'objects and refusals': async (talk) => {
      const core = configOf(talk).makeApiClient(CoreV1Api);
      await core.createNamespace({ body: namespace('client-objects') });
      const where = { namespace: 'client-objects' };
      const created = await core.createNamespacedConfigMap({ ...where, body: configMap('one', { a: '1' }) });
      talk.note('created', JSON.parse(JSON.stringify(created)));
      const stale = created.metadata?.resourceVersion;
      await core.patchNamespacedConfigMap(
        { ...where, name: 'one', body: { data: { b: '2' } } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      talk.note(
        'a stale write',
        await refusal(core.replaceNamespacedConfigMap({ ...where, name: 'one', body: configMap('one', {}, { resourceVersion: stale }) })),
      );
      talk.note('absent', await refusal(core.readNamespacedConfigMap({ ...where, name: 'none' })));
      const test = [{ op: 'test', path: '/data/b', value: '3' }];
      talk.note(
        'a test that fails',
        await refusal(
          core.patchNamespacedConfigMap({ ...where, name: 'one', body: test }, setHeaderOptions('Content-Type', PatchStrategy.JsonPatch)),
        ),
      );
      talk.note('forbidden', await refusal(configOf(talk, TOKENS.reader).makeApiClient(CoreV1Api).listNode()));
      talk.note('unknown', await refusal(configOf(talk, 'nobody').makeApiClient(CoreV1Api).listNode()));
      const { items, metadata } = await core.listNamespacedConfigMap({ ...where, limit: 1, labelSelector: 'none' });
      talk.note('an empty page', [items.length, metadata?._continue ?? null]);
      talk.note('version', (await configOf(talk).makeApiClient(VersionApi).getCode()).minor);
    },
    'evictions and budgets': async (talk) => {
      const config = configOf(talk);
      const core = config.makeApiClient(CoreV1Api);
      const where = { namespace: 'client-evictions' };
      await core.createNamespace({ body: namespace('client-evictions') });
      await core.createNamespacedPod({ ...where, body: pod('one', { labels: { app: 'cart' } }, { nodeName: 'client-node' }) });
      await talk.patch('/api/v1/namespaces/client-evictions/pods/one/status', 'merge', { status: running() }, { quiet: true });
      const policy = config.makeApiClient(PolicyV1Api);
      await policy.createNamespacedPodDisruptionBudget({ ...where, body: budget('cart', 'cart', { minAvailable: 1 }) });
      const evict = (name: string) => core.createNamespacedPodEviction({ ...where, name, body: { metadata: { name } } });
      talk.note('before the budget was looked at', await refusal(evict('one')));
      await policy.deleteNamespacedPodDisruptionBudget({ ...where, name: 'cart' });
      talk.note('without a budget', await evict('one'));
      talk.note('absent', await refusal(evict('none')));
    },
    'custom objects': async (talk) => {
      const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } } };
      await define(talk, 'client-custom', definition('gadgets', 'Gadget', schema));
      const custom = configOf(talk).makeApiClient(CustomObjectsApi);
      const gadgets = { group: 'contract.belay.dev', version: 'v1', namespace: 'client-custom', plural: 'gadgets' };
      const gadget = { apiVersion: 'contract.belay.dev/v1', kind: 'Gadget', metadata: { name: 'one' }, spec: {} };
      talk.note('created', await custom.createNamespacedCustomObject({ ...gadgets, body: gadget }));
      const body = [{ op: 'replace', path: '/spec/size', value: 'large' }];
      talk.note('invalid', await refusal(custom.patchNamespacedCustomObject({ ...gadgets, name: 'one', body })));
      talk.note('absent type', await refusal(custom.listNamespacedCustomObject({ ...gadgets, plural: 'gizmos' })));
      talk.note('absent group', await refusal(custom.listNamespacedCustomObject({ ...gadgets, group: 'elsewhere.belay.dev' })));
    },
    'a watch': async (talk) => {
      const config = configOf(talk);
      const core = config.makeApiClient(CoreV1Api);
      const { metadata } = await core.listNode();
      const seen: unknown[] = [];
      await new Promise<void>((resolve, reject) => {
        const query = { resourceVersion: metadata?.resourceVersion, labelSelector: 'client=watch' };
        new Watch(config)
          .watch(
            '/api/v1/nodes',
            query,
            (phase, object) => {
              seen.push([phase, object.metadata.name, object.spec.unschedulable ?? null]);
              if (phase === 'DELETED') resolve();
            },
            (error) => (error ? reject(error) : resolve()),
          )
          .then(async (controller) => {
            await core.createNode({ body: node('client-watched', { labels: { client: 'watch' } }) });
            await core.patchNode(
              { name: 'client-watched', body: { spec: { unschedulable: true } } },
              setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
            );
            await core.deleteNode({ name: 'client-watched' });
            return controller;
          }, reject);
      });
      talk.note('events', seen);
    },
  },
};
