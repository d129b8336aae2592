/** What Karpenter has marked as drifted: it would be replaced as soon as budgets allow. */
import type { KubernetesPort } from '../../contract/ports.ts';
import { count } from '../../../domain/core/text.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { conditionOf, isTrue, type NodeClaim } from '../../clients/kubernetes/objects.ts';
import { NODE_CLAIMS } from './node-pools.ts';

/** Marked, and not being deleted already. */
export function isMarked(claim: NodeClaim): boolean {
  return isTrue(claim, 'Drifted') && claim.metadata.deletionTimestamp === undefined;
}

/** Marked NodeClaims. `which` is given the reason of the mark; older versions write none. */
export async function markedClaims(
  port: KubernetesPort,
  which: (claim: NodeClaim, reason: string | undefined) => boolean,
): Promise<NodeClaim[]> {
  const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
  return claims.filter((claim) => isMarked(claim) && which(claim, conditionOf(claim, 'Drifted')?.reason));
}

/** Unavailable: Karpenter takes marks off within minutes of what they were for. */
export function marksStay(doing: string, marked: readonly NodeClaim[]): Error {
  const first = marked[0]?.metadata.name;
  return failureOf('Unavailable', `${doing}: Karpenter still marks ${count(marked.length, 'NodeClaim')} as drifted, first ${first}`);
}
