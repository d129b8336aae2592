/** Pods on Fargate against the twin, over the wire: EKS refuses while they are newer, their controllers make no new ones while they are held, and they come back. */
import { expect, test } from 'vitest';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import { createLeftoverActivities } from '../../../../activities/run/planning/leftovers.ts';
import { rollbackReadiness } from '../../../../rehearsal/aws/eks/cluster/rollback.ts';
import { policy } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';
import { movedUp } from '../../support/moved-up.ts';
import { startTwin } from '../../support/twin.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';

const LIMIT_MS = 360_000;

test(
  'planned where belay.yaml allows it; down, seen by EKS, found as a leftover, and up again',
  async () => {
    const twin = await startTwin('fargate-back');
    try {
      const { world } = twin.built;
      movedUp(twin, '1.32', 1);
      const timing = { ...policy().timing, ...QUICK, rolloutTimeoutMs: 60_000 };
      const store = {
        newest: async () => [],
        read: async () => undefined,
        find: async () => undefined,
        write: async () => ({ location: '' }),
        upgradesOf: async () => [],
      };
      const back = createRollbackPlanActivities({ ...twin.clients, store });
      const wanted = (fargate: 'refuse' | 'stop') =>
        policy({ cluster: twin.ref, timing, rollback: { fargate }, nodeGroups: { clusterAutoscaler: 'pause', selfManaged: 'refresh' } });

      const policyOf = () => wanted('stop');

      const refused = await back.planRollback({ cluster: twin.ref, policy: wanted('refuse') });
      expect(refused.kind === 'refused' ? refused.violations.map(({ message }) => message) : []).toEqual([
        '3 fargate nodes run a kubelet newer than 1.31, which no control plane at 1.31 may have.',
      ]);
      const planned = await back.planRollback({ cluster: twin.ref, policy: wanted('stop') });
      expect(
        planned.kind === 'plan' ? planned.plan.steps.find(({ phase }) => phase === 'control-plane-back')?.params : undefined,
      ).toMatchObject({
        fargate: { podCount: 3, workloadCount: 2 },
      });

      const newer = (): string | undefined => rollbackReadiness(world, '1.31')[0]?.reason;
      expect(newer()).toBe('6 nodes run a kubelet newer than 1.31.');
      const nodes = createOtherNodeActivities({ ...twin.clients, policyOf });
      const input = { cluster: twin.ref, to: '1.31', timing };
      expect((await nodes.stopFargate({ ...input, dns: false })).stopped).toEqual(['Deployment batch/pdf', 'Deployment batch/worker']);
      expect(await nodes.awaitFargateStopped(input)).toEqual({ timedOut: false, left: [] });
      // The node group's, and those of a group of one's own: steps before take them back.
      expect(newer()).toBe('3 nodes run a kubelet newer than 1.31.');

      const { leftovers } = await createLeftoverActivities({ ...twin.clients, store, policyOf }).findLeftovers({ cluster: twin.ref });
      expect(leftovers).toEqual([{ kind: 'fargate', workloads: ['Deployment batch/pdf', 'Deployment batch/worker'] }]);

      expect(await nodes.startFargate({ cluster: twin.ref })).toEqual({ startedCount: 2, changedByOthers: [], failed: [] });
      expect(await nodes.awaitFargateStarted({ cluster: twin.ref, timing })).toEqual({ timedOut: false, left: [] });
      for (const [name, replicas] of [
        ['worker', 2],
        ['pdf', 1],
      ] as const) {
        const workload = world.store.get('deployments', name, 'batch');
        const marks = Object.keys(workload?.metadata.annotations ?? {}).filter((key) => key.startsWith('belay.dev/'));
        expect([workload?.spec.replicas, marks]).toEqual([replicas, []]);
      }
    } finally {
      await twin.close();
    }
  },
  LIMIT_MS,
);
