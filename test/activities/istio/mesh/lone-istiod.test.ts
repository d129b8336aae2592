/** An istiod with one replica: found, given a second one through its autoscaler where it has one, and put back exactly. */
import { expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { budgetObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import type { LoneIstiod } from '../../../../activities/contract/istio-objects.ts';

const NAMESPACE = 'istio-system';
const DEPLOYMENT = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE, name: 'istiod' };
const SCALER = { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace: NAMESPACE, name: 'istiod' };
const BUDGET = { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: NAMESPACE, name: 'istiod' };

interface Given {
  replicas?: number;
  allowed?: number;
  maxReplicas?: number;
  annotations?: Record<string, string>;
}

/** `maxReplicas` absent: no autoscaler. */
function world({ replicas = 1, allowed = 0, maxReplicas, annotations }: Given = {}) {
  const port = new FakeKubernetes();
  const istiod = workloadObject('Deployment', NAMESPACE, 'istiod', { replicas });
  const labels = { app: 'istiod' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'discovery' }] } };
  port.put('apps/v1', 'deployments', {
    ...istiod,
    metadata: { ...istiod.metadata, labels, ...(annotations === undefined ? {} : { annotations }) },
  });
  port.edit(DEPLOYMENT, (object) => void (object.spec = { ...(object.spec as object), template }));
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject(NAMESPACE, 'istiod', { matchLabels: { app: 'istiod' } }, allowed));
  if (maxReplicas !== undefined) {
    port.put('autoscaling/v2', 'horizontalpodautoscalers', {
      metadata: { name: 'istiod', namespace: NAMESPACE },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'istiod' }, minReplicas: 1, maxReplicas },
    });
  }
  const activities = createIstioActivities(depsOf(port));
  return {
    port,
    find: async () => (await activities.findLoneIstiods({ cluster: CLUSTER })).lone,
    raise: (istiod: LoneIstiod) => activities.raiseIstiod({ cluster: CLUSTER, istiod }),
    free: (istiod: LoneIstiod) => activities.awaitIstiodFree({ cluster: CLUSTER, timing: quickTiming(), istiod, timeoutMs: 50 }),
    lower: (istiod: LoneIstiod) => activities.lowerIstiod({ cluster: CLUSTER, istiod }),
  };
}

const BARE: LoneIstiod = { namespace: NAMESPACE, deployment: 'istiod', budget: 'istiod' };

test.each<[string, Given, LoneIstiod[]]>([
  ['one under its budget', {}, [BARE]],
  ['with an autoscaler that may go to five', { maxReplicas: 5 }, [{ ...BARE, autoscaler: 'istiod' }]],
  ['whose autoscaler may not go to two: people have to', { maxReplicas: 1 }, []],
  ['two of them', { replicas: 2, allowed: 1 }, []],
  [
    'kept as in Git',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'mesh:apps/Deployment:istio-system/istiod' } },
    [{ ...BARE, owner: 'argocd' }],
  ],
  ['raised by a run that did not put it back', { replicas: 2, allowed: 1, annotations: { 'belay.dev/replicas-before': '1' } }, [BARE]],
])('found: %s', async (_what, given, found) => {
  expect(await world(given).find()).toEqual(found);
});

test.each([
  ['its Deployment', undefined, DEPLOYMENT, 'replicas', 'belay.dev/replicas-before'],
  ['its autoscaler', 5, SCALER, 'minReplicas', 'belay.dev/min-replicas-before'],
] as const)('raised once and put back without a trace by %s', async (_what, maxReplicas, ref, field, mark) => {
  const { port, find, raise, lower, free } = world(maxReplicas === undefined ? {} : { maxReplicas });
  const [istiod] = await find();
  if (istiod === undefined) throw new Error('not found');
  const before = structuredClone(port.look(ref).spec);
  await raise(istiod);
  await raise(istiod);
  expect(port.patches).toHaveLength(1);
  expect(port.look(ref)).toMatchObject({ metadata: { annotations: { [mark]: '1' } }, spec: { [field]: 2 } });
  expect(await free(istiod)).toMatchObject({ free: false });
  port.edit(BUDGET, (object) => void (object.status = { ...(object.status as object), disruptionsAllowed: 1 }));
  expect(await free(istiod)).toEqual({ free: true });
  expect([await lower(istiod), await lower(istiod)]).toEqual([{ changedByOthers: false }, { changedByOthers: false }]);
  expect(port.look(ref).spec).toEqual(before);
  expect(port.look(ref).metadata.annotations).toBeUndefined();
});

test('somebody has set another number meanwhile: left alone, and said', async () => {
  const { port, find, raise, lower } = world();
  const [istiod = BARE] = await find();
  await raise(istiod);
  port.edit(DEPLOYMENT, (object) => void (object.spec = { ...(object.spec as object), replicas: 3 }));
  expect(await lower(istiod)).toEqual({ changedByOthers: true });
  expect(port.look(DEPLOYMENT).spec).toMatchObject({ replicas: 3 });
});
