/** status, scale and eviction. */
import type { Conversation } from '../conversation.ts';
import { budget, deployment, namespace, node, pod, running, workload } from '../objects.ts';
import type { Area } from '../suite.ts';

/** A namespace with ready pods `one` and `two` of the app, on a node. */
async function podsOf(talk: Conversation, home: string, ready = true): Promise<{ pods: string; budgets: string }> {
  await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
  const pods = `/api/v1/namespaces/${home}/pods`;
  for (const name of ['one', 'two']) {
    await talk.post(pods, pod(name, { labels: { app: 'cart' } }, { nodeName: `${home}-node` }), { quiet: true });
    await talk.patch(`${pods}/${name}/status`, 'merge', { status: running(ready) }, { quiet: true });
  }
  return { pods, budgets: `/apis/policy/v1/namespaces/${home}/poddisruptionbudgets` };
}

const eviction = (name: string, more: object = {}) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more });

async function budgetWith(
  talk: Conversation,
  path: string,
  name: string,
  status: object,
  spec: object = { minAvailable: 1 },
): Promise<void> {
  await talk.post(path, budget(name, 'cart', spec), { quiet: true });
  const whole = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2, ...status };
  await talk.patch(`${path}/${name}/status`, 'merge', { status: whole }, { quiet: true });
}

export const subresources: Area = {
  name: 'subresources',
  cases: {
    'status and spec are written apart': async (talk) => {
      await talk.post('/api/v1/nodes', node('subresources-node'), { quiet: true });
      const pick = ({ spec, status }: { spec?: unknown; status?: unknown }) => ({ spec, status });
      const path = '/api/v1/nodes/subresources-node';
      await talk.patch(path, 'merge', { spec: { unschedulable: true }, status: { phase: 'Running' } }, { pick });
      await talk.patch(`${path}/status`, 'merge', { spec: { unschedulable: false }, status: { phase: 'Running' } }, { pick });
      await talk.patch(`${path}/status`, 'merge', { metadata: { labels: { zone: 'a' } } }, { pick: (body) => body.metadata.labels });
      await talk.get(`${path}/status`, { pick });
      await talk.delete(path, undefined, { quiet: true });
      await talk.post('/api/v1/namespaces', namespace('subresources-status'), { quiet: true });
      const deployments = '/apis/apps/v1/namespaces/subresources-status/deployments';
      await talk.post(deployments, { ...deployment('one'), status: { replicas: 7 } });
      await talk.patch(`${deployments}/one`, 'merge', { status: { replicas: 7 } }, { pick });
      await talk.patch(
        `${deployments}/one/status`,
        'merge',
        { status: { replicas: 7, readyReplicas: 5 }, spec: { replicas: 9 } },
        { pick: (body) => ({ replicas: body.spec?.replicas, status: body.status }) },
      );
      const { body } = await talk.get(`${deployments}/one/status`, { pick: (object) => object.kind });
      await talk.put(`${deployments}/one/status`, { ...body, status: { replicas: 1 } }, { pick: (object) => object.status });
    },
    scale: async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('subresources-scale'), { quiet: true });
      const home = '/apis/apps/v1/namespaces/subresources-scale';
      await talk.post(`${home}/deployments`, deployment('one', { replicas: 2 }), { quiet: true });
      const path = `${home}/deployments/one/scale`;
      const { body } = await talk.get(path);
      await talk.put(path, { ...body, spec: { replicas: 3 } });
      await talk.put(path, { ...body, spec: { replicas: 4 } });
      await talk.patch(path, 'merge', { spec: { replicas: 5 } });
      await talk.patch(path, 'merge', { spec: { replicas: -1 } });
      await talk.patch(path, 'merge', { metadata: { resourceVersion: '1' }, spec: { replicas: 5 } });
      await talk.get(`${home}/deployments/none/scale`);
      await talk.get(`${home}/deployments/one`, { pick: (object) => [object.spec.replicas, object.metadata.generation] });
      await talk.post(`${home}/statefulsets`, workload('StatefulSet', 'two', { serviceName: 'two' }), { quiet: true });
      await talk.patch(`${home}/statefulsets/two/scale`, 'merge', { spec: { replicas: 5 } });
      await talk.post(`${home}/daemonsets`, workload('DaemonSet', 'three'), { quiet: true });
      await talk.get(`${home}/daemonsets/three/scale`);
    },
    'an eviction that a budget allows': async (talk) => {
      const { pods, budgets } = await podsOf(talk, 'eviction-allowed');
      await budgetWith(talk, budgets, 'cart', { disruptionsAllowed: 1, desiredHealthy: 1 });
      await talk.post(`${pods}/one/eviction?dryRun=All`, eviction('one'));
      await talk.post(`${pods}/one/eviction`, eviction('one'));
      await talk.get(`${pods}/one`, {
        pick: ({ metadata, status }) => ({ ending: metadata.deletionTimestamp, grace: metadata.deletionGracePeriodSeconds, status }),
      });
      await talk.get(`${budgets}/cart`);
      await talk.post(`${pods}/one/eviction`, eviction('one'));
      await talk.post(`${pods}/two/eviction`, eviction('two'), { headers: ['retry-after'] });
    },
    'an eviction that a budget forbids': async (talk) => {
      const { pods, budgets } = await podsOf(talk, 'eviction-forbidden');
      await budgetWith(talk, budgets, 'cart', {});
      await talk.post(`${pods}/one/eviction`, eviction('one'), { headers: ['retry-after'] });
      await talk.post(`${pods}/one/eviction?dryRun=All`, eviction('one'));
      await talk.post(`${pods}/one/eviction`, eviction('one', { deleteOptions: { dryRun: ['All'] } }));
      await talk.get(`${pods}/one`, { pick: ({ metadata }) => metadata.deletionTimestamp ?? 'alive' });
    },
    'a budget that is still being worked on': async (talk) => {
      const { pods, budgets } = await podsOf(talk, 'eviction-stale');
      await budgetWith(talk, budgets, 'cart', { observedGeneration: 0 });
      await talk.post(`${pods}/one/eviction`, eviction('one'), { headers: ['retry-after'] });
    },
    'several budgets': async (talk) => {
      const { pods, budgets } = await podsOf(talk, 'eviction-several');
      await budgetWith(talk, budgets, 'a', { disruptionsAllowed: 1 });
      await budgetWith(talk, budgets, 'b', { disruptionsAllowed: 1 });
      await talk.post(`${pods}/one/eviction`, eviction('one'));
    },
    'pods that are not ready': async (talk) => {
      const { pods, budgets } = await podsOf(talk, 'eviction-unready', false);
      await budgetWith(talk, budgets, 'cart', { currentHealthy: 0, desiredHealthy: 1 });
      await talk.post(`${pods}/one/eviction`, eviction('one'));
      await talk.patch(`${budgets}/cart/status`, 'merge', { status: { currentHealthy: 1 } }, { quiet: true });
      await talk.post(`${pods}/one/eviction`, eviction('one'));
      await talk.patch(`${budgets}/cart/status`, 'merge', { status: { currentHealthy: 0 } }, { quiet: true });
      await talk.patch(`${budgets}/cart`, 'merge', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }, { quiet: true });
      await talk.post(`${pods}/two/eviction`, eviction('two'));
    },
    'pods that have not begun or have ended': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('eviction-idle'), { quiet: true });
      const pods = '/api/v1/namespaces/eviction-idle/pods';
      await budgetWith(talk, '/apis/policy/v1/namespaces/eviction-idle/poddisruptionbudgets', 'cart', {});
      for (const name of ['pending', 'done']) await talk.post(pods, pod(name, { labels: { app: 'cart' } }), { quiet: true });
      await talk.patch(`${pods}/done/status`, 'merge', { status: { phase: 'Succeeded' } }, { quiet: true });
      await talk.post(`${pods}/pending/eviction`, eviction('pending'));
      await talk.post(`${pods}/done/eviction`, eviction('done'));
      await talk.get(pods, { pick: (list) => list.items.map((item: { metadata: { name: string } }) => item.metadata.name) });
    },
    'evictions that are no evictions': async (talk) => {
      const { pods } = await podsOf(talk, 'eviction-wrong');
      await talk.post(`${pods}/none/eviction`, eviction('none'));
      await talk.post(`${pods}/one/eviction`, eviction('two'));
      await talk.post(`${pods}/one/eviction`, { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'one' } });
      await talk.post(`${pods}/two/eviction`, eviction('two', { deleteOptions: { gracePeriodSeconds: 7 } }));
      await talk.get(`${pods}/two`, { pick: ({ metadata }) => metadata.deletionGracePeriodSeconds });
    },
  },
};
