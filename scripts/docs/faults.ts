/** docs/reference/faults.md: what a rehearsal can make go wrong. */
import { FAULT_ALIASES, FAULTS } from '../../rehearsal/world/faults/catalogue/catalogue.ts';
import { NETWORK_AREAS, type NetworkArea, networkFault, networkKinds } from '../../rehearsal/world/faults/catalogue/network.ts';
import type { Fault } from '../../rehearsal/world/faults/fault.ts';
import { FAULT_PHASES } from '../../rehearsal/world/faults/moments.ts';
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
        '- **[Network](#faults-of-the-network)** faults use [Toxiproxy](https://github.com/Shopify/toxiproxy), built once with Go if not installed.',
      ].join('\n'),
      'The report lists when each fault began and how often it struck. A fault that never found its moment fails the rehearsal.',
      'Each entry says what happens and what Belay does (→); codes in brackets are cases of `npm run cases`.',
    ],
    '## All faults but the network’s',
    list(FAULTS.filter(({ name }) => networkFault(name) === undefined).map(entry)),
    '## Faults of the network',
    `Through a proxy, @${code('control-plane')}; for each AREA below:`,
    list(networkKinds().map(({ name, happens }) => `${code(`AREA:${name}`)}: ${sentence(happens)}`)),
    'What Belay does, by AREA:',
    list(NETWORK_AREAS.map(areaEntry)),
    '## Short names',
    list(Object.entries(FAULT_ALIASES).map(([alias, full]) => `${code(alias)}: ${code(full)}`)),
    `## With ${code('--kubernetes real')}`,
    'Refused at once: moments at which Kubernetes is only read, since a real API server reports changes only; and these:',
    list([...TWIN_ONLY].map(([why, faults]) => `${faults.map(({ name }) => code(name)).join(', ')}: ${why}`)),
    next('Architecture', '../inside/architecture.md'),
  );
}

/** Faults that need the twin, by why. */
const TWIN_ONLY = Map.groupBy(
  FAULTS.filter(({ twinOnly }) => twinOnly !== undefined),
  ({ twinOnly = '' }) => twinOnly,
);

/** "`eks` → repeats with the same token. [cut: A4; reset: A3]" */
function areaEntry(area: NetworkArea): string {
  const own = FAULTS.filter(({ name }) => networkFault(name)?.area === area);
  const listed = own.flatMap(({ name, cases }) => (cases.length === 0 ? [] : [`${networkFault(name)?.kind}: ${cases.join(' ')}`]));
  const what = area === 'slack' ? ' (Web API and socket)' : '';
  return `${code(area)}${what} → ${sentence(own[0]?.belay ?? '')} [${listed.join('; ')}]`;
}

function entry({ name, value, happens, at, cases, belay }: Fault): string {
  const words = value?.words === undefined ? '' : ` (${value.words.map(code).join(', ')})`;
  const where = at === undefined ? '' : ` @${code(at)}`;
  const listed = cases.length === 0 ? '' : ` [${cases.join(' ')}]`;
  return `${code(value === undefined ? name : `${name}=${value.default}`)}${where}: ${happens}${words} → ${sentence(belay)}${listed}`;
}
