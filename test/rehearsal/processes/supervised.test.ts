import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SupervisedProcess } from '../../../rehearsal/processes/supervised.ts';
import { Undertaker } from '../../../rehearsal/processes/undertaker.ts';
import { eventually } from '../../support/eventually.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-supervised-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

function supervise(script: string) {
  const undertaker = new Undertaker();
  const starts: number[] = [];
  const givenUp: string[] = [];
  const child = new SupervisedProcess({
    name: 'sleeper',
    command: '/bin/sh',
    args: ['-c', script],
    env: process.env,
    logFile: join(directory, 'log'),
    undertaker,
    restartAfterMs: 20,
    onStart: (pid) => void starts.push(pid),
    onGivenUp: (error) => void givenUp.push(error.message),
  });
  return { undertaker, starts, givenUp, child };
}

test('a process that is killed is started again, and stays dead once stopped', async () => {
  const { undertaker, starts, child } = supervise('sleep 60');
  child.start();
  expect(child.kill()).toBe(true);
  await eventually(() => starts.length === 2);
  await child.stop(1_000);
  undertaker.close();
  expect(starts.filter(alive)).toEqual([]);
});

test('one that does not heed SIGTERM is killed after the grace', async () => {
  const { undertaker, starts, child } = supervise("trap '' TERM; while :; do sleep 0.1; done");
  child.start();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await child.stop(200);
  undertaker.close();
  expect(starts.filter(alive)).toEqual([]);
});

test('one that dies at once again and again is given up with its last words', async () => {
  const { undertaker, givenUp, child } = supervise('echo no configuration; exit 7');
  child.start();
  await eventually(() => givenUp.length > 0);
  undertaker.close();
  expect(givenUp[0]).toMatch(/^sleeper ended with code 7 3 times in a row; its last words: no configuration/);
});

test('children die with a parent that is killed without warning', async () => {
  const script = join(directory, 'parent.ts');
  const at = (path: string): string => new URL(`../../../rehearsal/processes/${path}`, import.meta.url).pathname;
  writeFileSync(
    script,
    `import { SupervisedProcess } from '${at('supervised.ts')}';
import { Undertaker } from '${at('undertaker.ts')}';
import { writeFileSync } from 'node:fs';
new SupervisedProcess({ name: 'x', command: '/bin/sleep', args: ['60'], env: process.env, logFile: '${join(directory, 'log')}', undertaker: new Undertaker(),
  restartAfterMs: 10, onGivenUp: () => {}, onStart: (pid) => writeFileSync('${join(directory, 'pid')}', String(pid)) }).start();
`,
  );
  const parent = spawn(process.execPath, ['--no-warnings', script], { stdio: 'ignore' });
  const pidOf = (): number => {
    try {
      return Number(readFileSync(join(directory, 'pid'), 'utf8'));
    } catch {
      return 0;
    }
  };
  await eventually(() => pidOf() > 0);
  expect(alive(pidOf())).toBe(true);
  // The shell has to have read the pid.
  await new Promise((resolve) => setTimeout(resolve, 200));
  parent.kill('SIGKILL');
  await eventually(() => !alive(pidOf()));
});
