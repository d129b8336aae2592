/** No node is replaced for drift while Karpenter's API is migrated: the freeze of the later phases, by budgets in whichever version they have now, or node by node. */
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import { beat } from '../../runtime/context.ts';
import { findController } from '../objects/find-controller.ts';
import { GUARD, readBefore } from '../freeze/before-image.ts';
import { freezeOperations, restorePlan } from '../freeze/budget-patch.ts';
import { listKarpenterNodes } from '../freeze/by-annotation.ts';
import { changeNodes, heldFor, holdAnnotations, releaseAnnotations } from '../objects/node-annotations.ts';
import { annotate, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { ClusterNode, NodePool } from '../../clients/kubernetes/objects.ts';
import { controllerVersion, isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';
import { putBackEach } from '../amis/change-each.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import type { MigrationActivities } from '../../contract/karpenter-migration.ts';
import { listStored } from './stored-version.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

const POOLS = 'nodepools.karpenter.sh';
/** For every reason: v1beta1 knows none. */
const ENTRY = { nodes: '0' };

export function createHoldActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'holdForMigration' | 'releaseMigrationHold'> {
  return {
    async holdForMigration({ cluster, guard }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const stored = await listStored<NodePool>(port, POOLS);
      if (stored === undefined) return { byBudget: [], byNode: [] };
      const budgets = stored.version === 'v1' || stored.hasBudgets || (await knowsBudgets(port));
      const own = stored.objects.filter((pool) => !isAnothers(pool, guard));
      const [byBudget, byNode] = partition(own, (pool) => budgets && !isKept(pool));
      for (const pool of byBudget) {
        const { name } = pool.metadata;
        beat({ kind: 'freezing', pool: name });
        const freeze = (seen: NodePool) => (isAnothers(seen, guard) ? undefined : freezeOperations(seen, ENTRY, guard));
        await lookThenPatch(port, { ...stored.query, name }, freeze, pool);
      }
      await holdNodes(port, byNode.map(nameOf), guard);
      return { byBudget: byBudget.map(nameOf), byNode: byNode.map(nameOf) };
    },
    async releaseMigrationHold({ cluster, guard }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      await releaseNodes(port, guard);
      const stored = await listStored<NodePool>(port, POOLS);
      if (stored === undefined) return { restored: [], changedByOthers: [], failed: [] };
      const ours = stored.objects.filter(({ metadata }) => metadata.annotations?.[GUARD] === guard);
      const changedByOthers: string[] = [];
      const unreadable: { pool: string; why: string }[] = [];
      const { done, failed } = await putBackEach(
        ours.map(({ metadata }) => metadata.name),
        async (name) => {
          beat({ kind: 'restoring', pool: name });
          const result = await lookThenPatch<NodePool>(port, { ...stored.query, name }, (pool) => {
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

const nameOf = ({ metadata }: NodePool): string => metadata.name;

function partition<T>(all: readonly T[], first: (each: T) => boolean): [T[], T[]] {
  return [all.filter(first), all.filter((each) => !first(each))];
}

/** A budget would be put back as in Git; nobody keeps Nodes. */
const isKept = (pool: NodePool): boolean => keeperOf(pool) !== undefined;

async function holdNodes(port: KubernetesPort, pools: readonly string[], guard: string): Promise<void> {
  if (pools.length === 0) return;
  const nodes = (await listKarpenterNodes(port)).filter(
    (node) => pools.includes(node.metadata.labels?.[POOL] ?? '') && (heldFor(node, 'freeze') ?? guard) === guard,
  );
  await changeNodes(port, nodes, (node) =>
    (heldFor(node, 'freeze') ?? guard) === guard ? annotate(node, holdAnnotations(node, 'freeze', guard)) : [],
  );
}

async function releaseNodes(port: KubernetesPort, guard: string): Promise<void> {
  const ours = (node: ClusterNode): boolean => heldFor(node, 'freeze') === guard;
  const nodes = (await listKarpenterNodes(port)).filter(ours);
  await changeNodes(port, nodes, (node) => (ours(node) ? annotate(node, releaseAnnotations(node, 'freeze')) : []));
}

/** Frozen by an earlier run, or by another step: theirs to lift. */
function isAnothers(pool: NodePool, guard: string): boolean {
  return readBefore(pool).kind !== 'none' && pool.metadata.annotations?.[GUARD] !== guard;
}

/** 0.34 brought them (upgrade guide); a newer CRD says so by its schema. */
async function knowsBudgets(port: KubernetesPort): Promise<boolean> {
  const deployment = await findController(port);
  const version = deployment === undefined ? undefined : controllerVersion(deployment);
  return version !== undefined && isAtLeast(version, '0.34');
}
