/** `belay worker` as a process of its own, its log, and a wait for what it says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../../support/program.ts';

export interface BelayWorker {
  child: ChildProcess;
  /** With a belay.yaml of one cluster, "prod"; files named by the environment may lie here. */
  directory: string;
  /** Lines of the log so far that contain the text. */
  lines(text: string): string[];
  /** SIGKILL, and its files are removed. */
  end(): Promise<void>;
}

/** `env`: of the process, given its directory. Inherits nothing of Temporal, AWS, Slack and Belay. */
export function startBelayWorker(address: string, env: (directory: string) => Record<string, string> = () => ({})): BelayWorker {
  const directory = mkdtempSync(join(tmpdir(), 'belay-worker-'));
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  const clean = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLACK_|TEMPORAL_|BELAY_|KUBECONFIG)/.test(name));
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd: directory,
    env: { ...Object.fromEntries(clean), TEMPORAL_ADDRESS: address, AWS_EC2_METADATA_DISABLED: 'true', ...env(directory) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  return {
    child,
    directory,
    lines: (text) => log.split('\n').filter((line) => line.includes(text)),
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => void child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
