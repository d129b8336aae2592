/** A setup file for Vitest: which marked guards a test file reaches, a line each in the file that MUTANTS_LOG names. Without it, nothing. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { MARK, OUT_OF_SIGHT } from './guards.ts';

const log = process.env.MUTANTS_LOG;
if (log !== undefined) {
  const { testPath } = expect.getState();
  const noted = new Set<string>();
  const note = (what: string): void => {
    if (!noted.has(what)) appendFileSync(log, `${JSON.stringify({ what, testPath })}\n`);
    noted.add(what);
  };
  Object.assign(globalThis, { [MARK]: (index: number) => note(String(index)) });
  // Neither the sandbox of workflows nor another process has the mark. Node tells of no process that is waited for (spawnSync).
  const lost = (): void => note(OUT_OF_SIGHT);
  for (const channel of ['worker_threads', 'child_process']) {
    subscribe(channel, lost);
    afterAll(() => void unsubscribe(channel, lost));
  }
}
