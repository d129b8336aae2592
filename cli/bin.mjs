#!/usr/bin/env node
// Refuses a Node that is too old with one clear line, before anything newer is parsed.
import { existsSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `belay needs Node 22.19 or later, and this is ${process.versions.node}. Install a newer Node; in a checkout, "npm run belay" brings its own.\n`,
  );
  process.exit(1);
}
// Compiled in the npm package; run as it is from a checkout.
const compiled = new URL('./main.js', import.meta.url);
await import(existsSync(compiled) ? compiled.href : new URL('./main.ts', import.meta.url).href);
