/** Points NodePools at other EC2NodeClasses, waits for owners who do it, and points them back. nodeClassRef is hashed: every node of the pool drifts, so only under the freeze. */
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { NodeClassSwitch } from '../../../domain/facts.ts';
import { beat } from '../../context.ts';
import type { KarpenterActivities } from './contract.ts';
import type { KubernetesDeps, KubernetesPort } from '../../ports.ts';
import { readJson } from '../../read-json.ts';
import { failureOf } from '../../translate-errors.ts';
import { waitUntil } from '../../wait-until.ts';
import { listServed } from '../lists.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../look-then-patch.ts';
import { conditionOf, type NodeClaim, type NodePool } from '../shapes.ts';
import { NODE_CLAIMS, POOL, poolRef } from './pools.ts';

const CLASS_BEFORE = 'belay.dev/node-class-before';

/** `wrote`: our class, by which a change of others is told. */
const Image = z.object({ nodeClass: z.string(), wrote: z.string() });

export function createSwitchNodeClassActivities(
  deps: KubernetesDeps,
): Pick<KarpenterActivities, 'switchNodeClasses' | 'awaitNodeClassSwitches' | 'undoNodeClassSwitches' | 'forgetNodeClassSwitches'> {
  const portOf = async (cluster: Parameters<KubernetesDeps['clusterPorts']>[0]) => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async switchNodeClasses({ cluster, switches }) {
      const port = await portOf(cluster);
      for (const each of switches) {
        beat({ kind: 'switching node classes', nodePool: each.nodePool });
        const result = await lookThenPatch<NodePool>(port, poolRef(each.nodePool), (pool) => switchOperations(pool, each));
        if (result.kind === 'gone')
          throw failureOf('NotFound', `switching the node class of ${each.nodePool}: there is no such NodePool any more`);
      }
    },
    async awaitNodeClassSwitches({ cluster, timing, switches }) {
      const port = await portOf(cluster);
      const names = switches.map(({ nodePool }) => nodePool).join(', ');
      const result = await waitUntil(
        { timing, timeoutMs: timing.askTimeoutMs, doing: `waiting for others to switch ${names}` },
        async () => {
          const left = await elsewhere(port, switches);
          return left.length === 0 ? { done: true, value: undefined } : { done: false, note: `${left.join(', ')} as before` };
        },
      );
      return { left: result.kind === 'done' ? [] : await elsewhere(port, switches) };
    },
    async undoNodeClassSwitches({ cluster, switches }) {
      const port = await portOf(cluster);
      const undone: string[] = [];
      const failed: { nodePool: string; why: string }[] = [];
      for (const { nodePool } of switches) {
        beat({ kind: 'switching node classes back', nodePool });
        try {
          const result = await lookThenPatch<NodePool>(port, poolRef(nodePool), undoOperations);
          if (result.kind === 'there') undone.push(nodePool);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
          failed.push({ nodePool, why: error.message });
        }
      }
      await refuseMarks(port, new Set(undone));
      return { undone, failed };
    },
    async forgetNodeClassSwitches({ cluster, switches }) {
      const port = await portOf(cluster);
      for (const { nodePool } of switches) {
        await lookThenPatch<NodePool>(port, poolRef(nodePool), (pool) => annotate(pool, { [CLASS_BEFORE]: null }));
      }
    },
  };
}

const classOf = (pool: NodePool): string => pool.spec?.template?.spec?.nodeClassRef?.name ?? '';
const REF_NAME = '/spec/template/spec/nodeClassRef/name';

/** Nothing where it is made already. Throws where the pool is no longer as it was when people approved the change. */
function switchOperations(pool: NodePool, { nodePool, from, to }: NodeClassSwitch): JsonOperation[] {
  const now = classOf(pool);
  if (now === to) return [];
  if (now !== from) {
    throw failureOf(
      'InvalidRequest',
      `switching the node class of ${nodePool}: the plan changes ${from}, but somebody has set ${now} since; make a new plan`,
    );
  }
  return [
    ...annotate(pool, { [CLASS_BEFORE]: JSON.stringify({ nodeClass: now, wrote: to }) }),
    { op: 'replace', path: REF_NAME, value: to },
  ];
}

function undoOperations(pool: NodePool): JsonOperation[] {
  const { name, annotations } = pool.metadata;
  if (annotations?.[CLASS_BEFORE] === undefined) return [];
  const image = readJson(annotations[CLASS_BEFORE], Image);
  if (image === undefined) {
    throw failureOf(
      'InvalidRequest',
      `switching the node class of ${name} back: annotation ${CLASS_BEFORE} cannot be read; set nodeClassRef by hand`,
    );
  }
  const cleaned = annotate(pool, { [CLASS_BEFORE]: null });
  const now = classOf(pool);
  if (now === image.nodeClass) return cleaned;
  if (now !== image.wrote) {
    throw failureOf(
      'InvalidRequest',
      `switching the node class of ${name} back: others set ${now} meanwhile; it was ${image.nodeClass} before: set what is wanted and remove annotation ${CLASS_BEFORE}`,
    );
  }
  return [...cleaned, { op: 'replace', path: REF_NAME, value: image.nodeClass }];
}

/** The class before a switch of an earlier run; undefined: there was none. */
export function classBeforeSwitch(pool: NodePool): string | undefined {
  return readJson(pool.metadata.annotations?.[CLASS_BEFORE], Image)?.nodeClass;
}

async function elsewhere(port: KubernetesPort, switches: readonly NodeClassSwitch[]): Promise<string[]> {
  const left: string[] = [];
  for (const { nodePool, to } of switches) {
    const pool = await port.get<NodePool>(poolRef(nodePool));
    if (pool === undefined || classOf(pool) !== to) left.push(nodePool);
  }
  return left;
}

/** Budgets that come back while claims are still marked would have their nodes replaced: tried again until Karpenter has taken the marks off. */
async function refuseMarks(port: KubernetesPort, pools: ReadonlySet<string>): Promise<void> {
  const marked = (await listServed<NodeClaim>(port, NODE_CLAIMS)).filter((claim) => {
    const drifted = conditionOf(claim, 'Drifted');
    const ofTheSwitch =
      drifted?.status === 'True' && drifted.reason === 'NodePoolDrifted' && claim.metadata.deletionTimestamp === undefined;
    return ofTheSwitch && pools.has(claim.metadata.labels?.[POOL] ?? '');
  });
  if (marked.length === 0) return;
  throw failureOf(
    'Unavailable',
    `switching back: Karpenter still marks ${marked.length} NodeClaims as drifted, first ${marked[0]?.metadata.name}`,
  );
}
