/** A cluster with Karpenter and EKS Auto Mode: their nodes have the same labels of NodePools, and each is replaced by its own. */
import { expect, test } from 'vitest';
import type { KarpenterActivities } from '../../../../activities/contract/karpenter.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject, nodePoolObject } from '../../../support/kubernetes-objects.ts';

const AUTO = { group: 'eks.amazonaws.com' };

/** NodePools "default" of Karpenter, "batch" of Auto Mode, one node each. */
function world(minors: { karpenter: string; auto: string }) {
  const port = new FakeKubernetes()
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', {}))
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('batch', {}, AUTO))
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'))
    .put('v1', 'nodes', nodeObject('k', minors.karpenter))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-k', 'k', { drifted: minors.karpenter !== '1.33' }))
    .put('v1', 'nodes', nodeObject('a', minors.auto, { pool: 'batch', labels: { 'eks.amazonaws.com/compute-type': 'auto' } }))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { pool: 'batch', drifted: minors.auto !== '1.33', ...AUTO }));
  const karpenter = createKarpenterActivities(depsOf(port));
  const watch = (change: Partial<Parameters<KarpenterActivities['watchDrift']>[0]>) =>
    karpenter.watchDrift({
      cluster: CLUSTER,
      timing: quickTiming({ driftTimeoutMs: 0, driftBlockedAfterMs: 600_000 }),
      to: '1.33',
      ignoreNodes: [],
      startedAt: '2026-01-01T00:00:00Z',
      ...change,
    });
  return { port, karpenter, watch };
}

test('Auto Mode is waited for by its own nodes: those that Karpenter has still to replace are not its business', async () => {
  const { port, watch } = world({ karpenter: '1.32', auto: '1.33' });
  // One that Karpenter has marked and whose node has not come up yet.
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-late', undefined, { drifted: true }));
  expect(await watch({ owner: 'auto-mode' })).toEqual({ kind: 'done', replacedCount: 1, remainingCount: 0, skippedCount: 0 });
  expect(await watch({})).toMatchObject({ kind: 'timed-out', replacedCount: 1, remainingCount: 2 });
});

test('a node of Auto Mode that is not replaced yet is waited for', async () => {
  const { port, watch } = world({ karpenter: '1.33', auto: '1.32' });
  expect(await watch({ owner: 'auto-mode' })).toMatchObject({ kind: 'timed-out', replacedCount: 0, remainingCount: 1 });
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-late', undefined, { pool: 'batch', drifted: true, ...AUTO }));
  expect(await watch({ owner: 'auto-mode' })).toMatchObject({ remainingCount: 2 });
});
