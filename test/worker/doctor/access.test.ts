/** What the doctor says of rights in a cluster: those that upgrades need fail, those of checks alone are a warning. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { examineAccess } from '../../../worker/doctor/access.ts';
import { FakeKubernetes } from '../../support/fake-kubernetes.ts';

const review = z.object({
  spec: z.object({ resourceAttributes: z.object({ verb: z.string(), resource: z.string(), subresource: z.string().optional() }) }),
});

/** An API server that refuses these, such as "list jobs". */
function refusing(...refused: string[]): FakeKubernetes {
  const port = new FakeKubernetes();
  port.create = async <T>(_ref: object, body: object): Promise<T> => {
    const { verb, resource, subresource } = review.parse(body).spec.resourceAttributes;
    const right = `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
    return { metadata: {}, status: { allowed: !refused.includes(right) } } as T;
  };
  return port;
}

const diagnosed = async (port: FakeKubernetes, optional = false): Promise<string[]> =>
  (await examineAccess(port, 'prod', { waivers: [], optional })).map(({ status, message }) => `${status}: ${message}`);

test('all of them', async () => {
  expect(await diagnosed(refusing())).toEqual([expect.stringMatching(/^ok: prod: all \d+ permissions are granted$/)]);
});

test('what upgrades need has failed, what only checks read is a warning', async () => {
  expect(await diagnosed(refusing('patch nodes', 'list jobs', 'list customresourcedefinitions'))).toEqual([
    'failed: prod: may not patch nodes',
    'warning: prod: checks cannot see everything; Belay may not list jobs, list customresourcedefinitions',
  ]);
});

test('the optional role is asked about where belay.yaml says that it is there', async () => {
  const withoutSecrets = refusing('list secrets');
  expect(await diagnosed(withoutSecrets)).toEqual([expect.stringMatching(/^ok: /)]);
  expect(await diagnosed(withoutSecrets, true)).toEqual(['warning: prod: checks cannot see everything; Belay may not list secrets']);
});

test('an API server that does not answer is unknown, never all right', async () => {
  const port = new FakeKubernetes();
  port.create = () => Promise.reject(new Error('away'));
  expect(await diagnosed(port)).toEqual(['unknown: prod: the API server does not report what is allowed']);
});

test('where another role changes, reading is all that is asked for: that role is assumed by runs alone', async () => {
  const settings = { waivers: [], optional: false, writeRole: 'arn:aws:iam::123456789012:role/belay-write' };
  const [said] = await examineAccess(refusing('patch nodes', 'delete pods'), 'prod', settings);
  expect(said).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/permissions are granted; those of \S+belay-write are not tried out before a gate is approved$/),
  });
  expect((await examineAccess(refusing('list nodes'), 'prod', settings))[0]).toMatchObject({ message: 'prod: may not list nodes' });
});

describe('RS6: optional roles', () => {
  const LEFT =
    /; may not delete pods \(deploy\/kubernetes-rbac-delete-pods\.yaml allows it\); may not patch ec2nodeclasses \(deploy\/kubernetes-rbac-node-classes\.yaml allows it\)$/;

  test('what people may do without is named, and is no fault', async () => {
    const port = refusing('delete pods', 'patch ec2nodeclasses', 'patch namespaces', 'patch applications');
    expect(await diagnosed(port)).toEqual([expect.stringMatching(LEFT)]);
  });

  test('what belay.yaml uses is a warning with the file that gives it', async () => {
    const port = refusing('patch applications', 'patch ec2nodeclasses', 'create pods/eviction');
    const found = await examineAccess(port, 'prod', { waivers: [], optional: false, options: ['gitops', 'node-classes', 'self-managed'] });
    expect(found.map(({ status, message, fix }) => [status, message, fix?.split(',')[0]])).toEqual([
      ['warning', 'prod: may not patch applications', 'apply deploy/kubernetes-rbac-gitops.yaml'],
      ['warning', 'prod: may not patch ec2nodeclasses', 'apply deploy/kubernetes-rbac-node-classes.yaml'],
      ['warning', 'prod: may not create pods/eviction', 'apply deploy/kubernetes-rbac-self-managed.yaml'],
    ]);
  });

  test('a mesh that belay.yaml does not mention is seen', async () => {
    const port = refusing('patch namespaces', 'patch validatingwebhookconfigurations');
    expect(await diagnosed(port)).toEqual([expect.stringMatching(/^ok: /)]);
    port.put('apps/v1', 'deployments', { metadata: { name: 'istiod-1-26', namespace: 'istio-system', labels: { app: 'istiod' } } });
    expect(await examineAccess(port, 'prod', { waivers: [], optional: false })).toMatchObject([
      {
        status: 'warning',
        message: 'prod: may not patch namespaces, patch validatingwebhookconfigurations',
        fix: expect.stringContaining('apply deploy/kubernetes-rbac-istio.yaml'),
      },
    ]);
  });
});
