/**
 * dist/check/: `belay check` as one bundle of its own. It is the first thing that anybody runs, and on most clusters loading hundreds of modules
 * one by one took longer than looking at the cluster.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { build as bundle, type Metafile, type Plugin } from 'esbuild';

/** Loaded by other commands, or by few clusters: they stay outside, and a bundle never runs what belongs to another command. */
const OUTSIDE = /^(@kubernetes\/client-node|@resvg\/resvg-js|vega|vega-lite)$|\/(worker|rehearsal|slack|client|mcp)\/(?!local\/check\.js$)/;

/** What is outside stays where `tsc` has put it: its path is that from the bundle, not from the file that imports it. */
const leaveOutside = (outdir: string): Plugin => ({
  name: 'leave-outside',
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import' || !OUTSIDE.test(path)) return undefined;
      return { path: path.startsWith('.') ? relative(outdir, join(resolveDir, path)).split(sep).join('/') : path, external: true };
    });
  },
});

/** An import of Node's own modules reads each of their exports, for which some load others: node:http all of undici. Asked for, they do not. */
const askForBuiltins: Plugin = {
  name: 'ask-for-builtins',
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'builtin' } : undefined));
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** Of what `tsc` has written to `dist`. */
export async function bundleCheck(root: string): Promise<void> {
  const outdir = join(root, 'dist/check');
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ['dist/cli/main.js'],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Of the AWS SDK only what is used: its CommonJS form comes as a whole.
    mainFields: ['module', 'main'],
    metafile: true,
    logLevel: 'warning',
    plugins: [leaveOutside(outdir), askForBuiltins],
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licensesOf(metafile, root));
}

/** Their licences go where their code goes. */
function licensesOf({ inputs }: Metafile, root: string): string {
  const packages = new Set(Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...packages]
    .sort()
    .map((folder) => `${titleOf(join(root, folder))}\n\n${licenseOf(join(root, folder))}`)
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
