/** What a real API server is told of tokens, and what its audit events become. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Hooks, startHooks } from '../../../rehearsal/real/hooks.ts';
import { parseFaults } from '../../../rehearsal/world/faults/parse.ts';
import { FaultBoard, noFaults } from '../../../rehearsal/world/faults.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';

const AT = new Date('2026-07-10T01:00:00Z');
const journal = new Journal(() => AT);
let hooks: Hooks;

beforeAll(async () => {
  hooks = await startHooks({ journal, fates: noFaults() });
});
afterAll(() => hooks.close());

async function post(path: string, body: object, to = hooks): Promise<unknown> {
  const response = await fetch(to.url + path, { method: 'POST', body: JSON.stringify(body) });
  return await response.json();
}

function token(accessKeyId: string): string {
  const query = new URLSearchParams({
    Action: 'GetCallerIdentity',
    'X-Amz-Credential': `${accessKeyId}/20260710/eu-west-1/sts/aws4_request`,
    'X-Amz-Date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Signature': 'abc',
  });
  return `k8s-aws-v1.${Buffer.from(`https://sts.eu-west-1.amazonaws.com/?${query.toString()}`).toString('base64url')}`;
}

const audited = (verb: string, objectRef: object, responseStatus: object): object => ({
  verb,
  user: { username: 'aws:A' },
  objectRef,
  responseStatus,
});

const review = (value: string): Promise<unknown> => post('/token', { spec: { token: value } });

test('Belay’s token belongs to the group of deploy/kubernetes-rbac.yaml, and to no other', async () => {
  expect(await review(token('AKIAREHEARSAL0000000'))).toMatchObject({
    kind: 'TokenReview',
    status: { authenticated: true, user: { username: 'aws:AKIAREHEARSAL0000000', groups: ['belay'] } },
  });
});

test('somebody else’s AWS credentials are those of the cluster’s maker; anything else is nobody', async () => {
  expect(await review(token('AKIASOMEBODYELSE0000'))).toMatchObject({
    status: { authenticated: true, user: { groups: ['system:masters'] } },
  });
  expect(await review('k8s-aws-v1.nonsense')).toMatchObject({ status: { authenticated: false } });
});

test('audit events become the rehearsal’s mutations', async () => {
  await post('/audit', {
    items: [
      audited('patch', { resource: 'nodepools', name: 'default' }, { code: 200 }),
      audited('patch', { resource: 'namespaces', namespace: 'shop', name: 'shop' }, { code: 200 }),
      audited('delete', { resource: 'nodes', name: 'n1' }, { code: 403, reason: 'Forbidden', message: 'no' }),
    ],
  });
  expect(journal.mutations).toEqual([
    { api: 'kubernetes', operation: 'patch nodepools', resource: 'nodepools/default', accepted: true, detail: {}, at: AT.toISOString() },
    { api: 'kubernetes', operation: 'patch namespaces', resource: 'namespaces/shop', accepted: true, detail: {}, at: AT.toISOString() },
    {
      api: 'kubernetes',
      operation: 'delete nodes',
      resource: 'nodes/n1',
      accepted: false,
      error: 'Forbidden',
      detail: { message: 'no' },
      at: AT.toISOString(),
    },
  ]);
});

test('a fault begins at what Belay changed; what was refused is no moment', async () => {
  const orders = parseFaults(['slack:down@freeze-drift', 'eks:throttle@patch-nodes']);
  const faults = new FaultBoard(orders, { nowMs: () => AT.getTime(), tell: () => undefined });
  const other = await startHooks({ journal: new Journal(() => AT), fates: faults });
  try {
    const changed = audited('patch', { resource: 'nodepools', name: 'default' }, { code: 200 });
    const refused = audited('patch', { resource: 'nodes', name: 'n1' }, { code: 403 });
    await post('/audit', { items: [changed, refused] }, other);
  } finally {
    await other.close();
  }
  expect(faults.records).toEqual([
    { fault: 'slack:down@freeze-drift', since: AT.toISOString(), struck: 0 },
    { fault: 'eks:throttle@patch-nodes', struck: 0 },
  ]);
});
