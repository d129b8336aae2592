/**
 * Writes domain/tables/api-lifecycle.ts: when Kubernetes stops serving each kind of each API version, as k8s.io/api says of itself
 * (zz_generated.prerelease-lifecycle.go). Needs Go and its module proxy: `npm run api-lifecycle`, after a new Kubernetes minor.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Types leave the module some time after the API server has stopped serving them: so old ones are read from old modules. */
const MODULES = ['v0.20.15', 'v0.24.17', 'v0.27.16', 'v0.30.14', 'v0.34.4', 'v0.37.2'];

interface Row {
  group: string;
  version: string;
  kind: string;
  deprecatedIn?: string;
  removedIn: string;
  replacement?: string;
}

const rows = new Map<string, Row>();
for (const version of MODULES) {
  const said = execFileSync('go', ['mod', 'download', '-json', `k8s.io/api@${version}`], { encoding: 'utf8' });
  const { Dir } = JSON.parse(said) as { Dir: string };
  // What a newer module says replaces what an older one said.
  for (const row of lifecyclesIn(Dir)) rows.set(`${row.group}/${row.version} ${row.kind}`, row);
}
const sorted = [...rows.entries()].toSorted(([a], [b]) => a.localeCompare(b)).map(([, row]) => row);
writeFileSync(fileURLToPath(new URL('../domain/tables/api-lifecycle.ts', import.meta.url)), source(sorted));
process.stdout.write(`${sorted.length} kinds that Kubernetes stops, or has stopped, serving\n`);

function lifecyclesIn(moduleFolder: string): Row[] {
  const found: Row[] = [];
  for (const api of readdirSync(moduleFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const entry of readdirSync(join(moduleFolder, api.name))) {
      const folder = join(moduleFolder, api.name, entry);
      const file = join(folder, 'zz_generated.prerelease-lifecycle.go');
      if (existsSync(file)) found.push(...parse(readFileSync(file, 'utf8'), groupOf(folder), entry));
    }
  }
  return found;
}

function groupOf(folder: string): string {
  const group = /GroupName\s*=\s*"([^"]*)"/.exec(readFileSync(join(folder, 'register.go'), 'utf8'))?.[1];
  if (group === undefined) throw new Error(`${folder}/register.go names no group`);
  return group;
}

function parse(text: string, group: string, version: string): Row[] {
  const minors = (what: string): Map<string, string> =>
    new Map(
      [...text.matchAll(new RegExp(`func \\(in \\*(\\w+)\\) APILifecycle${what}\\(\\)[^{]*\\{\\s*return (\\d+), (\\d+)`, 'g'))].map(
        ([, kind = '', major, minor]) => [kind, `${major}.${minor}`],
      ),
    );
  const replacements = new Map(
    [
      ...text.matchAll(
        /func \(in \*(\w+)\) APILifecycleReplacement\(\)[^{]*\{\s*return schema\.GroupVersionKind\{Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"/g,
      ),
    ].map(([, kind = '', toGroup, toVersion, toKind]) => [kind, `${toGroup === '' ? '' : `${toGroup}/`}${toVersion} ${toKind}`]),
  );
  const deprecated = minors('Deprecated');
  return [...minors('Removed')]
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
  /** "policy/v1 PodDisruptionBudget" */
  replacement?: string;
}

export const API_LIFECYCLE: readonly ApiLifecycle[] = [
${all.map(line).join('\n')}
];
`;
}
