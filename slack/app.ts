/** The Bolt app: who may come in, and what is listened to. */
import { App, type Receiver } from '@slack/bolt';
import { registerActions } from './listeners/index.ts';
import { registerCommands } from './listeners/slash-command.ts';
import type { SlackDeps } from './interaction/deps.ts';
import { registerHome } from './listeners/app-home.ts';
import { boltLogger } from './api/log.ts';
import { onlyOnce } from './transport/deduplicate.ts';
import { rateLimited } from './transport/rate-limit.ts';
import type { Home } from '../domain/gates/slack-person.ts';
import { onlyHome } from './transport/workspace-guard.ts';
import type { DoorRefusal } from '../client/calls/contract.ts';

/** What auth.test says about the bot's token. */
export interface BotIdentity extends Home {
  botToken: string;
  botId?: string;
  botUserId?: string;
}

export function createSlackApp(deps: SlackDeps & { receiver: Receiver; bot: BotIdentity }): App {
  const { receiver, bot } = deps;
  const { botToken, botId, botUserId, teamId, enterpriseId } = bot;
  const app = new App({
    receiver,
    logger: boltLogger(deps.log),
    convoStore: false,
    // The token was verified at the start; asking Slack again at each press would only add a way to fail.
    authorize: () => Promise.resolve({ botToken, botId, botUserId, teamId, enterpriseId }),
  });
  const refused = (refusal: DoorRefusal): void => deps.upgrades.refused(refusal);
  app.use(onlyHome(bot, deps.log, refused));
  app.use(onlyOnce(deps.log, refused));
  app.use(rateLimited(deps));
  registerCommands(app, deps);
  registerActions(app, deps);
  registerHome(app, deps);
  app.error((error) => {
    deps.log.error(`handling a request: ${error.message}`);
    return Promise.resolve();
  });
  return app;
}
