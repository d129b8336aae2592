/**
 * dist/bundle/: the command line in chunks, of which a command loads what it needs (cli/load-bundle.ts). Loading hundreds of modules one by one
 * took longer than what most commands do. Processes that run for weeks stay as `tsc` has written them: they gain nothing, and have most that is
 * found by its path. So does what takes clients of AWS as a whole, of which a bundle leaves out what nobody uses.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { ENTRY } from '../cli/load-bundle.ts';
import { leaveOutMethods } from './bundle-protos.ts';

/** Commands that are not in the bundle. cli/bin.mjs chooses by the same list. */
const APART = /^\.\/commands\/(worker|slack|codec-server|mcp|rehearse|conformance)\.js$/;

/** What Belay imports of these is bundled with all that they need. Others find files and native code by their own place: they stay packages. */
const BUNDLED =
  /^(commander|diff|luxon|picocolors|yaml|zod|@lezer\/[^/]+|@prometheus-io\/lezer-promql|@aws-crypto\/[^/]+|@aws-sdk\/[^/]+|@smithy\/[^/]+|@temporalio\/(activity|client|common|envconfig|proto|workflow))(\/|$)/;

const leaveOutside = (dist: string): Plugin => ({
  name: 'leave-outside',
  resolveId(id, importer = '') {
    if (APART.test(id)) return { id: id.replace(/^\./, '../cli'), external: true };
    return importer.startsWith(dist) && /^[^./]/.test(id) && !isBuiltin(id) && !BUNDLED.test(id) ? { id, external: true } : undefined;
  },
});

/** Files that a module names by its own place, threads included, stay where they are in dist/: it goes by its place there, not in the bundle. */
const keepPlaces = (dist: string): Plugin => ({
  name: 'keep-places',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return undefined;
    const place = `../${relative(dist, id).split(sep).join('/')}`;
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
  },
});

/** A module of Node's own that is imported as an ES module gives all its exports at once: of node:http undici, which takes 60 ms and which nobody uses. */
const requireBuiltins: Plugin = {
  name: 'require-builtins',
  renderChunk: (code) => code.replaceAll(/\bimport\("(node:[a-z/]+)"\)/g, 'Promise.resolve(require("$1"))'),
};

/** Of what `tsc` has written to `dist`. CommonJS, as V8 gives out the code of nothing else after it has run. */
export async function bundleCommands(root: string): Promise<void> {
  const dist = join(root, 'dist', sep);
  const outdir = join(dist, 'bundle');
  const bundle = await rolldown({
    cwd: root,
    input: 'dist/cli/run.js',
    platform: 'node',
    // Of the AWS SDK only what is used: its CommonJS form comes as a whole.
    resolve: { mainFields: ['module', 'main'] },
    checks: { ineffectiveDynamicImport: false },
    plugins: [leaveOutside(dist), keepPlaces(dist), leaveOutMethods(root, dist), requireBuiltins],
  });
  const { output } = await bundle.write({
    dir: outdir,
    format: 'cjs',
    comments: false,
    entryFileNames: ENTRY,
    chunkFileNames: '[hash].cjs',
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licensesOf(output.filter((each) => each.type === 'chunk')));
}

/** Their licences go where their code goes. */
function licensesOf(chunks: readonly OutputChunk[]): string {
  const packages = new Set(
    chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => /^\/.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])),
  );
  return [...packages]
    .sort()
    .map((folder) => `${titleOf(folder)}\n\n${licenseOf(folder)}`)
    .join(`\n${'-'.repeat(80)}\n`);
}

function titleOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  return `${name} ${version}: ${license}`;
}

function licenseOf(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}
