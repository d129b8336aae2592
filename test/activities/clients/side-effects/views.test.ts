/** What is compared before and after a change, and what is looked at again. */
import { expect, test } from 'vitest';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import type { ClusterDeps } from '../../../../activities/clients/clusters.ts';
import { createSideEffectActivities } from '../../../../activities/clients/side-effects/compare-again.ts';
import { keepBefore } from '../../../../activities/clients/side-effects/eks-updates.ts';
import { readView } from '../../../../activities/clients/side-effects/views.ts';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { CLUSTER } from '../../../support/facts.ts';

const GROUP = { kind: 'node-group', name: 'workers' } as const;
const awsWith = (taints: object[]): AwsClients =>
  ({ eks: { send: () => Promise.resolve({ nodegroup: { taints } }) } }) as unknown as AwsClients;

test('in whatever order EKS lists things, they are the same', async () => {
  const [gpu, spot] = [{ key: 'gpu' }, { key: 'spot' }];
  for (const taints of [
    [gpu, spot],
    [spot, gpu],
  ])
    expect(await readView(awsWith(taints), CLUSTER, GROUP)).toEqual({ taints: [gpu, spot] });
});

test('what an earlier attempt has seen before its request is not read again: by now it may have changed', async () => {
  const before = { taints: [{ key: 'gpu' }] };
  const kept = (lastBeat: unknown) => runWithin({ lastBeat }, () => keepBefore(awsWith([{ key: 'new' }]), CLUSTER, GROUP));
  expect(await kept({ kind: 'before', view: before })).toEqual(before);
  expect(await kept({ kind: 'waiting' })).toEqual({ taints: [{ key: 'new' }] });
});

test('an element that is gone is told until it is decided about, whatever else was put back', async () => {
  const object = { metadata: { name: 'default', labels: { team: 'a' } } };
  const deps = { clusterPorts: async () => ({ kubernetes: { get: async () => object } }) } as unknown as ClusterDeps;
  const gone = { path: 'spec.taints[0]' };
  const backAgain = { path: 'metadata.labels.team', pointer: '/metadata/labels/team', before: '"a"' };
  const effect = { during: 'x', resource: { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' }, moreCount: 0 };
  const look = (differences: { path: string }[]) =>
    createSideEffectActivities(deps).lookAtSideEffects({ cluster: CLUSTER, effects: [{ ...effect, differences }] });
  expect(await look([gone, backAgain])).toEqual({ effects: [{ ...effect, differences: [gone] }] });
  expect(await look([backAgain])).toEqual({ effects: [] });
});
