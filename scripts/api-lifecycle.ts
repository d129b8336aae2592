/**
 * Writes domain/tables/api-lifecycle.ts and domain/tables/api-introductions.ts: when Kubernetes stops, and when it begins, serving each kind of each
 * API version, as k8s.io/api says of itself (zz_generated.prerelease-lifecycle.go). Needs Go and its module proxy: `npm run api-lifecycle`, after a
 * new Kubernetes minor.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Types leave the module some time after the API server has stopped serving them: so old ones are read from old modules. */
const MODULES = ['v0.20.15', 'v0.24.17', 'v0.27.16', 'v0.30.14', 'v0.34.4', 'v0.37.2'];

/** No control plane goes back from an older minor: EKS takes back since June 2026, and what it offered then began at 1.30. */
const OLDEST_INTRODUCED = 31;

/** Groups of which nothing is kept. */
const NOTHING_KEPT = ['apidiscovery.k8s.io'];

interface Api {
  group: string;
  version: string;
  kind: string;
}

interface Introduction extends Api {
  introducedIn: string;
}

interface Row extends Api {
  deprecatedIn?: string;
  removedIn: string;
  replacement?: string;
}

const rows = new Map<string, Row>();
const introductions = new Map<string, Introduction>();
for (const version of MODULES) {
  const said = execFileSync('go', ['mod', 'download', '-json', `k8s.io/api@${version}`], { encoding: 'utf8' });
  const { Dir } = JSON.parse(said) as { Dir: string };
  // What a newer module says replaces what an older one said.
  for (const { text, group, version: api } of lifecyclesIn(Dir)) {
    for (const row of parse(text, group, api)) rows.set(keyOf(row), row);
    for (const row of introductionsIn(text, group, api)) introductions.set(keyOf(row), row);
  }
}
write('api-lifecycle.ts', source(sorted(rows)));
write('api-introductions.ts', introductionsSource(sorted(introductions)));
process.stdout.write(`${rows.size} kinds that Kubernetes stops, or has stopped, serving; ${introductions.size} that are new\n`);

function keyOf({ group, version, kind }: Api): string {
  return `${group}/${version} ${kind}`;
}

function sorted<R extends Api>(all: ReadonlyMap<string, R>): R[] {
  return [...all.entries()].toSorted(([a], [b]) => a.localeCompare(b)).map(([, row]) => row);
}

function write(name: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(`../domain/tables/${name}`, import.meta.url)), text);
}

function lifecyclesIn(moduleFolder: string): { text: string; group: string; version: string }[] {
  const found: { text: string; group: string; version: string }[] = [];
  for (const api of readdirSync(moduleFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const entry of readdirSync(join(moduleFolder, api.name))) {
      const folder = join(moduleFolder, api.name, entry);
      const file = join(folder, 'zz_generated.prerelease-lifecycle.go');
      if (existsSync(file)) found.push({ text: readFileSync(file, 'utf8'), group: groupOf(folder), version: entry });
    }
  }
  return found;
}

function groupOf(folder: string): string {
  const group = /GroupName\s*=\s*"([^"]*)"/.exec(readFileSync(join(folder, 'register.go'), 'utf8'))?.[1];
  if (group === undefined) throw new Error(`${folder}/register.go names no group`);
  return group;
}

/** Minors by kind. */
function minorsIn(text: string, what: string): Map<string, string> {
  const functions = new RegExp(`func \\(in \\*(\\w+)\\) APILifecycle${what}\\(\\)[^{]*\\{\\s*return (\\d+), (\\d+)`, 'g');
  return new Map([...text.matchAll(functions)].map(([, kind = '', major, minor]) => [kind, `${major}.${minor}`]));
}

/** What can be listed, and so kept; alpha versions are left out: EKS serves none. */
function introductionsIn(text: string, group: string, version: string): Introduction[] {
  const introduced = minorsIn(text, 'Introduced');
  if (version.includes('alpha') || NOTHING_KEPT.includes(group)) return [];
  return [...introduced]
    .filter(([kind, minor]) => introduced.has(`${kind}List`) && Number(minor.split('.')[1]) >= OLDEST_INTRODUCED)
    .map(([kind, introducedIn]) => ({ group, version, kind, introducedIn }));
}

function parse(text: string, group: string, version: string): Row[] {
  // IngressClass is said to be replaced by its list.
  const replacements = new Map(
    [
      ...text.matchAll(
        /func \(in \*(\w+)\) APILifecycleReplacement\(\)[^{]*\{\s*return schema\.GroupVersionKind\{Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"/g,
      ),
    ].map(([, kind = '', toGroup, toVersion, toKind = '']) => [
      kind,
      `${toGroup === '' ? '' : `${toGroup}/`}${toVersion} ${toKind.replace(/List$/, '')}`,
    ]),
  );
  const deprecated = minorsIn(text, 'Deprecated');
  return [...minorsIn(text, 'Removed')]
    .filter(([kind]) => !kind.endsWith('List') && !kind.endsWith('Options'))
    .map(([kind, removedIn]) => {
      const deprecatedIn = deprecated.get(kind);
      const replacement = replacements.get(kind);
      return {
        group,
        version,
        kind,
        removedIn,
        ...(deprecatedIn === undefined ? {} : { deprecatedIn }),
        ...(replacement === undefined ? {} : { replacement }),
      };
    });
}

function source(all: readonly Row[]): string {
  const line = ({ group, version, kind, removedIn, deprecatedIn, replacement }: Row): string => {
    const optional = [
      ...(deprecatedIn === undefined ? [] : [`deprecatedIn: '${deprecatedIn}'`]),
      ...(replacement === undefined ? [] : [`replacement: '${replacement}'`]),
    ];
    return `  { group: '${group}', version: '${version}', kind: '${kind}', ${[`removedIn: '${removedIn}'`, ...optional].join(', ')} },`;
  };
  return `/** Written by \`npm run api-lifecycle\` from k8s.io/api ${MODULES.join(', ')}; do not edit. */

/** A kind in an API version, and the minor from which Kubernetes serves it no more. */
export interface ApiLifecycle {
  group: string;
  version: string;
  kind: string;
  removedIn: string;
  deprecatedIn?: string;
  /** "policy/v1 PodDisruptionBudget", as the type itself says; it may be gone by now. Absent: the type names none, though there may be one. */
  replacement?: string;
}

export const API_LIFECYCLE: readonly ApiLifecycle[] = [
${all.map(line).join('\n')}
];
`;
}

function introductionsSource(all: readonly Introduction[]): string {
  const line = ({ group, version, kind, introducedIn }: Introduction): string =>
    `  { group: '${group}', version: '${version}', kind: '${kind}', plural: '${pluralOf(kind)}', introducedIn: '${introducedIn}' },`;
  return `/** Written by \`npm run api-lifecycle\` from k8s.io/api ${MODULES.join(', ')}; do not edit. */

/** A kind in an API version that is no alpha, and the minor from which Kubernetes has it. */
export interface ApiIntroduction {
  group: string;
  version: string;
  kind: string;
  plural: string;
  introducedIn: string;
}

/** From 1.${OLDEST_INTRODUCED} on. */
export const API_INTRODUCTIONS: readonly ApiIntroduction[] = [
${all.map(line).join('\n')}
];
`;
}

/** As apimachinery's UnsafeGuessKindToResource does, which is right for all of Kubernetes' own. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
