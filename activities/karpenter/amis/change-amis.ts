/** Edits EC2NodeClasses whose AMIs do not move by themselves, waits for owners who do it, and takes an edit back. amiSelectorTerms are not hashed: only AMIDrift follows. */
import { selectionWords } from '../../../domain/plan/karpenter/ami-changes.ts';
import type { AmiMove, SelectorTerm } from '../../../domain/plan/model/changes.ts';
import { beat } from '../../runtime/context.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { sameJson } from '../../runtime/same-json.ts';
import type { NodeClass } from '../../clients/kubernetes/objects.ts';
import { readImage, restoreOperations, selectOperations, termsOf } from './before-image.ts';
import { putBackEach, untilNoneLeft } from './change-each.ts';
import { classRef } from '../objects/node-pools.ts';

export const AMI_MOVE = 'belay.dev/ami-move-before';

export function createAmiMoveActivities(
  deps: KubernetesDeps,
): Pick<KarpenterActivities, 'moveAmis' | 'awaitAmiMoves' | 'undoAmiMoves' | 'forgetAmiMoves'> {
  const portOf = async (cluster: Parameters<KubernetesDeps['clusterPorts']>[0]) => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async moveAmis({ cluster, moves }) {
      const port = await portOf(cluster);
      for (const move of moves) {
        beat({ kind: 'moving AMIs', nodeClass: move.nodeClass });
        const result = await lookThenPatch<NodeClass>(port, classRef(move.nodeClass), (seen) => moveOperations(seen, move));
        if (result.kind === 'gone')
          throw failureOf('NotFound', `moving the AMIs of ${move.nodeClass}: there is no such EC2NodeClass any more`);
      }
    },
    async awaitAmiMoves({ cluster, timing, moves }) {
      const port = await portOf(cluster);
      const names = moves.map(({ nodeClass }) => nodeClass).join(', ');
      return { left: await untilNoneLeft(timing, `waiting for others to edit ${names}`, () => notThere(port, moves)) };
    },
    async undoAmiMoves({ cluster, moves }) {
      const port = await portOf(cluster);
      const names = moves.map(({ nodeClass }) => nodeClass);
      const { done, failed } = await putBackEach(names, async (nodeClass) => {
        beat({ kind: 'undoing AMI moves', nodeClass });
        return await lookThenPatch<NodeClass>(port, classRef(nodeClass), (seen) =>
          restoreOperations(seen, AMI_MOVE, `putting back the AMIs of ${nodeClass}`),
        );
      });
      return { undone: done, failed: failed.map(({ name, why }) => ({ nodeClass: name, why })) };
    },
    async forgetAmiMoves({ cluster, moves }) {
      const port = await portOf(cluster);
      for (const { nodeClass } of moves)
        await lookThenPatch<NodeClass>(port, classRef(nodeClass), (seen) => annotate(seen, { [AMI_MOVE]: null }));
    },
  };
}

/** Nothing where it is made already. Throws where the class is no longer as it was when people approved the change. */
function moveOperations(nodeClass: NodeClass, move: AmiMove): JsonOperation[] {
  if (isThere(nodeClass, move)) return [];
  const image = readImage(nodeClass, AMI_MOVE);
  const terms = termsOf(nodeClass);
  // Others may have put back what was there before our own edit.
  const reverted = image !== undefined && sameJson(terms, image.amiSelectorTerms);
  if (!reverted && !isBefore(terms, move)) {
    throw failureOf(
      'InvalidRequest',
      `moving the AMIs of ${move.nodeClass}: the plan changes ${move.before}, but somebody has set ${JSON.stringify(terms)} since; choose AMIs for the new minor there and press Retry, or make a new plan`,
    );
  }
  return selectOperations(nodeClass, AMI_MOVE, move.terms.map(plain), move.amiFamily);
}

const plain = ({ alias, id }: AmiMove['terms'][number]): Record<string, unknown> => (alias === undefined ? { id } : { alias });
const isThere = (nodeClass: NodeClass, { terms }: AmiMove): boolean => sameTerms(termsOf(nodeClass), terms.map(plain));
const sameTerms = (a: Record<string, unknown>[], b: Record<string, unknown>[]): boolean =>
  sameJson(a.map(text).toSorted(), b.map(text).toSorted());
const text = (term: Record<string, unknown>): string => JSON.stringify(term);

/** Ways other than aliases and ids have no short words to compare. */
function isBefore(terms: Record<string, unknown>[], { before }: AmiMove): boolean {
  const simple = terms.flatMap(({ alias, id }): SelectorTerm[] =>
    typeof alias === 'string' ? [{ alias }] : typeof id === 'string' ? [{ id }] : [],
  );
  return simple.length < terms.length || selectionWords(simple) === before;
}

async function notThere(port: KubernetesPort, moves: readonly AmiMove[]): Promise<string[]> {
  const left: string[] = [];
  for (const move of moves) {
    const nodeClass = await port.get<NodeClass>(classRef(move.nodeClass));
    if (nodeClass === undefined || !isThere(nodeClass, move)) left.push(move.nodeClass);
  }
  return left;
}
