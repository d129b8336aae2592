/** What a real API server is told of tokens, and what its audit events become. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Hooks, startHooks } from '../../../rehearsal/real/hooks.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';

const AT = new Date('2026-07-10T01:00:00Z');
const journal = new Journal(() => AT);
let hooks: Hooks;

beforeAll(async () => {
  hooks = await startHooks({ journal });
});
afterAll(() => hooks.close());

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(hooks.url + path, { method: 'POST', body: JSON.stringify(body) });
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
  const event = (verb: string, objectRef: object, responseStatus: object): object => ({
    verb,
    user: { username: 'aws:A' },
    objectRef,
    responseStatus,
  });
  await post('/audit', {
    items: [
      event('patch', { resource: 'nodepools', name: 'default' }, { code: 200 }),
      event('patch', { resource: 'namespaces', namespace: 'shop', name: 'shop' }, { code: 200 }),
      event('delete', { resource: 'nodes', name: 'n1' }, { code: 403, reason: 'Forbidden', message: 'no' }),
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
