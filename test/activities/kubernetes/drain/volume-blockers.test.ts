/** Volumes that a node took with it: named with what is known of them, and no reason to stop a roll where Belay may not see them. */
import { expect, test } from 'vitest';
import type { DriftView } from '../../../../activities/kubernetes/drain/draining-nodes.ts';
import { findVolumeHolds } from '../../../../activities/kubernetes/drain/volume-blockers.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { podObject } from '../../../support/kubernetes-objects.ts';

const VIEW: DriftView = {
  old: [],
  driftedClaims: [],
  replacedCount: 0,
  skippedCount: 0,
  starting: [],
  claims: new Set(),
  known: new Set(),
  ignored: new Set(),
};

/** Volume pv-1 is attached to a node that is gone; shop/db-0 waits for its claim. */
function world(claimRef: object | undefined = { namespace: 'shop', name: 'data' }): FakeKubernetes {
  const pod = podObject('shop', 'db-0', { phase: 'Pending' });
  const volumes = [{ persistentVolumeClaim: { claimName: 'data' } }];
  return new FakeKubernetes()
    .put('storage.k8s.io/v1', 'volumeattachments', {
      metadata: { name: 'csi-1' },
      spec: { nodeName: 'gone', source: { persistentVolumeName: 'pv-1' } },
    })
    .put('v1', 'persistentvolumes', { metadata: { name: 'pv-1' }, spec: { claimRef } })
    .put('v1', 'pods', { ...pod, spec: { ...(pod.spec as object), volumes } });
}

function refusing(plural: string, type: 'AccessDenied' | 'InvalidRequest' = 'AccessDenied'): FakeKubernetes {
  const port = world();
  const list = port.list.bind(port);
  port.list = async (query, keep) => {
    if (query.plural === plural) throw failureOf(type, `listing ${plural}: refused`);
    return await list(query, keep);
  };
  return port;
}

const attached = (waits: string): string =>
  `volume pv-1 is still attached to this node, which is gone: ${waits} (Multi-Attach). See whether the instance is really gone; then delete the VolumeAttachment (kubectl get volumeattachments)`;
const ANY = attached('pods that want it cannot start elsewhere');

test.each<[string, FakeKubernetes, string[]]>([
  ['the pod that waits', world(), [attached('pod shop/db-0 cannot start elsewhere')]],
  ['no pod where nothing claims the volume', world({}), [ANY]],
  ['no pod where volumes may not be listed', refusing('persistentvolumes'), [ANY]],
  ['nothing where attachments may not be listed', refusing('volumeattachments'), []],
])('named is %s', async (_title, port, reasons) => {
  expect((await findVolumeHolds(port, VIEW)).map(({ reason }) => reason)).toEqual(reasons);
});

test('any other refusal is a failure', async () => {
  await expect(findVolumeHolds(refusing('volumeattachments', 'InvalidRequest'), VIEW)).rejects.toThrow(
    'listing volumeattachments: refused',
  );
});
