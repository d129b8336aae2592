/** Which pods blocked nodes, foreseen or not. What blocked is known from the gates that asked about it: what moved by itself meanwhile blocked nothing. */
import type { GateBlocked, GateState } from '../../gates/gate.ts';
import { allLines } from '../../gates/gate.ts';
import { phaseOf } from '../../core/phases.ts';
import type { QuotedBlocker, QuotedForecast } from '../../plan/forecast/quoted.ts';

/** Names of pods, "shop/web-0"; of a node where no pod is known. */
export interface BlockedCompared {
  foreseen: string[];
  notForeseen: string[];
  /** Foreseen, and not asked about. */
  notBlocked: string[];
  /** Foreseen ones that the run's plan did not name, so that nothing is said of them. */
  unnamedCount: number;
}

/** The record has all; texts show fewer. */
const NAMED = 100;

export function compareBlocked({ count, pods }: QuotedForecast['blockers'], decisions: readonly GateState[]): BlockedCompared {
  const gates = decisions.map(({ gate }) => gate);
  const blocked = unique(gates.flatMap((gate) => gate.blocked ?? []));
  // EKS says which pods kept a node group's node in words alone.
  const said = gates
    .filter(({ step, blocked: nodes }) => nodes === undefined && replacesNodes(step))
    .flatMap(({ evidence }) => evidence.flatMap(allLines))
    .join('\n');
  const isBlocked = (foreseen: QuotedBlocker): boolean =>
    blocked.some((one) => isSame(foreseen, one)) || names(said, foreseen.pod.slice(foreseen.pod.indexOf('/') + 1));
  const unnamedCount = Math.max(0, count - pods.length);
  return {
    foreseen: namesOf(pods.filter(isBlocked)),
    notForeseen: blocked
      // One that is not among the named ones may be among the others.
      .filter((one) => unnamedCount === 0 && !pods.some((foreseen) => isSame(foreseen, one)))
      .map(({ pod, node }) => pod ?? `node ${node}`)
      .slice(0, NAMED),
    notBlocked: namesOf(pods.filter((foreseen) => !isBlocked(foreseen))),
    unnamedCount,
  };
}

/** A pod may block one node in some simulations and another one in others. */
const namesOf = (pods: readonly QuotedBlocker[]): string[] => [...new Set(pods.map(({ pod }) => pod))];

const replacesNodes = (step: string): boolean => ['node-groups', 'other-nodes', 'karpenter-drift'].includes(phaseOf(step) ?? '');

/** A workload may have made its pods anew since the snapshot: then it is another pod of it that blocks. */
const isSame = (foreseen: QuotedBlocker, { pod, workload }: GateBlocked): boolean =>
  pod === foreseen.pod || (workload !== undefined && workload === foreseen.workload);

/** As a whole word: "web-1" is not in "web-10". */
const names = (text: string, name: string): boolean => text.split(/[^\w.-]+/).some((word) => word.replace(/[.]+$/, '') === name);

/** A gate that is asked again is about the same node. */
function unique(all: readonly GateBlocked[]): GateBlocked[] {
  return [...new Map(all.map((one) => [one.pod ?? one.node, one])).values()];
}
