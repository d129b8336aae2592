/**
 * `npm run real-parts [-- PART... | control-plane | temporal | temporal-before | s3]`: builds what is missing and prints where each part is. Without names: what
 * rehearsals and tests on a real cluster need, which the servers of Temporal and of S3 are not part of.
 */
import { messageOf } from '../../../domain/core/unknown.ts';
import { provideParts } from './build.ts';
import { isControlPlane, type Part, PARTS, partLabel, PREVIOUS_TEMPORAL_PARTS, S3_PARTS, TEMPORAL_PARTS } from './table.ts';

const GROUPS: Record<string, readonly Part[]> = {
  'control-plane': PARTS.filter(isControlPlane),
  temporal: TEMPORAL_PARTS,
  'temporal-before': PREVIOUS_TEMPORAL_PARTS,
  s3: S3_PARTS,
};

const names = process.argv.slice(2);
const all = [...PARTS, ...TEMPORAL_PARTS, ...PREVIOUS_TEMPORAL_PARTS, ...S3_PARTS];
const unknown = names.filter((name) => !(name in GROUPS) && !all.some((part) => part.name === name));
if (unknown.length > 0) {
  const known = [...Object.keys(GROUPS), ...new Set(all.map(({ name }) => name))];
  process.stderr.write(`no part is called ${unknown.join(', ')}; there are: ${known.join(', ')}\n`);
  process.exit(2);
}
const isWanted = (part: Part): boolean => names.includes(part.name) || names.some((name) => GROUPS[name]?.includes(part));
const wanted = names.length === 0 ? PARTS : all.filter(isWanted);
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
