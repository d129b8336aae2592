/** What a step that people skipped would have moved: validation finds it behind, and accepts that. */
import { defined } from '../../domain/core/defined.ts';
import { karpenterNamed, revisionNamed, type Skipped } from '../../domain/core/findings.ts';
import type { KubeletFact } from '../../domain/facts/facts.ts';
import { actorName } from '../../domain/gates/actor.ts';
import type { Decision } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';

/** undefined: the step moves nothing that may stay behind, so whatever validation finds still fails. */
export function skippedStep({ title, params }: PlannedStep, { actor, reason = '' }: Decision): Skipped | undefined {
  const about = movedBy(params);
  return about === undefined ? undefined : { what: title, by: actorName(actor), reason, ...about };
}

function movedBy(
  params: PlannedStep['params'],
): Pick<Skipped, 'nodePools' | 'nodeGroups' | 'owners' | 'addOns' | 'components'> | undefined {
  switch (params.phase) {
    case 'node-groups':
      return { nodeGroups: params.groups.map(({ name }) => name) };
    case 'karpenter-drift':
      return { nodePools: params.nodePools };
    case 'add-ons-bridge':
    case 'add-ons-target':
    case 'add-ons-back':
      return defined({ addOns: params.changes.map(({ name }) => name) });
    case 'karpenter-controller':
    case 'karpenter-migration':
      return { components: [karpenterNamed(params.from)] };
    case 'istio':
      return { components: params.canaries.map(({ fromRevision }) => revisionNamed(fromRevision)) };
    case 'other-nodes':
      return { owners: OTHER_NODES.flatMap(([part, owner]) => (params[part] === undefined ? [] : [owner])) };
    default:
      return undefined;
  }
}

/** Parts of the step, with what facts call their nodes. */
const OTHER_NODES = [
  ['selfManaged', 'self-managed'],
  ['fargate', 'fargate'],
  ['autoMode', 'auto-mode'],
] as const satisfies readonly (readonly [string, KubeletFact['owner']])[];
