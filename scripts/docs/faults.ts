/** docs/faults.md: what a rehearsal can make go wrong. */
import { FAULT_ALIASES, FAULTS } from '../../rehearsal/faults/catalogue.ts';
import type { Fault } from '../../rehearsal/faults/fault.ts';
import { FAULT_PHASES } from '../../rehearsal/faults/moments.ts';
import { code, GENERATED, page, table } from './markdown.ts';

export function faultsDocument(): string {
  return page(
    '# Faults',
    GENERATED,
    [
      `What a [rehearsal](rehearsal.md) can make go wrong: ${code('--fault AREA:WHAT[=VALUE][@MOMENT]')}, as often as wanted, and the same words in a scenario's ${code('faults')}.`,
      `A moment is a phase that changes something (${FAULT_PHASES.map(code).join(', ')}: from its first request on, which the fault may already hit), an operation (${code('UpdateClusterVersion')}, ${code('patch-nodepools')}, ${code('chat.postMessage')}; ${code('any-change')} is the first change in AWS), or ${code('GATE')}, when the first gate is posted. Without one a fault begins where the table says, else at once.`,
      `A value is how often it strikes (${code('=3')}) or for how long (${code('=5m')}, in world time); delays of the network are wall time. Faults of the network go through [Toxiproxy](https://github.com/Shopify/toxiproxy), which is built once with Go where it is not installed.`,
      'The report lists each fault with when it began and how often it struck; one that never found its moment fails the rehearsal.',
    ],
    table(['Fault', 'What happens', 'From', 'Cases', 'What Belay does'], FAULTS.map(row)),
    '## Short names',
    table(
      ['Name', 'Stands for'],
      Object.entries(FAULT_ALIASES).map(([alias, full]) => [code(alias), code(full)]),
    ),
    `## With ${code('--kubernetes real')}`,
    'Everything happens there as well, but for what follows. It is refused at once, as are moments at which Kubernetes is only read: a real API server tells of changes.',
    table(
      ['Fault', 'Why not'],
      FAULTS.flatMap(({ name, twinOnly }) => (twinOnly === undefined ? [] : [[code(name), twinOnly]])),
    ),
    'Cases are those of `npm run cases`.',
  );
}

function row({ name, value, happens, at, cases, belay }: Fault): string[] {
  const words = value?.words === undefined ? '' : ` (one of ${value.words.map(code).join(', ')})`;
  return [
    code(value === undefined ? name : `${name}=${value.default}`),
    `${happens}${words}`,
    at === undefined ? '' : code(at),
    cases.join(' '),
    belay,
  ];
}
