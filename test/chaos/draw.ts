/** What goes wrong in one run: three faults and two kills, drawn from a seed. */
import { FAULTS } from '../../rehearsal/world/faults/catalogue/catalogue.ts';
import type { Fault } from '../../rehearsal/world/faults/fault.ts';
import { type Random, randomOf } from './random.ts';

export interface Draw {
  seed: string;
  index: number;
  faults: string[];
  kills: string[];
}

/** Phases of seed-000 that change something. */
const PHASES = ['add-ons-bridge', 'freeze-drift', 'control-plane', 'node-groups', 'karpenter-drift', 'add-ons-target'];
/** Phases of seed-000 with a gate before them. */
const GATED = ['pre-checks', 'control-plane', 'node-groups', 'karpenter-drift'];

/** These refuse the plan or strike other clients only: they would end a run before it has begun, or not show at all. */
const NOT_HERE = [
  'eks:wrong-account',
  'eks:degraded',
  'eks:no-add-on-versions',
  'eks:add-on-conflict',
  'eks:cluster-gone',
  'eks:rebuilt',
  'eks:insight-unknown',
  'eks:insight-stale',
  'terraform:stale-apply',
];

/** Moments that a fault may begin at, where not any phase will do. */
const MOMENTS: Partial<Record<Fault['name'], readonly string[]>> = {
  'eks:in-use': ['UpdateClusterVersion'],
  'eks:foreign-update': ['UpdateClusterVersion'],
  'eks:invalid-state': ['UpdateClusterVersion'],
  'eks:not-active': ['control-plane'],
  'eks:update-failed': ['add-ons-bridge', 'control-plane', 'node-groups', 'add-ons-target'],
  'eks:update-cancelled': ['add-ons-bridge', 'control-plane', 'node-groups', 'add-ons-target'],
  'node:never-ready': ['node-groups'],
  'kubernetes:conflict': ['freeze-drift', 'karpenter-drift'],
  'kubernetes:lost-response': ['freeze-drift', 'karpenter-drift'],
  'karpenter:launch-fails': ['karpenter-drift'],
  'karpenter:never-registers': ['karpenter-drift'],
  'slack:down': ['GATE', ...PHASES],
  'slack:recycle': ['GATE', ...PHASES],
};

export function draw(seed: string, index: number): Draw {
  const random = randomOf(`${seed}/${index}`);
  const faults = random
    .some(
      3,
      FAULTS.filter(({ name }) => !NOT_HERE.includes(name)),
    )
    .map((fault) => `${fault.name}${valueOf(random, fault)}@${random.one(MOMENTS[fault.name] ?? PHASES)}`);
  const places = [...PHASES.flatMap((phase) => [`worker@${phase}`, `temporal@${phase}`]), ...GATED.map((phase) => `slack@${phase}`)];
  return { seed, index, faults, kills: random.some(2, places) };
}

/** Long enough to hurt and short enough to end: `timing.apiTransient` is fifteen minutes. */
function valueOf(random: Random, { value }: Fault): string {
  switch (value?.kind) {
    case 'times':
      return `=${1 + random.below(5)}`;
    case 'duration':
      return `=${1 + random.below(6)}m`;
    case 'delay':
      return `=${random.one(['100ms', '500ms', '1s'])}`;
    case 'word':
      return `=${random.one(value.words ?? [value.default])}`;
    default:
      return '';
  }
}
