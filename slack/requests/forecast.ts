/** `/eks-upgrade forecast`: what the upgrade is going to do is told in the channel, to everybody. */
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { link, mrkdwn } from '../blocks/kit/text.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { threadUrl } from '../interaction/message-links.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { NodeStrategy } from '../../domain/policy/policy.ts';
import { whichVersion } from '../messages/commands.ts';
import { forecasting, forecastRunsAlready } from '../messages/forecasts.ts';

export interface ForecastAsked {
  cluster: string;
  target?: string;
  strategy?: NodeStrategy;
}

export async function runForecast(deps: SlackDeps, asked: ForecastAsked, requestedBy: Actor, listener: Listener): Promise<void> {
  const { cluster, strategy } = asked;
  const target = asked.target ?? deps.clusters.defaultTargetOf(cluster);
  if (target === undefined) return await tell(listener, says(whichVersion('forecast', cluster)));
  await deps.channels.requireApp(listener.channel);
  await tell(listener, says(forecasting(cluster, target)));
  try {
    const { channel } = listener;
    const forecast = await deps.upgrades.forecast({ cluster, target, requestedBy, channel, ...defined({ strategy }) });
    if (forecast.kind === 'started') return;
    const url = await threadUrl(deps, channel, { ...forecast, ...defined({ notBefore: forecast.startedAt }) });
    const running = {
      cluster: mrkdwn(cluster, 100),
      target: mrkdwn(forecast.target, 20),
      requestedBy: mrkdwn(forecast.requestedBy, 80),
      link: url === undefined ? undefined : link(url, 'See it'),
    };
    await tell(listener, marked(forecastRunsAlready(running)));
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(sentenceOf(error)));
  }
}
