#!/usr/bin/env node
// Refuses a Node that is too old with one clear line, before anything newer is parsed.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `belay needs Node 22.19 or later, and this is ${process.versions.node}. Install a newer Node; in a checkout, "npm run belay" brings its own.\n`,
  );
  process.exit(1);
}
// Compiled code is kept between runs, beside the other caches of whoever runs it: without it half a second is spent before the first request.
module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'belay', 'compiled'));
// Run as it is from a checkout; compiled in the npm package, since Node strips no types under node_modules.
const source = new URL('./main.ts', import.meta.url);
await import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href);
