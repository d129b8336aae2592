/** Which Karpenter a snapshot's cluster runs, as a forecast goes by it. */
import { expect, test } from 'vitest';
import { listKey, type SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import { karpenterVersion } from '../../../../domain/plan/forecast/model/karpenter-version.ts';
import { clusterSnapshot } from '../../../support/clusters.ts';

const labelled = (namespace: string, tag: string, replicas: number): SnapshotKubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'karpenter', namespace, uid: namespace, labels: { 'app.kubernetes.io/name': 'karpenter' } },
  spec: { replicas, template: { spec: { containers: [{ name: 'controller', image: `public.ecr.aws/karpenter/controller:${tag}` }] } } },
});

test.each<{ title: string; deployments: SnapshotKubeObject[]; version: string | undefined }>([
  { title: 'none', deployments: [], version: undefined },
  { title: 'the only one, even scaled to 0', deployments: [labelled('karpenter', '1.6.2', 0)], version: '1.6.2' },
  {
    title: 'not one that a move has left behind',
    deployments: [labelled('karpenter', '0.37.0', 0), labelled('kube-system', '1.6.2', 2)],
    version: '1.6.2',
  },
  { title: 'neither of two that run', deployments: [labelled('a', '0.37.0', 1), labelled('b', '1.6.2', 1)], version: undefined },
])('$title', ({ deployments, version }) => {
  const snapshot = clusterSnapshot({});
  snapshot.objects.set(listKey('apps/v1', 'deployments'), deployments);
  expect(karpenterVersion(snapshot)).toBe(version);
});
