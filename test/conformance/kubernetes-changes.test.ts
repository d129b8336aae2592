/** What changes in a namespace of their own find where an API server answers as the twin does not, and whose namespace they leave alone. */
import { expect, test } from 'vitest';
import type { Ground, KubeAnswer } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import { groundOf } from './answers.ts';

const HERE = '/api/v1/namespaces/belay-conformance';
const MAP = `${HERE}/configmaps/trial`;
const PODS = `${HERE}/pods`;
const DEPLOYMENT = '/apis/apps/v1/namespaces/belay-conformance/deployments/trial';
const BUDGETS = '/apis/policy/v1/namespaces/belay-conformance/poddisruptionbudgets';

type Answers = Record<string, [status: number, body?: unknown]>;

/** What is not named: the namespace is not there, what is made is made, and all else is not found. `sent`: what was to change something. */
function server(answers: Answers): { ground: Ground; sent: string[] } {
  const sent: string[] = [];
  const kube = async (method: string, path: string): Promise<KubeAnswer> => {
    const request = `${method} ${path}`;
    if (method !== 'GET') sent.push(request);
    const [status, body = {}] = answers[request] ?? (method === 'POST' ? [201] : [404]);
    return { status, body };
  };
  return { ground: groundOf({ ground: { kube, limitMs: 20 } }), sent };
}

async function trial(id: string, answers: Answers): Promise<{ tried: Tried; said: string; sent: string[] }> {
  const { ground, sent } = server(answers);
  const [tried] = await tryBeliefs(ground, { only: [id], disposable: true });
  if (tried === undefined) throw new Error(`there is no belief ${id}`);
  const { verdict } = tried;
  return {
    tried,
    sent,
    said: verdict.kind === 'untried' ? `untried, ${verdict.because}: ${verdict.why}` : `${verdict.kind}: ${verdict.saw}`,
  };
}

const causes = { details: { causes: [{ reason: 'FieldValueInvalid' }] } };
const data = (key: string) => ({ data: { key } });

const pod = (uid: string, status = 'True', deletionTimestamp?: string) => ({
  metadata: { name: uid, namespace: 'belay-conformance', uid, deletionTimestamp },
  status: { conditions: [{ type: 'Ready', status }] },
});
const GOES = '2026-03-02T09:00:00Z';
const EVICTION = `POST ${PODS}/a/eviction`;
const running = { [`GET ${PODS}`]: [200, { items: [pod('a')] }] } satisfies Answers;
const looked: Answers[string] = [200, { metadata: { generation: 1 }, status: { observedGeneration: 1, currentHealthy: 1 } }];
const guarded = { ...running, [`GET ${BUDGETS}/trial`]: looked, [`GET ${BUDGETS}/trial-too`]: looked };

test.each<[string, Answers, string]>([
  ['K8S-PATCH-TEST', { [`PATCH ${MAP}`]: [422], [`GET ${MAP}`]: [200, data('before')] }, 'held: 422 without causes, nothing changed'],
  [
    'K8S-PATCH-TEST',
    { [`PATCH ${MAP}`]: [422], [`GET ${MAP}`]: [200, data('patched')] },
    'broken: it was answered with 422, and the object was changed',
  ],
  [
    'K8S-PATCH-TEST',
    { [`PATCH ${MAP}`]: [422, causes], [`GET ${MAP}`]: [200, data('before')] },
    'broken: it is answered with 422 and 1 causes',
  ],

  [
    'K8S-PATCH-INVALID',
    { [`PATCH ${DEPLOYMENT}`]: [422, causes], [`GET ${DEPLOYMENT}`]: [200, { spec: { replicas: 1 } }] },
    'held: 422 with 1 causes, nothing changed',
  ],
  [
    'K8S-PATCH-INVALID',
    { [`PATCH ${DEPLOYMENT}`]: [422, causes], [`GET ${DEPLOYMENT}`]: [200, { spec: { replicas: -1 } }] },
    'broken: it was answered with 422, and the object was changed',
  ],

  [
    'K8S-MERGE-NULL',
    { [`GET ${MAP}`]: [200, { data: { other: 'there', stays: 'there' } }] },
    'held: the key is gone, the others are there',
  ],
  ['K8S-MERGE-NULL', { [`GET ${MAP}`]: [200, { data: { other: 'there' } }] }, 'broken: its data is {"other":"there"}'],
  ['K8S-CREATE-TWICE', {}, 'broken: 201, undefined'],
  ['K8S-GENERATION', { [`PATCH ${DEPLOYMENT}`]: [200, { metadata: { generation: 1 } }] }, 'broken: generations , 1, 1'],

  ['K8S-UID', { [`DELETE ${MAP}`]: [409], [`GET ${MAP}`]: [200] }, 'held: 409, the object is there'],
  ['K8S-UID', { [`DELETE ${MAP}`]: [409], [`GET ${MAP}`]: [404] }, 'broken: it was answered with 409, and the object is gone'],
  ['K8S-UID', { [`DELETE ${MAP}`]: [409], [`GET ${MAP}`]: [500] }, 'untried, unanswered: the ConfigMap was answered with 500 (no message)'],

  [
    'K8S-DRY-RUN',
    { [`PATCH ${MAP}?dryRun=All`]: [200, data('dry')], [`GET ${MAP}`]: [200, data('before')] },
    'held: answered as changed, stored as before',
  ],
  ['K8S-DRY-RUN', { [`PATCH ${MAP}?dryRun=All`]: [200, data('dry')], [`GET ${MAP}`]: [200, data('dry')] }, 'broken: it was stored'],

  ['K8S-RESTART', { ...running, [`PATCH ${DEPLOYMENT}`]: [200] }, 'broken: the pod was not replaced'],
  [
    'K8S-RESTART',
    { [`GET ${PODS}`]: [200, { items: [pod('a', 'False')] }] },
    'untried, unanswered: the pod of the trial has not become Ready',
  ],

  ['K8S-EVICTION', { ...guarded, [EVICTION]: [429, { message: 'not now' }], [`GET ${PODS}/a`]: [200, pod('a')] }, 'held: 429 (not now)'],
  [
    'K8S-EVICTION',
    { ...guarded, [EVICTION]: [429], [`GET ${PODS}/a`]: [200, pod('a', 'True', GOES)] },
    'broken: it was answered with 429, and the pod is evicted',
  ],
  ['K8S-EVICTION', { ...guarded, [EVICTION]: [201], [`GET ${PODS}/a`]: [404] }, 'broken: it was answered with 201, and the pod is evicted'],
  ['K8S-EVICTION', { ...guarded, [EVICTION]: [404] }, 'untried, unanswered: belay-conformance/a went by itself'],
  [
    'K8S-EVICTION',
    { ...running, [`GET ${BUDGETS}/trial`]: [200, { metadata: { generation: 1 } }] },
    'untried, unanswered: nobody has looked at PodDisruptionBudget trial',
  ],

  ['K8S-EVICTION-TWO', { ...guarded, [EVICTION]: [500], [`GET ${PODS}/a`]: [200, pod('a')] }, 'held: 500, the pod is there'],
  [
    'K8S-EVICTION-TWO',
    { ...guarded, [EVICTION]: [500], [`GET ${PODS}/a`]: [200, pod('a', 'True', GOES)] },
    'broken: it was answered with 500, and the pod is evicted',
  ],

  ['K8S-EVICTION-DONE', { [`GET ${PODS}`]: [200, { items: [pod('a'), pod('b')] }] }, 'held: 201, and another pod'],
  ['K8S-EVICTION-DONE', { [`GET ${PODS}`]: [200, { items: [pod('a'), pod('b')] }], [EVICTION]: [429] }, 'broken: it is answered with 429'],
])('%s (case %#)', async (id, answers, verdict) => {
  expect((await trial(id, answers)).said).toBe(verdict);
});

test('a namespace of that name that somebody else has made is neither used nor deleted', async () => {
  const { said, sent, tried } = await trial('K8S-UID', { [`GET ${HERE}`]: [200, { metadata: { labels: { team: 'shop' } } }] });
  expect(said).toBe('untried, absent: there is a namespace belay-conformance that this command has not made');
  expect({ sent, restored: tried.restored, left: tried.left }).toEqual({ sent: [], restored: [], left: [] });
});

test('a namespace of an earlier trial is deleted, and nothing is tried while it goes', async () => {
  const earlier = { metadata: { labels: { 'belay.dev/conformance': 'true' } } };
  const { said, sent } = await trial('K8S-UID', { [`GET ${HERE}`]: [200, earlier] });
  expect(said).toBe('untried, unanswered: namespace belay-conformance of an earlier trial is not gone');
  expect(sent).toEqual([`DELETE ${HERE}`]);
});

test('a namespace that stays after the trial is said to be left', async () => {
  const { ground, sent } = server({ [`DELETE ${MAP}`]: [409], [`GET ${MAP}`]: [200] });
  const { kube } = ground;
  const staying: Ground['kube'] = async (method, path) =>
    method === 'GET' && path === HERE && sent.length > 0 ? { status: 200, body: {} } : kube(method, path);
  const [tried] = await tryBeliefs({ ...ground, kube: staying }, { only: ['K8S-UID'], disposable: true });
  expect(tried).toMatchObject({
    verdict: { kind: 'held' },
    restored: [],
    left: [{ what: 'namespace belay-conformance', why: 'it is still there' }],
  });
  expect(sent.at(-1)).toBe(`DELETE ${HERE}`);
});
