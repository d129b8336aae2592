/** `belay slack` as a process of its own, and what it has said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import { PROGRAM } from '../support/program.ts';

const CONFIG = `
slack: { channel: C0UPGRADES }
approvals: { users: [U0SAM] }
clusters:
  staging: { region: eu-west-1, account: "111122223333" }
`;

export interface SlackProcess {
  said(): string;
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
}

/** `env`: beside the bot's token. Inherits nothing of Slack, Temporal and AWS. */
export function startSlackProcess(env: Record<string, string>): SlackProcess {
  const folder = mkdtempSync(join(tmpdir(), 'belay-slack-'));
  writeFileSync(join(folder, 'belay.yaml'), CONFIG);
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', PROGRAM, 'slack', '--config', join(folder, 'belay.yaml')], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      SLACK_BOT_TOKEN: WORKSPACE.botToken,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    said: () => text,
    async kill() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
