/** No node is replaced for drift while Karpenter's API is migrated: the freeze of the later phases, in whichever version budgets have now. */
import { deliveredBy } from '../delivery/marks.ts';
import { beat } from '../context.ts';
import { GUARD, readBefore } from '../kubernetes/karpenter/freeze-image.ts';
import { freezeOperations, restorePlan } from '../kubernetes/karpenter/freeze-patch.ts';
import { lookThenPatch } from '../kubernetes/look-then-patch.ts';
import type { NodePool, Workload } from '../kubernetes/shapes.ts';
import { controllerVersion, isAtLeast } from '../kubernetes/versions.ts';
import { putBackEach } from '../kubernetes/karpenter/change-each.ts';
import type { KubernetesDeps, KubernetesPort } from '../ports.ts';
import type { MigrationActivities } from './contract.ts';
import { listStored } from './stored-version.ts';

const POOLS = 'nodepools.karpenter.sh';
/** For every reason: v1beta1 knows none. */
const ENTRY = { nodes: '0' };

export function createHoldActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'holdForMigration' | 'releaseMigrationHold'> {
  return {
    async holdForMigration({ cluster, guard }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const stored = await listStored<NodePool>(port, POOLS);
      if (stored === undefined || !(stored.version === 'v1' || stored.hasBudgets || (await knowsBudgets(port)))) return { kind: 'none' };
      const pools: string[] = [];
      const delivered: string[] = [];
      for (const pool of stored.objects) {
        const { name } = pool.metadata;
        beat({ kind: 'freezing', pool: name });
        const result = await lookThenPatch(
          port,
          { ...stored.query, name },
          (seen) => (isAnothers(seen, guard) ? undefined : freezeOperations(seen, ENTRY, guard)),
          pool,
        );
        if (result.kind === 'gone' || isAnothers(result.seen, guard)) continue;
        pools.push(name);
        const by = deliveredBy(pool.metadata);
        if (by !== undefined && by !== 'helm') delivered.push(`${name} (${by})`);
      }
      return { kind: 'held', pools, delivered };
    },
    async releaseMigrationHold({ cluster, guard }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const stored = await listStored<NodePool>(port, POOLS);
      const ours = (stored?.objects ?? []).filter(({ metadata }) => metadata.annotations?.[GUARD] === guard);
      const changedByOthers: string[] = [];
      const unreadable: { pool: string; why: string }[] = [];
      const query = stored?.query;
      const { done, failed } = await putBackEach(
        ours.map(({ metadata }) => metadata.name),
        async (name) => {
          if (query === undefined) return { kind: 'gone' };
          beat({ kind: 'restoring', pool: name });
          const result = await lookThenPatch<NodePool>(port, { ...query, name }, (pool) => {
            const plan = restorePlan(pool);
            return plan.kind === 'exact' || plan.kind === 'entry-only' ? plan.operations : undefined;
          });
          if (result.kind === 'gone') return result;
          const plan = restorePlan(result.seen);
          if (plan.kind === 'entry-only') changedByOthers.push(name);
          if (plan.kind !== 'unreadable') return result;
          unreadable.push({ pool: name, why: plan.why });
          return { kind: 'unreadable' };
        },
      );
      return {
        restored: done.filter((name) => !changedByOthers.includes(name)),
        changedByOthers,
        failed: [...failed.map(({ name, why }) => ({ pool: name, why })), ...unreadable],
      };
    },
  };
}

/** Frozen by an earlier run, or by another step: theirs to lift. */
function isAnothers(pool: NodePool, guard: string): boolean {
  return readBefore(pool).kind !== 'none' && pool.metadata.annotations?.[GUARD] !== guard;
}

/** 0.34 brought them (upgrade guide); a newer CRD says so by its schema. */
async function knowsBudgets(port: KubernetesPort): Promise<boolean> {
  const query = { apiVersion: 'apps/v1', plural: 'deployments', labelSelector: 'app.kubernetes.io/name=karpenter' };
  const [deployment] = (await port.list<Workload>(query)) ?? [];
  const version = deployment === undefined ? undefined : controllerVersion(deployment);
  return version !== undefined && isAtLeast(version, '0.34');
}
