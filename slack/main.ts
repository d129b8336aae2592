/** The Slack process: waits for Slack, runs, ends cleanly; ends loudly where it would otherwise hear nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SlackDeliveryError } from './api/errors.ts';
import type { Log } from './api/log.ts';
import { type RunningSlack, type SlackOptions, type SlackSettings, startSlack } from './start.ts';
import { CLOSE_LIMIT_MS } from './transport/transports.ts';

const START_AGAIN_MS = 3_000;

/** SLACK_* of an environment. */
export function slackSettings(env: NodeJS.ProcessEnv): SlackSettings {
  const port = env['PORT'];
  return {
    botToken: env['SLACK_BOT_TOKEN'] || undefined,
    appToken: env['SLACK_APP_TOKEN'] || undefined,
    signingSecret: env['SLACK_SIGNING_SECRET'] || undefined,
    apiUrl: env['SLACK_API_URL'] || undefined,
    port: port === undefined || port === '' ? undefined : Number(port),
  };
}

/** Runs until SIGTERM or SIGINT; ends the process with 1 when Slack is lost or something is thrown where nobody hears it. */
export async function runSlack(options: SlackOptions): Promise<void> {
  const { log } = options;
  process.on('unhandledRejection', (reason) => {
    log.error(`unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
    process.exit(1);
  });
  const asked = new Promise<undefined>((resolve) => {
    const stop = (): void => resolve(undefined);
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
  const running = await Promise.race([startWhenThere(options, log), asked]);
  if (running === undefined) return;
  const why = await Promise.race([running.lost, asked]);
  if (why !== undefined) {
    log.error(why);
    process.exit(1);
  }
  await running.stop();
  log.info('stopped');
  // Only fires where something still keeps the process alive, such as a close that Slack never answers.
  setTimeout(() => process.exit(0), CLOSE_LIMIT_MS).unref();
}

/** Slack may be out of reach for a while: waited for. What waiting does not cure is thrown. */
async function startWhenThere(options: SlackOptions, log: Log): Promise<RunningSlack> {
  for (;;) {
    try {
      return await startSlack(options);
    } catch (error) {
      if (!(error instanceof SlackDeliveryError) || !error.retryable) throw error;
      log.warn(`${error.message}; trying again`);
      await sleep(error.retryAfterMs ?? START_AGAIN_MS);
    }
  }
}
