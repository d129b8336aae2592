#!/usr/bin/env node
// Starts `belay` on a Node that is new enough: this one, or the one of the npm package `node` that is installed beside. Runs on older ones.
import module from 'node:module';

// CommonJS, as the bundle is: a check takes a fifth less CPU before its first request than with modules in front of it.
const require = module.createRequire(import.meta.url);
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  const newer = nodeBeside();
  if (newer === undefined) {
    process.stderr.write(
      `belay needs Node 22.19 or later, and this is ${process.versions.node}. Install a newer Node, or "npm install node@24" beside eks-belay.\n`,
    );
    process.exit(1);
  }
  process.exit(await runBy(newer));
}
// Compiled code is kept between runs, beside the other caches of whoever runs it, or where NODE_COMPILE_CACHE says: without it half a second is
// spent before the first request.
module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(require('node:os').homedir(), '.cache'), 'belay', 'compiled'));
// Run as it is from a checkout; compiled in the npm package, since Node strips no types under node_modules. The same commands are there twice:
// in bundles, which start faster (scripts/bundle), and file by file for those that the bundles leave out.
const PROCESSES = ['worker', 'slack'];
const APART = ['codec-server', 'mcp', 'rehearse', 'conformance'];
const words = process.argv.slice(2);
const root = dirname(import.meta.dirname);
if (existsSync(join(root, 'cli/main.ts'))) await import('./main.ts');
else if (words.some((word) => APART.includes(word))) await import('../dist/cli/main.js');
else {
  const { loadBundle } = require('../dist/load-bundle.cjs');
  const folder = words.some((word) => PROCESSES.includes(word)) ? 'bundle-processes' : 'bundle';
  const cache = module.getCompileCacheDir();
  const cacheFile = cache === undefined ? undefined : join(cache, `${commandIn(words)}.v8`);
  await loadBundle(join(root, 'dist', folder, '/'), cacheFile).run(process.argv);
}

/** For the name of a file: a word that can be no command has none. A cluster that is called like a command starts as before, only slower. */
function commandIn(all) {
  return all.find((word) => /^[a-z][a-z-]{1,20}$/.test(word)) ?? 'belay';
}

/** Path of the program that the npm package `node` has brought; undefined where it is not installed. */
function nodeBeside() {
  try {
    const program = join(dirname(require.resolve('node/package.json')), 'bin', 'node');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Exit code of the same command on another Node. What asks this process to end asks that one; Ctrl-C reaches both by itself. */
async function runBy(program) {
  const { spawn } = require('node:child_process');
  const child = spawn(program, [require('node:url').fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    });
  }
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
