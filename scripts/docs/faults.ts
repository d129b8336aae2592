/** docs/reference/faults.md: what a rehearsal can make go wrong. */
import { FAULT_ALIASES, FAULTS } from '../../rehearsal/faults/catalogue/catalogue.ts';
import type { Fault } from '../../rehearsal/faults/fault.ts';
import { FAULT_PHASES } from '../../rehearsal/faults/moments.ts';
import { code, GENERATED, list, next, page, sentence } from './markdown.ts';

export function faultsDocument(): string {
  return page(
    '# Faults',
    GENERATED,
    [
      `For whoever wants to see Belay handle failures. In a [rehearsal](rehearsal.md), ${code('--fault AREA:WHAT[=VALUE][@MOMENT]')} makes something fail, as often as you like; a scenario’s ${code('faults')} use the same words.`,
      [
        `- **Moment**: a changing phase, from its first request on (${FAULT_PHASES.map(code).join(', ')}); an operation (${code('UpdateClusterVersion')}, ${code('patch-nodepools')}, ${code('chat.postMessage')}; ${code('any-change')} is the first change in AWS); or ${code('GATE')}, when the first gate is posted. Without one a fault begins where its entry says (@), else at once.`,
        `- **Value**: how often it strikes (${code('=3')}) or for how long (${code('=5m')}, in world time; network delays are wall time).`,
        '- **Network** faults use [Toxiproxy](https://github.com/Shopify/toxiproxy), built once with Go if it is not installed.',
      ].join('\n'),
      'The report lists when each fault began and how often it struck. A fault that never found its moment fails the rehearsal.',
      'Each entry says what happens and what Belay does (→); codes in brackets are cases of `npm run cases`.',
    ],
    '## All faults',
    list(FAULTS.map(entry)),
    '## Short names',
    list(Object.entries(FAULT_ALIASES).map(([alias, full]) => `${code(alias)}: ${code(full)}`)),
    `## With ${code('--kubernetes real')}`,
    'Refused at once: moments at which Kubernetes is only read, since a real API server reports changes only; and these:',
    list(FAULTS.flatMap(({ name, twinOnly }) => (twinOnly === undefined ? [] : [`${code(name)}: ${twinOnly}`]))),
    next('Architecture', '../inside/architecture.md'),
  );
}

function entry({ name, value, happens, at, cases, belay }: Fault): string {
  const words = value?.words === undefined ? '' : ` (${value.words.map(code).join(', ')})`;
  const where = at === undefined ? '' : ` @${code(at)}`;
  const listed = cases.length === 0 ? '' : ` [${cases.join(' ')}]`;
  return `${code(value === undefined ? name : `${name}=${value.default}`)}${where}: ${happens}${words} → ${sentence(belay)}${listed}`;
}
