/** Looks through the bytes of a snapshot that is to be, after all that has cut it down: nothing in it may read like a credential. */
import { field } from '../../../domain/core/unknown.ts';
import { SnapshotError } from '../../../domain/facts/snapshot/parse.ts';
import { findSecret, suspectIn } from '../../../domain/facts/snapshot/secrets.ts';
import { eachLine } from './lines.ts';

/** Throws SnapshotError, which names the place and never the value. */
export async function refuseSecrets(file: string): Promise<void> {
  let found: string | undefined;
  await eachLine(file, (line) => {
    if (found !== undefined) return;
    const text = line.toString('utf8');
    // Quick: nearly all lines have nothing.
    if (suspectIn(text) === undefined) return;
    const value: unknown = JSON.parse(text);
    if (field(value, 'kind') === 'end') return;
    const secret = findSecret(value);
    if (secret !== undefined) found = `${secret.path} of ${nameOf(value)} reads like ${secret.what}`;
  });
  if (found === undefined) return;
  throw new SnapshotError(
    `No snapshot was written: ${found}. Take it out of there, and treat it as known: whoever may list such objects can read it`,
  );
}

/** "pods shop/web-1", "DescribeCluster of eks" */
function nameOf(line: unknown): string {
  const operation = field(line, 'operation');
  if (typeof operation === 'string') return `${operation} of ${String(field(line, 'service'))}`;
  const metadata = field(field(line, 'object'), 'metadata');
  const [plural, namespace, name] = [field(line, 'plural'), field(metadata, 'namespace'), field(metadata, 'name')].map(textOf);
  return plural === '' ? `the line "${textOf(field(line, 'kind'))}"` : `${plural} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' && suspectIn(value) === undefined ? value : '');
