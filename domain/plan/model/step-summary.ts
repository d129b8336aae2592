/** What a step was to bring, in a line: a change record sets it beside what came of it. */
import { count, duration, someOf } from '../../core/text.ts';
import type { PlannedStep } from './types.ts';

const arrow = (from: string, to: string): string => `${from} → ${to}`;

/** '' where a step changes no version. */
export function plannedWords({ params }: Pick<PlannedStep, 'params'>): string {
  switch (params.phase) {
    case 'control-plane':
    case 'control-plane-back':
      return arrow(params.from, params.to);
    case 'karpenter-controller':
    case 'karpenter-migration':
      return `Karpenter ${arrow(params.from, params.to)}`;
    case 'istio':
      return params.canaries
        .map(({ fromRevision, toRevision, toVersion, toMinor }) => `${arrow(fromRevision, toRevision)} (${toVersion ?? toMinor})`)
        .join(', ');
    case 'add-ons-bridge':
    case 'add-ons-target':
    case 'add-ons-back':
      return someOf(
        params.changes.map(({ name, from, to }) => `${name} ${arrow(from, to)}`),
        10,
      );
    case 'node-groups':
      return someOf(
        params.groups.map(({ name, from }) => `${name} ${arrow(from, params.to)}`),
        10,
      );
    case 'karpenter-drift':
      return `${count(params.nodeCount, 'node')} to ${params.to}`;
    case 'other-nodes':
      return `to ${params.to}`;
    case 'bake':
      return duration(params.bakeMs);
    default:
      return '';
  }
}
