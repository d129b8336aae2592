/**
 * Runs the command line from a bundle, whose chunks are compiled from what V8 kept of the last run of the same command. Node's own compile
 * cache is written before a file runs, so that it has none of the functions that are compiled when they are first called: most of them.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Of scripts/bundle. It names the others by their content, so that it is another one whenever any of them is. */
export const ENTRY = 'main.cjs';
/** What a chunk is given, as Node gives it to a file that it requires. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const CRC_BYTES = 4;
const COULD_NOT_RUN = 1;

interface Chunk {
  module: { exports: unknown };
  script: Script;
}

interface Kept {
  build: string;
  /** Of a run that has done its work, and so called what the next one needs. */
  isWhole: boolean;
  /** Code of chunks by their name. */
  chunks: Map<string, Buffer>;
}

/**
 * `folder`: of the bundle. `cacheFile`: for this command alone, since each calls other functions of what they share; undefined: nothing is kept.
 * Returns what the entry exports.
 */
export function loadBundle(folder: string, cacheFile: string | undefined): unknown {
  const entry = readFileSync(join(folder, ENTRY), 'utf8');
  const build = `${ENTRY} ${crc32(entry)}`;
  const kept = cacheFile === undefined ? nothingOf(build) : readKept(cacheFile, build);
  const chunks = new Map<string, Chunk>();
  let isNew = false;
  const requireOutside = createRequire(join(folder, ENTRY));
  const requireOne = (id: string): unknown => (id.startsWith('./') ? load(id.slice(2)) : requireOutside(id));
  const requireFrom = Object.assign(requireOne, { resolve: requireOutside.resolve });

  function load(name: string): unknown {
    const known = chunks.get(name);
    if (known !== undefined) return known.module.exports;
    const filename = join(folder, name);
    const source = name === ENTRY ? entry : readFileSync(filename, 'utf8');
    const cachedData = kept.chunks.get(name);
    // On the same line, so that line numbers are those of the file.
    const script = new Script(`${HEAD}${source}\n})`, {
      filename,
      cachedData,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (script.cachedDataRejected !== false) isNew = true;
    const chunk: Chunk = { module: { exports: {} }, script };
    chunks.set(name, chunk);
    script.runInThisContext()(chunk.module.exports, requireFrom, chunk.module, filename, folder);
    return chunk.module.exports;
  }

  if (cacheFile !== undefined)
    process.once('exit', (code) => {
      const isDone = code !== COULD_NOT_RUN;
      if (!isNew && (kept.isWhole || !isDone)) return;
      const all = new Map([...kept.chunks, ...[...chunks].map(codeOf)]);
      keep(cacheFile, { build, isWhole: kept.isWhole || isDone, chunks: all });
    });
  return load(ENTRY);
}

/** Functions that have been called so far are in it. */
const codeOf = ([name, { script }]: [string, Chunk]): [string, Buffer] => [name, script.createCachedData()];

const nothingOf = (build: string): Kept => ({ build, isWhole: false, chunks: new Map() });

/** Empty where there is nothing, or not of this build. V8 itself rejects what another version of it has written. */
function readKept(file: string, build: string): Kept {
  const nothing = nothingOf(build);
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(CRC_BYTES);
    // V8 trusts what it is given.
    if (bytes.readUInt32LE() !== crc32(body)) return nothing;
    const kept: Kept = deserialize(body);
    return kept.build === build ? kept : nothing;
  } catch {
    return nothing;
  }
}

/** In one move, as others may read it meanwhile. A home that cannot be written is no failure of the command. */
function keep(file: string, kept: Kept): void {
  try {
    const body = serialize(kept);
    const crc = Buffer.alloc(CRC_BYTES);
    crc.writeUInt32LE(crc32(body));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${process.pid}`;
    // Nobody else may write what is run.
    writeFileSync(fresh, Buffer.concat([crc, body]), { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch {
    // The next run compiles again.
  }
}
