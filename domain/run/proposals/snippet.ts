/** What could be written into belay.yaml for a proposed campaign: a ring for each environment, in the order in which they are upgraded. */
import type { ProposalFacts } from './proposal.ts';

/** Rings of their own; further environments share one. */
const MOST_RINGS = 8;
const PLAIN = /^[A-Za-z][A-Za-z0-9-]*$/;

/** `taken`: names of campaigns that belay.yaml has. */
export function campaignSnippet(
  { target, environments }: Pick<ProposalFacts, 'target' | 'environments'>,
  taken: readonly string[],
): string {
  const names = environments.map(({ name }) => name);
  const isMany = names.length > MOST_RINGS;
  const own = isMany ? names.slice(0, MOST_RINGS - 1) : names;
  const rest = isMany ? names.slice(MOST_RINGS - 1) : [];
  const used = new Set<string>();
  const rings = [
    ...own.map((name) => ({ name: ringName(name, used), of: [name] })),
    ...(isMany ? [{ name: ringName('rest', used), of: rest }] : []),
  ];
  return [
    'campaigns:',
    `  ${freeName(`to-${target.replace('.', '-')}`, taken)}:`,
    `    target: "${target}"`,
    '    rest: exclude',
    '    rings:',
    ...rings.map(({ name, of }) => `      - { name: ${quoted(name)}, select: { environments: [${of.map(quoted).join(', ')}] } }`),
    '',
  ].join('\n');
}

/** Names of rings are narrower than those of environments. */
function ringName(environment: string, used: Set<string>): string {
  const plain = environment
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 36);
  const name = freeName(plain === '' ? 'ring' : plain, [...used]);
  used.add(name);
  return name;
}

function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.includes(name)) return name;
  }
}

/** Words such as `no` and `on` are no text in YAML. */
const quoted = (name: string): string =>
  PLAIN.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name) ? name : JSON.stringify(name);
