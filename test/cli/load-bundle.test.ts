/** The packaged command line runs from chunks and from what V8 has kept of them: never from what is broken, or of another build. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const LOADER = new URL('../../cli/load-bundle.ts', import.meta.url).href;
const RUN = `import(${JSON.stringify(LOADER)}).then(({ loadBundle }) => loadBundle(process.argv[1], process.argv[2]).run())`;

let folder: string;
let cacheFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-bundle-'));
  cacheFile = join(folder, 'cache', 'say.v8');
  write('a-chunk.cjs', "exports.word = () => 'one';");
  write('main.cjs', "const chunk = require('./a-chunk.cjs');\nexports.run = () => console.log(chunk.word());");
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

function run(cache = cacheFile, word = ''): { status: number | null; stdout: string; stderr: string } {
  const args = ['--no-warnings', '--eval', RUN, folder, cache, word];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return { status, stdout, stderr };
}

/** A file that is written anew is another one. */
const cacheId = (): number => statSync(cacheFile).ino;

/** Chunks of which there is code; four bytes of checksum come first. */
function kept(): string[] {
  const { chunks }: { chunks: Map<string, Buffer> } = deserialize(readFileSync(cacheFile).subarray(4));
  return [...chunks.keys()];
}

const ONE = { status: 0, stdout: 'one\n', stderr: '' };

test('the second run takes the code of the first, which has all that it needs', () => {
  expect(run()).toEqual(ONE);
  const first = cacheId();
  expect(run()).toEqual(ONE);
  expect(cacheId()).toBe(first);
});

test('nobody else may read or write it', () => {
  run();
  expect([statSync(cacheFile), statSync(join(folder, 'cache'))].map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['600', '700']);
});

test('what a later run loads in addition is kept, too', () => {
  write('b-chunk.cjs', "exports.more = 'two';");
  write(
    'main.cjs',
    `const chunk = require('./a-chunk.cjs');
exports.run = () => console.log(chunk.word(), process.argv[3] === 'more' ? require('./b-chunk.cjs').more : '');`,
  );
  expect([run().stdout, kept()]).toEqual(['one \n', ['main.cjs', 'a-chunk.cjs']]);
  expect([run(cacheFile, 'more').stdout, kept()]).toEqual(['one two\n', ['main.cjs', 'a-chunk.cjs', 'b-chunk.cjs']]);
  const both = cacheId();
  expect([run().stdout, cacheId()]).toEqual(['one \n', both]);
});

test('another build of the same length is another build', () => {
  run();
  // V8 itself compares no more than the length of a text. Chunks are named by their content.
  write('b-chunk.cjs', "exports.word = () => 'two';");
  write('main.cjs', readFileSync(join(folder, 'main.cjs'), 'utf8').replace('a-chunk', 'b-chunk'));
  expect(run().stdout).toBe('two\n');
  expect(kept()).toEqual(['main.cjs', 'b-chunk.cjs']);
});

describe('a broken cache is as good as none', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['a byte is another', (bytes) => bytes.fill((bytes.at(-40) ?? 0) ^ 0xff, bytes.length - 40, bytes.length - 39)],
    ['its end is missing', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['it is empty', () => Buffer.alloc(0)],
  ])('%s', (_, damage) => {
    run();
    writeFileSync(cacheFile, damage(readFileSync(cacheFile)));
    const damaged = cacheId();
    expect(run()).toEqual(ONE);
    expect(cacheId()).not.toBe(damaged);
    const repaired = cacheId();
    expect(run()).toEqual(ONE);
    expect(cacheId()).toBe(repaired);
  });
});

test('code of a run that could not do its work serves until one can, which calls more', () => {
  write(
    'main.cjs',
    "const { word } = require('./a-chunk.cjs');\nexports.run = () => { process.exitCode = Number(process.argv[3] || (word(), 0)); };",
  );
  expect(run(cacheFile, '1')).toMatchObject({ status: 1 });
  const failed = cacheId();
  run(cacheFile, '1');
  expect(cacheId()).toBe(failed);
  expect(run()).toMatchObject({ status: 0 });
  const done = cacheId();
  expect(done).not.toBe(failed);
  for (const code of ['1', '2', '']) run(cacheFile, code);
  expect(cacheId()).toBe(done);
});

test('a home that cannot be written is no failure', () => {
  write('file', '');
  expect(run(join(folder, 'file', 'say.v8'))).toEqual(ONE);
});

test('a chunk has what Node gives to a file: packages, imports from its own place, and its lines in errors', () => {
  write('beside.mjs', "export const beside = 'beside';");
  write(
    'main.cjs',
    `exports.run = async () => {
  const { beside } = await import('./beside.mjs');
  console.log(beside, require('node:path').relative(__dirname, __filename), typeof require.resolve);
  throw new Error('line 4');
};`,
  );
  const { stdout, stderr } = run();
  expect(stdout).toBe('beside main.cjs function\n');
  expect(stderr).toContain(`${join(folder, 'main.cjs')}:4:9`);
});
