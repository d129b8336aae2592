/**
 * The command line in chunks, of which a command loads what it needs (cli/load-bundle.ts): loading hundreds of modules one by one took longer than
 * what most commands do, and half of what a worker does before it polls. Two bundles, as what one of them leaves out the other one needs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { ENTRY } from '../../cli/load-bundle.ts';
import { licensesOf } from './licenses.ts';
import { keepPlaces, leaveCommands, leavePackages, type Places, requireBuiltins, temporalWorker } from './plugins.ts';
import { leaveOutMethods } from './protos.ts';

/** Processes that run for weeks, in a bundle of their own. cli/bin.mjs chooses by the same lists. */
const PROCESSES = /^(worker|slack)$/;
/** In none: they find much by its path, or take clients of AWS as a whole, of which a bundle leaves out what nobody uses. */
const APART = /^(codec-server|mcp|rehearse|conformance)$/;

/** What Belay imports of these is bundled with all that they need. Others find files and native code by their own place: they stay packages. */
const BUNDLED =
  /^(commander|diff|luxon|picocolors|yaml|zod|@lezer\/[^/]+|@prometheus-io\/lezer-promql|@aws-crypto\/[^/]+|@aws-sdk\/[^/]+|@smithy\/[^/]+|@temporalio\/(activity|client|common|envconfig|proto|workflow))(\/|$)/;
/** The same of processes: they load more of Kubernetes', Slack's and Temporal's. OpenTelemetry has its state in the package, and is loaded where it is used. */
const BUNDLED_IN_PROCESSES = /^(@kubernetes\/client-node|@slack\/[^/]+|@temporalio\/worker|express|nodemailer|prom-client|ws)(\/|$)/;

/** What packages of packages do without, too. */
const OPTIONAL = ['bufferutil', 'utf-8-validate'];

/** What runs them. */
const LOADER = 'load-bundle';

/** `root`: of the checkout; `code`: of Belay's code there, the checkout itself or what `tsc` has made of it; both end with a separator. `out`: gets the folders and their loader. */
export async function bundleAll({ root, code, out }: { root: string; code: string; out: string }): Promise<void> {
  const commands = { code, out: join(out, 'bundle/') };
  const processes = { code, out: join(out, 'bundle-processes/') };
  const ofAll = (id: string): boolean => BUNDLED.test(id);
  await write(root, commands, [
    leaveCommands(commands, (name) => !PROCESSES.test(name) && !APART.test(name)),
    leavePackages(commands, ofAll),
    leaveOutMethods(root, code),
  ]);
  await write(root, processes, [
    leaveCommands(processes, (name) => PROCESSES.test(name)),
    leavePackages(processes, (id) => ofAll(id) || BUNDLED_IN_PROCESSES.test(id)),
    temporalWorker,
  ]);
  const loader = await rolldown({ cwd: root, input: join(code, 'cli', `${LOADER}.${code === root ? 'ts' : 'js'}`), platform: 'node' });
  await loader.write({ file: join(out, `${LOADER}.cjs`), format: 'cjs', comments: false });
}

/** CommonJS, as V8 gives out the code of nothing else after it has run. */
async function write(root: string, places: Places, plugins: readonly Plugin[]): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: join(places.code, places.code === root ? 'cli/run.ts' : 'cli/run.js'),
    platform: 'node',
    // Of the AWS SDK only what is used: its CommonJS form comes as a whole.
    resolve: { mainFields: ['module', 'main'] },
    checks: { ineffectiveDynamicImport: false },
    external: [...builtinModules, ...OPTIONAL],
    plugins: [...plugins, keepPlaces(places), requireBuiltins],
  });
  const { output } = await bundle.write({
    dir: places.out,
    format: 'cjs',
    comments: false,
    entryFileNames: ENTRY,
    chunkFileNames: '[hash].cjs',
  });
  const chunks = output.filter((each) => each.type === 'chunk');
  requireDependencies(root, chunks);
  writeFileSync(join(places.out, 'LICENSES.txt'), licensesOf(chunks));
}

/** Throws where a chunk needs a package that npm does not have to put where it is looked for. */
function requireDependencies(root: string, chunks: readonly OutputChunk[]): void {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  for (const { code } of chunks) {
    for (const [, id = ''] of code.matchAll(/\b(?:require|import)\("([^"./][^"]*)"\)/g)) {
      const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
      if (isBuiltin(id) || OPTIONAL.includes(id) || Object.hasOwn(dependencies, name)) continue;
      throw new Error(`${id} is left outside of the bundle and is no dependency of Belay: bundle it, or name it in package.json.`);
    }
  }
}
