/** An API server of which nothing is to be had is one cause, found out once. */
import { describe, expect, test } from 'vitest';
import { unlessAway, whyAway } from '../../../../activities/observe/readiness/away.ts';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

type Version = KubernetesPort['version'];
const answer: Version = async () => ({ minor: '1.33', gitVersion: 'v1.33.1' });

/** Its answers to /version, one after the other. */
function port(...answers: Version[]): Pick<KubernetesPort, 'version'> {
  return { version: () => (answers.shift() ?? answer)() };
}
const fails =
  (type: Parameters<typeof failureOf>[0], what: string): Version =>
  () =>
    Promise.reject(failureOf(type, `reading /version: ${what}`));

const REFUSED = fails('Unavailable', 'the connection was refused (ECONNREFUSED)');
const UNKNOWN = fails('AccessDenied', 'Kubernetes answered 401: Unauthorized');

describe('whether a server is there', () => {
  test.each<[string, Version[]]>([
    ['it answers', [answer]],
    ['it answers the second time', [REFUSED, answer]],
    ['it answers with an error', [fails('Unavailable', 'Kubernetes answered 500: etcd'), REFUSED]],
    ['it lets nobody read its version', [fails('AccessDenied', 'Kubernetes answered 403: Forbidden'), REFUSED]],
  ])('%s', async (_title, answers) => {
    expect(await whyAway(port(...answers), 'prod')).toBeUndefined();
  });

  test('it is not reached', async () => {
    expect(await whyAway(port(REFUSED, REFUSED), 'prod')).toEqual({
      kind: 'away',
      why: 'The API server of prod was not reached (the connection was refused (ECONNREFUSED)): nothing in the cluster was checked.',
      fix: 'Run this where the API server can be reached, such as in the VPC or with its VPN, and check HTTPS_PROXY; or name a kubeconfig with a tunnel in belay.yaml.',
    });
  });

  test('it does not know who asks', async () => {
    expect(await whyAway(port(UNKNOWN, UNKNOWN), 'prod')).toEqual({
      kind: 'away',
      why: 'The API server of prod does not know this identity (401): nothing in the cluster was checked.',
      fix: 'Give its IAM role an access entry, or map it in ConfigMap kube-system/aws-auth, and bind it to the ClusterRole that "belay check --permissions" prints.',
    });
  });
});

test('without a server no read waits for it', async () => {
  const gone = unlessAway(new FakeKubernetes(), Promise.resolve({ why: 'The API server of prod was not reached.' }));
  await expect(gone.list({ apiVersion: 'v1', plural: 'pods' })).rejects.toThrow('The API server of prod was not reached.');
  await expect(gone.metrics()).rejects.toThrow('The API server of prod was not reached.');
});
