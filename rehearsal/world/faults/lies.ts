/** Faults `AREA:lie=WORD`: the twin contradicts one belief of docs/inside/beliefs.md, for as long as it runs. */
import type { World } from '../world.ts';
import type { Fault } from './fault.ts';

const EKS_LIES = ['addon-role-kept', 'addon-configuration-dropped', 'token-forgotten', 'two-updates'] as const;
const KARPENTER_LIES = ['budget-ignored'] as const;
const KUBERNETES_LIES = ['test-ignored'] as const;

export const LIES: readonly Fault[] = [
  {
    name: 'eks:lie',
    happens: 'EKS contradicts Belay’s beliefs about updates',
    cases: [],
    belay: 'notices where the belief says so; `belay conformance` names the belief',
    value: { kind: 'word', default: 'addon-role-kept', words: EKS_LIES },
  },
  {
    name: 'karpenter:lie',
    happens: 'Karpenter contradicts Belay’s beliefs about disruptions',
    cases: [],
    belay: 'notices nodes replaced under the freeze, and stops; `belay conformance` names the belief',
    value: { kind: 'word', default: 'budget-ignored', words: KARPENTER_LIES },
    twinOnly: 'Karpenter is the real one there',
  },
  {
    name: 'kubernetes:lie',
    happens: 'the API server contradicts Belay’s beliefs about patches',
    cases: [],
    belay: 'reads back what it wrote; `belay conformance` names the belief',
    value: { kind: 'word', default: 'test-ignored', words: KUBERNETES_LIES },
    twinOnly: 'the API server is a real one there',
  },
];

/** Is this lie told? */
export function liesAbout(
  { faults }: { faults: Pick<World['faults'], 'orders'> },
  ...[area, word]:
    | ['eks', (typeof EKS_LIES)[number]]
    | ['karpenter', (typeof KARPENTER_LIES)[number]]
    | ['kubernetes', (typeof KUBERNETES_LIES)[number]]
): boolean {
  return faults.orders.some((order) => order.name === `${area}:lie` && order.word === word);
}
