/** `npm run real-parts [-- control-plane]`: builds what is missing and prints where each part is. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { provideParts } from './build.ts';
import { isControlPlane, PARTS, partLabel } from './table.ts';

const wanted = process.argv[2] === 'control-plane' ? PARTS.filter(isControlPlane) : PARTS;
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
