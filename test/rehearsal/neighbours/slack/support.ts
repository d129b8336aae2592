/** A stand-in per test, and a real Bolt app in front of it. */
import { App, LogLevel, type Logger, SocketModeReceiver } from '@slack/bolt';
import { ErrorCode, WebClient } from '@slack/web-api';
import { Journal } from '../../../../rehearsal/world/journal.ts';
import { type SlackServerOptions, type SlackStandIn, startSlackServer } from '../../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';
import { eventually } from '../../../support/eventually.ts';

export const WORLD_NOW = new Date('2025-11-03T09:00:00Z');
export const CHANNEL = 'C0UPGRADES';

const quiet = (): undefined => undefined;
export const SILENT: Logger = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  setLevel: quiet,
  setName: quiet,
  getLevel: () => LogLevel.ERROR,
};

export interface Bench {
  slack: SlackStandIn;
  journal: Journal;
  client: WebClient;
  /** Ends what the test started, the newest first. */
  after: (() => unknown)[];
}

export function newClient(slack: SlackStandIn, token: string = WORKSPACE.botToken): WebClient {
  return new WebClient(token, { slackApiUrl: slack.apiUrl, logger: SILENT, retryConfig: { retries: 0 } });
}

/** Runs a test with a stand-in of its own and tidies up. */
export async function withSlack(run: (bench: Bench) => Promise<void>, options: Partial<SlackServerOptions> = {}): Promise<void> {
  const journal = new Journal(() => WORLD_NOW);
  const slack = await startSlackServer({ journal, now: () => WORLD_NOW, ...options });
  const after: (() => unknown)[] = [() => slack.close()];
  try {
    await run({ slack, journal, client: newClient(slack), after });
  } finally {
    for (const end of after.reverse()) await end();
  }
}

/** An unmodified Bolt app in socket mode, connected. Without `comesBack` it stays away once it is cut off: a try that fails ends a process. */
export async function startBolt(bench: Bench, wire: (app: App) => void, comesBack = true): Promise<App> {
  const clientOptions = { slackApiUrl: bench.slack.apiUrl };
  const receiver = new SocketModeReceiver({
    appToken: WORKSPACE.appToken,
    clientPingTimeout: 300,
    autoReconnectEnabled: comesBack,
    logger: SILENT,
    installerOptions: { clientOptions },
  });
  const app = new App({ token: WORKSPACE.botToken, receiver, socketMode: true, logger: SILENT, clientOptions });
  wire(app);
  await app.start();
  bench.after.push(async () => {
    const before = bench.slack.connected();
    await app.stop();
    await eventually(() => bench.slack.connected() < before || before === 0);
  });
  return app;
}

/** The error code and messages that the API answered with. */
export async function refusal(call: Promise<unknown>): Promise<{ error: string; messages: string[] }> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === ErrorCode.PlatformError && 'data' in thrown) {
      const { error, response_metadata: metadata } = thrown.data as { error: string; response_metadata?: { messages?: string[] } };
      return { error, messages: metadata?.messages ?? [] };
    }
    throw thrown;
  }
  throw new Error('the call was not refused');
}

const gateButton = (choice: string, gateId = 'before:control-plane@1.33#1', workflowId = 'eks-upgrade/1/r/c') => ({
  type: 'button' as const,
  action_id: `gate/${choice}`,
  text: { type: 'plain_text' as const, text: choice },
  value: JSON.stringify({ gateId, workflowId, choice, revision: 3 }),
});

export const gateBlocks = (choices: string[], gateId?: string, workflowId?: string) => [
  { type: 'section' as const, text: { type: 'mrkdwn' as const, text: '*Gate*' } },
  { type: 'actions' as const, block_id: 'gate', elements: choices.map((choice) => gateButton(choice, gateId, workflowId)) },
];
