/** Looks at Slack: the token, its scopes, the channels, the approver groups. */
import { readFileSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Config } from '../../domain/policy/config/config.ts';
import { isInSlack } from '../../domain/policy/policy.ts';
import { type Channels, createChannels } from '../../slack/api/channels.ts';
import { SlackDeliveryError } from '../../slack/api/errors.ts';
import { DIRECT_MESSAGE_SCOPES } from '../../slack/api/direct-scopes.ts';
import { slackByHalf } from '../config/slack-use.ts';
import { type ClockReading, reading } from './clock.ts';
import { type Diagnosis, said } from './types.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

const manifestShape = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) });

/** Never throws. */
export async function examineSlack(config: Config, env: NodeJS.ProcessEnv): Promise<{ diagnoses: Diagnosis[]; clocks: ClockReading[] }> {
  const area = 'Slack';
  const token = env['SLACK_BOT_TOKEN'];
  const half = slackByHalf(config, env);
  if (!config.usesSlack && half === undefined)
    return {
      diagnoses: [{ area, status: 'ok', message: 'not used: "belay decide" decides, and "belay logs" shows what is told' }],
      clocks: [],
    };
  if (!token) {
    const fix =
      'install the app with slack/manifest.yaml and set SLACK_BOT_TOKEN, which the worker wants; or remove slack from belay.yaml to work without it';
    return { diagnoses: [{ area, status: 'warning', message: 'SLACK_BOT_TOKEN is not set', fix }], clocks: [] };
  }
  const apiUrl = env['SLACK_API_URL'];
  const web = new WebClient(token, { ...(apiUrl ? { slackApiUrl: apiUrl } : {}), retryConfig: { retries: 1 }, timeout: 10_000 });
  const diagnoses: Diagnosis[] = half === undefined ? [] : [{ area, status: 'failed', message: half.why, fix: half.fix }];
  try {
    const auth = await web.auth.test();
    diagnoses.push({ area, status: 'ok', message: `signed in to ${auth.team ?? '?'} as ${auth.user ?? '?'}` });
    diagnoses.push(...examineScopes(auth.response_metadata?.scopes));
  } catch (error) {
    diagnoses.push({
      area,
      status: 'failed',
      message: `Slack refuses the token or does not answer (${said(error)})`,
      fix: 'check SLACK_BOT_TOKEN (xoxb-…)',
    });
    return { diagnoses, clocks: [] };
  }
  if (!env['SLACK_APP_TOKEN'] && !env['SLACK_SIGNING_SECRET']) {
    // The worker is given neither, on purpose: docker compose and the chart run the doctor where the worker runs.
    const fix = 'nothing, if this is the worker; the Slack process needs SLACK_APP_TOKEN (xapp-…) for socket mode, or SLACK_SIGNING_SECRET';
    diagnoses.push({
      area,
      status: 'warning',
      message: 'no buttons arrive at this process: neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set',
      fix,
    });
  }
  const channels = createChannels(web);
  const named = new Set(
    config.clusterNames.flatMap((name) => {
      const { channel } = policyOf(config, name);
      return isInSlack(channel) ? [channel] : [];
    }),
  );
  for (const channel of named) diagnoses.push(await examineChannel(web, channels, channel));
  for (const group of config.approverGroups) diagnoses.push(await examineGroup(web, group));
  return { diagnoses, clocks: await readClock(apiUrl) };
}

function examineScopes(granted: string[] | undefined): Diagnosis[] {
  const area = 'Slack';
  const needed = neededScopes();
  if (granted === undefined || needed === undefined) {
    return [
      { area, status: 'unknown', message: 'the scopes of the token cannot be read', fix: 'compare the app with slack/manifest.yaml' },
    ];
  }
  const missing = needed.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return [{ area, status: 'ok', message: `all ${needed.length} scopes are granted` }];
  const fix = 'paste slack/manifest.yaml into the app and install it again';
  const optional = missing.filter((scope) => DIRECT_MESSAGE_SCOPES.includes(scope));
  const required = missing.filter((scope) => !DIRECT_MESSAGE_SCOPES.includes(scope));
  const diagnoses: Diagnosis[] = [];
  if (required.length > 0) diagnoses.push({ area, status: 'failed', message: `scopes are missing: ${required.join(', ')}`, fix });
  if (optional.length > 0) {
    const message = `scopes are missing: ${optional.join(', ')}; without them nobody gets direct messages about gates`;
    diagnoses.push({ area, status: 'warning', message, fix });
  }
  return diagnoses;
}

function neededScopes(): string[] | undefined {
  try {
    const text = readFileSync(new URL('../../slack/manifest.yaml', import.meta.url), 'utf8');
    return manifestShape.parse(parse(text)).oauth_config.scopes.bot;
  } catch {
    return undefined;
  }
}

async function examineChannel(web: WebClient, channels: Channels, channel: string): Promise<Diagnosis> {
  const area = 'Slack';
  try {
    const { channel: found } = await web.conversations.info({ channel: await channels.idOf(channel) });
    if (found?.is_archived === true)
      return { area, status: 'failed', message: `channel #${found.name ?? channel} is archived`, fix: 'set slack.channel to another one' };
    if (found?.is_member === true) return { area, status: 'ok', message: `the app is in #${found.name ?? channel}` };
    return { area, status: 'failed', message: `the app is not in #${found?.name ?? channel}`, fix: 'invite it there: /invite @belay' };
  } catch (error) {
    const isUnseen = error instanceof SlackDeliveryError && error.code === 'channel_not_found';
    const message = isUnseen ? `the app is in no channel ${channel}` : `channel ${channel} cannot be read (${said(error)})`;
    return { area, status: 'failed', message, fix: 'correct slack.channel, and invite the app to it' };
  }
}

async function examineGroup(web: WebClient, group: string): Promise<Diagnosis> {
  const area = 'Slack';
  try {
    const { users } = await web.usergroups.users.list({ usergroup: group });
    if ((users ?? []).length > 0) return { area, status: 'ok', message: `approver group ${group} has ${users?.length} members` };
    return { area, status: 'warning', message: `approver group ${group} has no members`, fix: 'add people to it in Slack' };
  } catch (error) {
    const fix = 'correct approvals.groups: group ids begin with S';
    return { area, status: 'failed', message: `approver group ${group} cannot be read (${said(error)})`, fix };
  }
}

async function readClock(apiUrl: string | undefined): Promise<ClockReading[]> {
  try {
    const answer = await fetch(new URL('api.test', apiUrl || 'https://slack.com/api/'), {
      method: 'POST',
      signal: AbortSignal.timeout(5_000),
    });
    const found = reading('Slack', answer.headers.get('date'), Date.now());
    return found === undefined ? [] : [found];
  } catch {
    return [];
  }
}
