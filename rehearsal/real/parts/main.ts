/** `npm run real-parts [-- PART... | control-plane]`: builds what is missing and prints where each part is. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { provideParts } from './build.ts';
import { isControlPlane, type Part, PARTS, partLabel } from './table.ts';

const names = process.argv.slice(2);
const unknown = names.filter((name) => name !== 'control-plane' && !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `no part is called ${unknown.join(', ')}; there are: control-plane, ${[...new Set(PARTS.map(({ name }) => name))].join(', ')}\n`,
  );
  process.exit(2);
}
const isWanted = (part: Part): boolean => names.includes(part.name) || (names.includes('control-plane') && isControlPlane(part));
const wanted = names.length === 0 ? PARTS : PARTS.filter(isWanted);
const interrupted = (): void => process.exit(130);
process.once('SIGINT', interrupted);
process.once('SIGTERM', interrupted);
try {
  const paths = await provideParts(wanted, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
  for (const [part, path] of paths) process.stdout.write(`${partLabel(part).padEnd(30)} ${path}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
