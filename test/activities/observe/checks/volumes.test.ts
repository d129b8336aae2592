/** Volumes that a replaced node did not let go of. */
import { describe, expect, test } from 'vitest';
import { checkVolumes } from '../../../../activities/observe/checks/volumes.ts';
import { stops } from '../../../../domain/core/findings.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

const attachment = (name: string, nodeName: string) => ({
  metadata: { name },
  spec: { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: `pv-${name}` } },
});

describe('volumes', () => {
  const cluster = (): FakeKubernetes => new FakeKubernetes().put('v1', 'nodes', { metadata: { name: 'here' } });
  const STORAGE = 'storage.k8s.io/v1';

  test('K15: one that is attached to a node that is gone is named, and no success', async () => {
    const port = cluster()
      .put(STORAGE, 'volumeattachments', attachment('a', 'here'))
      .put(STORAGE, 'volumeattachments', attachment('b', 'gone'));
    expect(await checkVolumes(port)).toMatchObject([
      {
        code: 'K8S107',
        severity: 'required',
        status: 'fail',
        message: 'Attached to a node that is gone: pv-b on gone. Pods that want them cannot start elsewhere.',
      },
    ]);
  });

  test('one that people chose to continue without is accepted by its node; any other still fails', async () => {
    const port = cluster()
      .put(STORAGE, 'volumeattachments', attachment('b', 'gone'))
      .put(STORAGE, 'volumeattachments', attachment('c', 'also-gone'));
    const skipped = [{ what: 'gone', by: 'Sam', reason: 'the instance is terminated', nodes: ['gone'] }];
    const found = await checkVolumes(port, skipped);
    expect(found.map((each) => [stops(each), each.accepted?.by, each.message])).toEqual([
      [false, 'Sam', 'Attached to a node that is gone: pv-b on gone. Pods that want them cannot start elsewhere.'],
      [true, undefined, 'Attached to a node that is gone: pv-c on also-gone. Pods that want them cannot start elsewhere.'],
    ]);
    expect(
      (await checkVolumes(port, [{ ...skipped[0], what: 'all', by: 'Sam', reason: '', nodes: ['gone', 'also-gone'] }])).some(stops),
    ).toBe(false);
  });

  test('K15: all on nodes that are there', async () => {
    const port = cluster().put(STORAGE, 'volumeattachments', attachment('a', 'here'));
    expect(await checkVolumes(port)).toMatchObject([{ status: 'pass' }]);
  });
});
