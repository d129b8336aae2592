/**
 * Belay as the package has it, in bundles with `cli/bin.mjs` in front, for suites whose processes start a hundred times: half of a worker's start is
 * loading modules one by one. Made from the sources in eight seconds, and kept under the hash of all that goes into it.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleAll } from '../../scripts/bundle/main.ts';
import { WINGS } from '../../scripts/bundle/protos.ts';
import { hashCode, newestFirst } from '../../worker/temporal/bundle-store.ts';
import { root } from '../deploy/files.ts';
import { PROGRAM_VARIABLE } from './program.ts';

/** Of code, and of what makes bundles of it. */
const MADE_OF = [...WINGS, 'scripts/bundle'];
const MORE = ['cli/bin.mjs', 'package-lock.json', 'test/support/build-program.ts'];
const KEPT_COUNT = 4;

/** Before a suite, in the process that all of its test files inherit from. */
export default async function setup(): Promise<void> {
  process.env[PROGRAM_VARIABLE] ??= await builtProgram();
}

/** Path of its cli/bin.mjs. */
export async function builtProgram(): Promise<string> {
  const programs = join(root, 'node_modules/.cache/belay-programs');
  const folder = join(programs, keyOf());
  if (!existsSync(folder)) {
    mkdirSync(programs, { recursive: true });
    const part = mkdtempSync(join(programs, 'part-'));
    await build(part);
    try {
      renameSync(part, folder);
    } catch (error) {
      // Two suites that begin at once make the same.
      rmSync(part, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
    for (const old of newestFirst(programs).slice(KEPT_COUNT)) rmSync(join(programs, old), { recursive: true, force: true });
  }
  return join(folder, 'cli/bin.mjs');
}

/** Bundles name files of the checkout by the way there: `folder` is one below that of all programs. */
async function build(folder: string): Promise<void> {
  const dist = join(folder, 'dist/');
  await bundleAll({ root, code: root, out: dist });
  // Commands that are in no bundle.
  mkdirSync(join(dist, 'cli'));
  writeFileSync(join(dist, 'cli/main.js'), `await import(${JSON.stringify(pathToFileURL(join(root, 'cli/main.ts')).href)});\n`);
  cpSync(join(root, 'cli/bin.mjs'), join(folder, 'cli/bin.mjs'));
  // Modules of it, as in the package.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}

function keyOf(): string {
  const hash = createHash('sha256');
  hashCode(hash, root, MADE_OF);
  for (const file of MORE) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 32);
}
