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

describe('reads of a server that may be away', () => {
  const PODS = { apiVersion: 'v1', plural: 'pods' };
  const reading = (list: () => Promise<never[]>): KubernetesPort => Object.assign(new FakeKubernetes(), { list });

  test('without a server no read waits for its own end', async () => {
    const gone = unlessAway(
      reading(() => new Promise(() => {})),
      Promise.resolve({ why: 'The API server of prod was not reached.' }),
    );
    await expect(gone.list(PODS)).rejects.toThrow('The API server of prod was not reached.');
  });

  test('they go out before it is known, and come back once they are read', async () => {
    let sentCount = 0;
    const port = unlessAway(
      reading(async () => {
        sentCount += 1;
        return [];
      }),
      new Promise(() => {}),
    );
    expect(await port.list(PODS)).toEqual([]);
    expect(sentCount).toBe(1);
  });

  test.each([
    [{ why: 'The API server of prod was not reached.' }, 'The API server of prod was not reached.'],
    [undefined, 'listing pods: Kubernetes answered 403'],
  ])('one that fails before that is known (%j) has the reason of all only where there is one', async (found, why) => {
    let know: (found: { why: string } | undefined) => void = () => {};
    const away = new Promise<{ why: string } | undefined>((resolve) => (know = resolve));
    const read = unlessAway(
      reading(() => Promise.reject(failureOf('AccessDenied', 'listing pods: Kubernetes answered 403'))),
      away,
    ).list(PODS);
    setTimeout(() => know(found), 20);
    await expect(read).rejects.toThrow(why);
  });
});
