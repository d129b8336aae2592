/** The operations of AWS that Belay's code constructs, by its source: what is never captured is never held to the models. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = new URL('../../../', import.meta.url).pathname;
const FOLDERS = ['activities', 'worker', 'cli'];

/** botocore's names of services where the SDK's package has another one. */
const SERVICES: Readonly<Record<string, string>> = { 'auto-scaling': 'autoscaling' };

/** "eks.DescribeCluster", … in their order: commands and paginators, whichever file imports them. */
export function constructedOperations(): string[] {
  return [...new Set(FOLDERS.flatMap(sourcesIn).flatMap(operationsIn))].toSorted();
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

export function operationsIn(source: string): string[] {
  const services = new Map<string, string>();
  const imports = source.matchAll(/import\s*\{([^}]*)\}\s*from\s*'@aws-sdk\/client-([\w-]+)'/g);
  for (const [, names = '', client = ''] of imports)
    for (const name of names.split(',')) services.set(name.trim().replace(/^type\s+/, ''), SERVICES[client] ?? client);
  const used = [...source.matchAll(/new (?<command>\w+Command)\(|\b(?<paginator>paginate\w+)\(/g)];
  return used.map(({ groups }) => {
    const name = groups?.['command'] ?? groups?.['paginator'] ?? '';
    const service = services.get(name);
    if (service === undefined) throw new Error(`${name} is constructed, and nobody says of which client it is`);
    return `${service}.${name.replace(/^paginate/, '').replace(/Command$/, '')}`;
  });
}
