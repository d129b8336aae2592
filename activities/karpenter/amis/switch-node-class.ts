/** Points NodePools at other EC2NodeClasses, waits for owners who do it, and points them back. nodeClassRef is hashed: every node of the pool drifts, so only under the freeze. */
import { z } from 'zod';
import type { NodeClassSwitch } from '../../../domain/facts/facts.ts';
import { beat } from '../../runtime/context.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { NodeClaim, NodePool } from '../../clients/kubernetes/objects.ts';
import { putBackEach, untilNoneLeft } from './change-each.ts';
import { markedClaims, marksStay } from '../objects/drift-marks.ts';
import { poolRef } from '../objects/node-pools.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

export const CLASS_BEFORE = 'belay.dev/node-class-before';

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
      return { left: await untilNoneLeft(timing, `waiting for others to switch ${names}`, () => elsewhere(port, switches)) };
    },
    async undoNodeClassSwitches({ cluster, switches }) {
      const port = await portOf(cluster);
      const names = switches.map(({ nodePool }) => nodePool);
      const { done, failed } = await putBackEach(names, async (nodePool) => {
        beat({ kind: 'switching node classes back', nodePool });
        return await lookThenPatch<NodePool>(port, poolRef(nodePool), undoOperations);
      });
      const marked = await ownMarks(port, new Set(done));
      if (marked.length > 0) throw marksStay('switching back', marked);
      return { undone: done, failed: failed.map(({ name, why }) => ({ nodePool: name, why })) };
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
function ownMarks(port: KubernetesPort, pools: ReadonlySet<string>): Promise<NodeClaim[]> {
  return markedClaims(port, ({ metadata }, reason) => reason === 'NodePoolDrifted' && pools.has(metadata.labels?.[POOL] ?? ''));
}
