/**
 * dist/check/ and dist/bundle/: the command line in bundles with lazy parts. Loading hundreds of modules one by one took longer than what most commands do.
 * Processes that run for weeks stay as `tsc` has written them: they gain nothing, and have most that is found by its path. So does what takes
 * clients of AWS as a whole, of which a bundle leaves out what nobody uses.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { build as bundle, type Metafile, type Plugin } from 'esbuild';
import { leaveOutMethods } from './bundle-protos.ts';

/** By folder of dist/: the commands that are not in the bundle. cli/bin.mjs chooses by the same lists. */
const BUNDLES = {
  // Apart: what all commands share is in many small parts, and loading those took `check` longer than its requests.
  check: /^\.\/commands\/(?!check\.js$)/,
  bundle: /^\.\/commands\/(check|worker|slack|codec-server|mcp|rehearse|conformance)\.js$/,
} as const satisfies Record<string, RegExp>;

/** What Belay imports of these is bundled with all that they need. Others find files and native code by their own place: they stay packages. */
const BUNDLED =
  /^(commander|diff|luxon|picocolors|yaml|zod|@lezer\/[^/]+|@prometheus-io\/lezer-promql|@aws-crypto\/[^/]+|@aws-sdk\/[^/]+|@smithy\/[^/]+|@temporalio\/(activity|client|common|envconfig|proto|workflow))(\/|$)/;

/** `check` never connects to Temporal: it reads failures with the rest. */
const CONNECTING = /^@temporalio\/(client|envconfig|proto|workflow)(\/|$)/;

const leaveOutside = (dist: string, commands: RegExp, isBundled: (path: string) => boolean): Plugin => ({
  name: 'leave-outside',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/commands\// }, ({ kind, path }) =>
      kind === 'dynamic-import' && commands.test(path) ? { path: path.replace(/^\./, '../cli'), external: true } : undefined,
    );
    build.onResolve({ filter: /^[^./]/ }, ({ importer, path }) =>
      importer.startsWith(dist) && !isBuiltin(path) && !isBundled(path) ? { path, external: true } : undefined,
    );
  },
});

/** Files that a module names by its own place, threads included, stay where they are in dist/: it goes by its place there, not in the bundle. */
const keepPlaces = (dist: string): Plugin => ({
  name: 'keep-places',
  setup: (build) => {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = `../${relative(dist, path).split(sep).join('/')}`;
      return { contents: text.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`) };
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

/** Temporal's SDK loads a converter by its path, for which a bundle of ES modules has no `require`: encrypted clusters need one. */
const requireConverters: Plugin = {
  name: 'require-converters',
  setup: (build) => {
    build.onLoad({ filter: /data-converter-helpers\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('require(path)')) throw new Error(`${path}: its require(path) is not where it was`);
      return { contents: text.replace('require(path)', "process.getBuiltinModule('module').createRequire(path)(path)") };
    });
  },
};

/** zod brings its messages in fifty languages, of which none is asked for: English is imported by itself. */
const leaveOutLanguages: Plugin = {
  name: 'leave-out-languages',
  setup: (build) => {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export { default as en } from './en.js';" }));
  },
};

/** Of what `tsc` has written to `dist`. */
export async function bundleCommands(root: string): Promise<void> {
  for (const [folder, others] of Object.entries(BUNDLES)) await bundleInto(folder, others, root);
}

/** `others`: commands that are not in it. */
async function bundleInto(folder: string, others: RegExp, root: string): Promise<void> {
  const dist = join(root, 'dist', sep);
  const outdir = join(dist, folder);
  const isBundled = (path: string): boolean => BUNDLED.test(path) && !(folder === 'check' && CONNECTING.test(path));
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
    plugins: [
      leaveOutside(dist, others, isBundled),
      keepPlaces(dist),
      leaveOutMethods(root, dist),
      requireConverters,
      leaveOutLanguages,
      askForBuiltins,
    ],
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
