/** `belay slack` as an operator runs it: waits for Slack, connects, ends cleanly, and says what is missing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { Journal } from '../../rehearsal/world/journal.ts';
import { type SlackStandIn, startSlackServer } from '../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { PROGRAM } from '../support/program.ts';

const CONFIG = `
slack: { channel: C0UPGRADES }
approvals: { users: [U0SAM] }
clusters:
  staging: { region: eu-west-1, account: "111122223333" }
`;

let slack: SlackStandIn;
let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  const now = (): Date => new Date();
  slack = await startSlackServer({ journal: new Journal(now), now });
  folder = mkdtempSync(join(tmpdir(), 'belay-slack-'));
  writeFileSync(join(folder, 'belay.yaml'), CONFIG);
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await slack.close();
  rmSync(folder, { recursive: true });
});

/** The process, what it has said so far, and its exit code. */
function run(env: Record<string, string>): { said: () => string; ended: Promise<number | null>; process: ChildProcess } {
  const started = spawn(process.execPath, ['--no-warnings', PROGRAM, 'slack', '--config', join(folder, 'belay.yaml')], {
    env: { PATH: process.env['PATH'], HOME: folder, TEMPORAL_ADDRESS: '127.0.0.1:1', SLACK_API_URL: slack.apiUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let text = '';
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => (text += String(chunk)));
  return { said: () => text, ended: new Promise((resolve) => started.once('exit', resolve)), process: started };
}

async function until(look: () => boolean, said: () => string): Promise<void> {
  try {
    await eventually(look);
  } catch (cause) {
    throw new Error(`${String(cause)}; the process said:\n${said()}`, { cause });
  }
}

describe('belay slack', () => {
  test('T6: waits while Slack is away, answers once it is back (with Temporal away too), and ends on SIGTERM with 0', async () => {
    slack.setDown(true);
    const { said, ended, process: started } = run({ SLACK_BOT_TOKEN: WORKSPACE.botToken, SLACK_APP_TOKEN: WORKSPACE.appToken });
    await until(() => said().includes('checking SLACK_BOT_TOKEN: Slack answered HTTP 503; trying again'), said);
    slack.setDown(false);
    await until(() => slack.connected() === 1, said);
    await slack.submitCommand('U0ALEX', '/eks-upgrade status staging');
    const told = (): boolean => slack.messages().some(({ text }) => text.startsWith('Temporal at 127.0.0.1:1 does not answer.'));
    await until(told, said);
    started.kill('SIGTERM');
    expect(await ended).toBe(0);
    // Every line is JSON, of this process.
    const lines = said()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; time: string; name: string; msg: string });
    expect(new Set(lines.map(({ name }) => name))).toEqual(new Set(['belay-slack']));
    expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'stopped' });
  });

  test('BELAY_LOG_LEVEL holds for it, and one that does not exist is an error that names what does', async () => {
    const quiet = run({ SLACK_BOT_TOKEN: WORKSPACE.botToken, SLACK_APP_TOKEN: WORKSPACE.appToken, BELAY_LOG_LEVEL: 'fatal' });
    await until(() => slack.connected() === 1, quiet.said);
    quiet.process.kill('SIGTERM');
    expect(await quiet.ended).toBe(0);
    expect(quiet.said()).toBe('');
    const wrong = run({ SLACK_BOT_TOKEN: WORKSPACE.botToken, SLACK_APP_TOKEN: WORKSPACE.appToken, BELAY_LOG_LEVEL: 'loud' });
    expect(await wrong.ended).not.toBe(0);
    expect(wrong.said()).toContain('BELAY_LOG_LEVEL is "loud"; set it to one of trace, debug, info, warn, error, fatal, silent.');
  });

  test('its own port: alive from the first moment, ready while Slack is connected, and runs are not shown while Temporal is away', async () => {
    const [port] = await freePorts(1);
    const asked = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.text()];
    };
    slack.setDown(true);
    const {
      said,
      ended,
      process: started,
    } = run({
      SLACK_BOT_TOKEN: WORKSPACE.botToken,
      SLACK_APP_TOKEN: WORKSPACE.appToken,
      BELAY_METRICS_ADDRESS: `127.0.0.1:${port}`,
    });
    await until(() => said().includes('trying again'), said);
    expect(await asked('/healthz')).toEqual([200, 'ok\n']);
    expect(await asked('/readyz')).toEqual([503, 'This process is not connected to Slack.\n']);
    slack.setDown(false);
    await until(() => slack.connected() === 1, said);
    let ready: number | undefined;
    const look = (): boolean => {
      void asked('/readyz').then(([status]) => void (ready = status));
      return ready === 200;
    };
    await until(look, said);
    const [, page] = await asked('/metrics');
    expect(page).toMatch(/^belay_build_info\{component="slack",version="\S+",bundle=""\} 1$/m);
    expect(page).toMatch(/^belay_external_calls_total\{service="slack",operation="auth.test",result="Unavailable"\} [1-9]/m);
    expect(page).toMatch(/^belay_runs_read_timestamp_seconds 0$/m);
    expect(page).not.toMatch(/^belay_runs\{/m);
    expect(page).not.toMatch(/^temporal_/m);
    // A connection that is lost is not one.
    slack.setDown(true);
    await until(() => (look(), ready === 503), said);
    expect(await asked('/healthz')).toEqual([200, 'ok\n']);
    started.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('without a token it says which one, and where it comes from', async () => {
    const { said, ended } = run({});
    expect(await ended).toBe(1);
    expect(said()).toContain('SLACK_BOT_TOKEN is not set. Install the app from slack/manifest.yaml and copy its bot token (xoxb-).');
  });
});
