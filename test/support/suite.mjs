/** What all suites share: `suite` makes the configuration of one. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Tests and hooks have as much more time as all else that waits (`PATIENCE` of eventually.ts). */
const patience = Number(process.env.BELAY_TEST_PATIENCE ?? 1);

// Tests read plain text; on CI machines colours would be on.
process.env.NO_COLOR = '1';
// What people read is in their own time zone: here that is UTC, on any machine.
process.env.TZ = 'UTC';
// Servers in Go (Temporal, the real parts) live for minutes and have memory to spare: they collect garbage less often.
process.env.GOGC ??= '800';
// Workers, Slack apps and command lines start some hundred times: Node compiles their files once.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/node-compile`;

/**
 * `include`, `exclude`: globs from the root of the project; `limitMs`: what a test or hook has, unless it says otherwise; `workers`: files at once;
 * `hasProgram`: its processes are started from bundles, as those of the package (build-program.ts).
 * Files share a process and the modules that it has loaded, which takes half the time: what a file sets up it takes down.
 */
export function suite({ limitMs = 60_000, workers = 3, exclude = [], hasProgram = false, ...more }) {
  return defineConfig({
    root,
    cacheDir: `${root}node_modules/.cache/vitest`,
    test: {
      pool: 'forks',
      execArgv: ['--require', `${root}test/support/lean-sandbox.cjs`],
      isolate: false,
      maxWorkers: workers,
      setupFiles: ['test/support/setup.ts'],
      testTimeout: limitMs * patience,
      hookTimeout: limitMs * patience,
      // A worker of Temporal ends what it has in hand.
      teardownTimeout: 60_000,
      // dist: what npm pack has compiled.
      exclude: ['**/node_modules/**', 'dist/**', ...exclude],
      fsModuleCache: true,
      sequence: { sequencer: LongestFirst },
      ...(hasProgram ? { globalSetup: 'test/support/build-program.ts' } : {}),
      ...more,
    },
  });
}
