/**
 * Keeps bundles of workflow code under the hash of everything that goes into them: a bundle that does not fit the code is never found. The package and
 * the image bring theirs in `workflow-bundles/`; a checkout keeps them in node_modules/.cache.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';

/** The folders that workflow code comes from. */
const SOURCES = ['workflows', 'domain'];
/** What bundles it, and what it runs on. */
const LIBRARIES = ['@temporalio/worker', '@temporalio/workflow', '@temporalio/common'];

/** Of a checkout whose code changes, the newest so many are kept: those of one run of all tests, which bundle changed copies as well. */
const KEPT_COUNT = 24;

export interface BundleStore {
  /** Hash of everything that goes into the bundle, hexadecimal. */
  key: string;
  /** Bundles came with the code. */
  isShipped: boolean;
  /** undefined: none that fits the code, or what is there cannot be read. */
  read(): WorkflowBundleWithSourceMap | undefined;
  /** In the cache; where that cannot be written it is built anew next time. */
  keep(bundle: WorkflowBundleWithSourceMap): void;
  /** For a package or an image to bring along. Throws where it cannot be written. */
  ship(bundle: WorkflowBundleWithSourceMap, folder: string): void;
}

/** `beside`: the URL of a module two folders below the root of the code. `parts`: what else tells one bundle from another. */
export function bundleStore(beside: string, parts: readonly string[]): BundleStore {
  const root = fileURLToPath(new URL('../../', beside));
  const key = keyOf(root, parts);
  const name = `${key}.json.gz`;
  const cache = join(root, 'node_modules', '.cache', 'workflow-bundles');
  const shipped = join(root, 'workflow-bundles');
  return {
    key,
    isShipped: existsSync(shipped),
    read() {
      for (const folder of [shipped, cache]) {
        try {
          return JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString()) as WorkflowBundleWithSourceMap;
        } catch {
          // Not there, or cut off: the next place, or built anew.
        }
      }
      return undefined;
    },
    keep(bundle) {
      try {
        write(cache, name, bundle);
        for (const old of newestFirst(cache).slice(KEPT_COUNT)) rmSync(join(cache, old), { force: true });
      } catch {
        // A file system that nobody may write to: the image's.
      }
    },
    ship: (bundle, folder) => write(folder, name, bundle),
  };
}

/** Written beside and renamed: nobody reads half of it. */
function write(folder: string, name: string, bundle: WorkflowBundleWithSourceMap): void {
  mkdirSync(folder, { recursive: true });
  const part = join(folder, `${name}.${process.pid}`);
  writeFileSync(part, gzipSync(JSON.stringify(bundle), { level: 1 }));
  renameSync(part, join(folder, name));
}

/** Names of what is in a folder, by when it was written. */
export function newestFirst(folder: string): string[] {
  const atMs = (file: string): number => statSync(join(folder, file)).mtimeMs;
  return readdirSync(folder).toSorted((a, b) => atMs(b) - atMs(a));
}

/** The same for the same code, wherever it lies. */
function keyOf(root: string, parts: readonly string[]): string {
  const hash = createHash('sha256');
  const resolve = createRequire(join(root, 'package.json'));
  for (const library of LIBRARIES) hash.update(readFileSync(resolve.resolve(`${library}/package.json`)));
  for (const part of parts) hash.update(`\0${part.replaceAll(root, '')}`);
  hashCode(hash, root, SOURCES);
  return hash.digest('hex').slice(0, 32);
}

/** Every module below the folders, by its path from the root and its text. */
export function hashCode(hash: Hash, root: string, folders: readonly string[]): void {
  for (const folder of folders) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) => /\.[jt]s$/.test(file));
    for (const file of files.toSorted())
      hash.update(`\0${folder}/${file.replaceAll(sep, '/')}\0`).update(readFileSync(join(root, folder, file)));
  }
}
