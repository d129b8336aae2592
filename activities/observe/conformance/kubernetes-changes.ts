/** Tries what is believed of Kubernetes in a namespace of its own, which is deleted afterwards. */
import { broken, CannotTry, type ChangeCheck, type Ground, held, type Owe } from './check.ts';
import { at, itemsOf, listAt, mustBe, nameOf, textAt, within } from './look.ts';

const NAMESPACE = 'belay-conformance';
const HERE = `/api/v1/namespaces/${NAMESPACE}`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const BUDGETS = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`;
const MAP = `${HERE}/configmaps/trial`;
/** Is on every node already. */
const IMAGE = 'registry.k8s.io/pause:3.10';
const STALE = '1';

export const KUBERNETES_CHANGES: Readonly<Record<string, ChangeCheck>> = {
  'K8S-PATCH-TEST': async (ground, owe) => {
    await configMap(ground, owe);
    const patch = [
      { op: 'test', path: '/metadata/resourceVersion', value: STALE },
      { op: 'replace', path: '/data/key', value: 'patched' },
    ];
    const { status, body } = await ground.kube('PATCH', MAP, { body: patch });
    const now = textAt(mustBe(await ground.kube('GET', MAP), 200, 'the ConfigMap'), 'data', 'key');
    if (now !== 'before') return broken(`it was answered with ${status}, and the object was changed`);
    const causes = listAt(body, 'details', 'causes').length;
    return status === 422 && causes === 0
      ? held('422 without causes, nothing changed')
      : broken(`it is answered with ${status} and ${causes} causes`);
  },
  'K8S-PATCH-INVALID': async (ground, owe) => {
    await deployment(ground, owe, 1);
    const { status, body } = await ground.kube('PATCH', `${DEPLOYMENTS}/trial`, {
      body: [{ op: 'replace', path: '/spec/replicas', value: -1 }],
    });
    const now = at(mustBe(await ground.kube('GET', `${DEPLOYMENTS}/trial`), 200, 'the Deployment'), 'spec', 'replicas');
    if (now !== 1) return broken(`it was answered with ${status}, and the object was changed`);
    const causes = listAt(body, 'details', 'causes').length;
    return status === 422 && causes > 0
      ? held(`422 with ${causes} causes, nothing changed`)
      : broken(`it is answered with ${status} and ${causes} causes`);
  },
  'K8S-MERGE-NULL': async (ground, owe) => {
    await configMap(ground, owe);
    await ground.kube('PATCH', MAP, { body: { data: { key: null, other: 'there' } } });
    const now = at(mustBe(await ground.kube('GET', MAP), 200, 'the ConfigMap'), 'data');
    const fits = at(now, 'key') === undefined && at(now, 'other') === 'there' && at(now, 'stays') === 'there';
    return fits ? held('the key is gone, the others are there') : broken(`its data is ${JSON.stringify(now)}`);
  },
  'K8S-UID': async (ground, owe) => {
    await configMap(ground, owe);
    const body = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
    const { status } = await ground.kube('DELETE', MAP, { body });
    const now = await ground.kube('GET', MAP);
    if (now.status === 404) return broken(`it was answered with ${status}, and the object is gone`);
    mustBe(now, 200, 'the ConfigMap');
    return status === 409 ? held('409, the object is there') : broken(`it is answered with ${status}`);
  },
  'K8S-CREATE-TWICE': async (ground, owe) => {
    await configMap(ground, owe);
    const { status, body } = await ground.kube('POST', `${HERE}/configmaps`, { body: MAP_OBJECT });
    const reason = textAt(body, 'reason');
    return status === 409 && reason === 'AlreadyExists' ? held('409, AlreadyExists') : broken(`${status}, ${reason}`);
  },
  'K8S-DRY-RUN': async (ground, owe) => {
    await configMap(ground, owe);
    const body = mustBe(await ground.kube('PATCH', `${MAP}?dryRun=All`, { body: { data: { key: 'dry' } } }), 200, 'a dry run');
    const now = textAt(mustBe(await ground.kube('GET', MAP), 200, 'the ConfigMap'), 'data', 'key');
    if (now !== 'before') return broken('it was stored');
    return textAt(body, 'data', 'key') === 'dry'
      ? held('answered as changed, stored as before')
      : broken('the answer is not what would be stored');
  },
  'K8S-GENERATION': async (ground, owe) => {
    const first = await deployment(ground, owe, 1);
    const noted = await patched(ground, { metadata: { annotations: { 'belay.dev/trial': '1' } } });
    const spec = await patched(ground, { spec: { minReadySeconds: 1 } });
    const generations = [first, noted, spec].map((object) => at(object, 'metadata', 'generation'));
    const fits = generations[0] === generations[1] && Number(generations[2]) > Number(generations[1]);
    return fits ? held(`generations ${generations.join(', ')}`) : broken(`generations ${generations.join(', ')}`);
  },
  'K8S-RESTART': async (ground, owe) => {
    await deployment(ground, owe, 1);
    const [before] = await podsReady(ground, 1);
    const template = { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } };
    const restarted = await patched(ground, { spec: { template } });
    const replaced = await within(ground, async () => {
      const pods = await livingPods(ground);
      return pods.length === 1 && uidOf(pods[0]) !== uidOf(before);
    });
    if (!replaced) return broken('the pod was not replaced');
    const repeated = await patched(ground, { spec: { template } });
    const same = at(repeated, 'metadata', 'generation') === at(restarted, 'metadata', 'generation');
    return same ? held('one new pod, and the same value again is no change') : broken('the same value again is another generation');
  },
  'K8S-EVICTION': async (ground, owe) => {
    await deployment(ground, owe, 1);
    const [pod] = await podsReady(ground, 1);
    await budget(ground, 'trial', 1);
    const { status, body } = await evict(ground, pod);
    if (await isEvicted(ground, pod)) return broken(`it was answered with ${status}, and the pod is evicted`);
    return status === 429 ? held(`429 (${textAt(body, 'message') ?? ''})`) : broken(`it is answered with ${status}`);
  },
  'K8S-EVICTION-TWO': async (ground, owe) => {
    await deployment(ground, owe, 1);
    const [pod] = await podsReady(ground, 1);
    await budget(ground, 'trial', 0);
    await budget(ground, 'trial-too', 0);
    const { status } = await evict(ground, pod);
    if (await isEvicted(ground, pod)) return broken(`it was answered with ${status}, and the pod is evicted`);
    return status === 500 ? held('500, the pod is there') : broken(`it is answered with ${status}`);
  },
  'K8S-EVICTION-DONE': async (ground, owe) => {
    await deployment(ground, owe, 1);
    const [pod] = await podsReady(ground, 1);
    const { status } = await evict(ground, pod);
    if (status !== 201) return broken(`it is answered with ${status}`);
    const replaced = await within(ground, async () => (await livingPods(ground)).some((each) => uidOf(each) !== uidOf(pod)));
    return replaced ? held('201, and another pod') : broken('no other pod was made');
  },
};

const MAP_OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'trial' }, data: { key: 'before', stays: 'there' } };
const LABELS = { app: 'belay-conformance-trial' };

const uidOf = (object: unknown): string | undefined => textAt(object, 'metadata', 'uid');
const podName = (pod: unknown): string => textAt(pod, 'metadata', 'name') ?? '';

/** A namespace of the checks' own. CannotTry where somebody else has one of that name. */
async function namespace(ground: Ground, owe: Owe): Promise<void> {
  const gone = async (): Promise<boolean> => (await ground.kube('GET', HERE)).status === 404;
  if (!(await gone())) {
    const labels = at((await ground.kube('GET', HERE)).body, 'metadata', 'labels');
    if (at(labels, 'belay.dev/conformance') !== 'true')
      throw new CannotTry(`there is a namespace ${NAMESPACE} that this command has not made`);
    await ground.kube('DELETE', HERE);
    if (!(await within(ground, gone))) throw new CannotTry(`namespace ${NAMESPACE} of an earlier trial is not gone`, 'unanswered');
  }
  owe(`namespace ${NAMESPACE}`, async () => {
    await ground.kube('DELETE', HERE);
    if (!(await within(ground, gone))) throw new Error('it is still there');
  });
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: { 'belay.dev/conformance': 'true' } } };
  mustBe(await ground.kube('POST', '/api/v1/namespaces', { body }), 201, 'creating a namespace');
}

async function configMap(ground: Ground, owe: Owe): Promise<void> {
  await namespace(ground, owe);
  mustBe(await ground.kube('POST', `${HERE}/configmaps`, { body: MAP_OBJECT }), 201, 'creating a ConfigMap');
}

async function deployment(ground: Ground, owe: Owe, replicas: number): Promise<unknown> {
  await namespace(ground, owe);
  const containers = [{ name: 'pause', image: IMAGE, resources: { requests: { cpu: '1m', memory: '8Mi' } } }];
  const template = { metadata: { labels: LABELS }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  const spec = { replicas, selector: { matchLabels: LABELS }, template };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'trial' }, spec };
  return mustBe(await ground.kube('POST', DEPLOYMENTS, { body }), 201, 'creating a Deployment');
}

const patched = async (ground: Ground, body: object): Promise<unknown> =>
  mustBe(await ground.kube('PATCH', `${DEPLOYMENTS}/trial`, { body }), 200, 'patching the Deployment');

async function livingPods(ground: Ground): Promise<unknown[]> {
  const pods = (await itemsOf(ground, `${HERE}/pods`)) ?? [];
  return pods.filter((pod) => at(pod, 'metadata', 'deletionTimestamp') === undefined);
}

async function podsReady(ground: Ground, count: number): Promise<unknown[]> {
  let ready: unknown[] = [];
  await within(ground, async () => {
    ready = (await livingPods(ground)).filter((pod) =>
      listAt(pod, 'status', 'conditions').some(
        (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
      ),
    );
    return ready.length >= count;
  });
  if (ready.length < count) throw new CannotTry('the pod of the trial has not become Ready', 'unanswered');
  return ready;
}

/** Once its controller has looked at it. */
async function budget(ground: Ground, name: string, minAvailable: number): Promise<void> {
  const spec = { minAvailable, selector: { matchLabels: LABELS } };
  const body = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec };
  mustBe(await ground.kube('POST', BUDGETS, { body }), 201, 'creating a PodDisruptionBudget');
  const seen = await within(ground, async () => {
    const now = mustBe(await ground.kube('GET', `${BUDGETS}/${name}`), 200, 'the PodDisruptionBudget');
    return at(now, 'status', 'observedGeneration') === at(now, 'metadata', 'generation') && Number(at(now, 'status', 'currentHealthy')) > 0;
  });
  if (!seen) throw new CannotTry(`nobody has looked at PodDisruptionBudget ${name}`, 'unanswered');
}

async function evict(ground: Ground, pod: unknown) {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: podName(pod), namespace: NAMESPACE } };
  const answer = await ground.kube('POST', `${HERE}/pods/${podName(pod)}/eviction`, { body });
  if (answer.status === 404) throw new CannotTry(`${nameOf(pod)} went by itself`, 'unanswered');
  return answer;
}

/** It goes, or is gone already. */
async function isEvicted(ground: Ground, pod: unknown): Promise<boolean> {
  const now = await ground.kube('GET', `${HERE}/pods/${podName(pod)}`);
  return now.status === 404 || at(mustBe(now, 200, 'the pod'), 'metadata', 'deletionTimestamp') !== undefined;
}
