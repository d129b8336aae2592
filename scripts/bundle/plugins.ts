/** What a bundle needs beside rolldown: what stays outside of it, and what finds files by its own place. */
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';

/** Where code is taken from, and where its bundle goes. Folders end with a separator. */
export interface Places {
  /** Of Belay's code: dist/, or the checkout itself. */
  code: string;
  /** Of the bundle. */
  out: string;
}

const posix = (path: string): string => path.split(sep).join('/');

/** Commands of `cli/program` whose names `isInside` refuses stay files of their own. */
export const leaveCommands = ({ code, out }: Places, isInside: (command: string) => boolean): Plugin => ({
  name: 'leave-commands',
  resolveId(id, importer = '') {
    const [, command, ending] = /^\.\/commands\/([a-z-]+)\.([jt]s)$/.exec(id) ?? [];
    if (command === undefined || !importer.startsWith(join(code, 'cli/program.')) || isInside(command)) return undefined;
    return { id: posix(relative(out, join(code, `cli/commands/${command}.${ending}`))), external: true };
  },
});

/** Packages that Belay itself imports and that `isInside` refuses. Packages of packages follow those that import them. */
export const leavePackages = ({ code }: Places, isInside: (id: string) => boolean): Plugin => ({
  name: 'leave-packages',
  resolveId(id, importer = '') {
    const isOwn = importer.startsWith(code) && !importer.includes('/node_modules/');
    return isOwn && /^[^./\0]/.test(id) && !isBuiltin(id) && !isInside(id) ? { id, external: true } : undefined;
  },
});

/** Files that a module names by its own place, threads included, stay where they are: it goes by its place there, not in the bundle. */
export const keepPlaces = ({ code, out }: Places): Plugin => ({
  name: 'keep-places',
  transform(text, id) {
    if (!id.startsWith(code) || id.includes('/node_modules/') || !text.includes('import.meta.url')) return undefined;
    return text.replaceAll('import.meta.url', `new URL(${JSON.stringify(posix(relative(out, id)))}, import.meta.url).href`);
  },
});

/** A module of Node's own that is imported as an ES module gives all its exports at once: of node:http undici, which takes 60 ms and which nobody uses. */
export const requireBuiltins: Plugin = {
  name: 'require-builtins',
  renderChunk: (code) => code.replaceAll(/\bimport\("(node:[a-z/]+)"\)/g, 'Promise.resolve(require("$1"))'),
};

const WORKER = '@temporalio/worker';
const BUNDLER = `${WORKER}/lib/workflow/bundler`;
/** What the worker finds by its own place: native code, and WebAssembly. */
const OF_WORKER = ['@temporalio/core-bridge', 'source-map'];
/** Of the SDK's bundler, what others import. */
const OF_BUNDLER = ['bundleWorkflowCode', 'WorkflowCodeBundler'];

/**
 * Temporal's worker in a bundle. Its threads and what it has of its own place are found by way of its package, which alone is sure to see them;
 * its bundler of workflow code, with webpack behind it, is loaded by who bundles.
 */
export const temporalWorker: Plugin = {
  name: 'temporal-worker',
  resolveId(id, importer = '') {
    if (id === BUNDLER) return { id, external: true };
    if (OF_WORKER.includes(id)) return `\0${id}`;
    return importer.includes(`${WORKER}/`) && id.endsWith('/bundler') ? `\0${BUNDLER}` : undefined;
  },
  load(id) {
    const found = OF_WORKER.find((each) => id === `\0${each}`);
    if (found !== undefined) return `module.exports = require('node:module').createRequire(require.resolve('${WORKER}'))('${found}');`;
    if (id !== `\0${BUNDLER}`) return undefined;
    return `exports.__esModule = true;
exports.defaultWorkflowInterceptorModules = [require.resolve('${WORKER}/lib/workflow-log-interceptor')];
for (const name of ${JSON.stringify(OF_BUNDLER)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => require('${BUNDLER}')[name] });`;
  },
  transform(text, id) {
    const [, folder] = /\/node_modules\/(@temporalio\/worker\/.*)\/[^/]+$/.exec(id) ?? [];
    return folder === undefined || !text.includes("require.resolve('./")
      ? undefined
      : text.replaceAll("require.resolve('./", `require.resolve('${folder}/`);
  },
};
