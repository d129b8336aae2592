/** Requests as Slack signs them, sent by hand: also such as its clients never make. */
import { createHmac } from 'node:crypto';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { type Bench, type BenchOptions, CHANNEL, withApp } from './support.ts';

export const SECRET = WORKSPACE.signingSecret;

export function signature(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

/** A command. */
export const BODY = new URLSearchParams({
  command: '/eks-upgrade',
  text: 'pause staging',
  team_id: WORKSPACE.team.id,
  channel_id: CHANNEL,
  channel_name: 'eks-upgrades',
  user_id: 'U0SAM',
  user_name: 'sam',
  trigger_id: '1.2.3',
}).toString();

export interface Request {
  body?: string;
  ageS?: number;
  secret?: string;
  headers?: Record<string, string>;
}

export async function send({ running }: Bench, { body = BODY, ageS = 0, secret = SECRET, headers = {} }: Request): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageS);
  const response = await fetch(`http://127.0.0.1:${running.port}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signature(secret, timestamp, body),
      ...headers,
    },
    body,
  });
  return response.status;
}

/** The app behind a port of its own. */
export async function withHttp(
  run: (bench: Bench) => Promise<void>,
  { upgrades, campaigns, server }: Pick<BenchOptions, 'upgrades' | 'campaigns' | 'server'> = {},
): Promise<void> {
  const [port = 0] = await freePorts(1);
  await withApp(
    {
      upgrades,
      campaigns,
      settings: { appToken: undefined, signingSecret: SECRET, port },
      options: { unsignedEveryMs: 300 },
      server: { ...server, httpRequestUrl: `http://127.0.0.1:${port}/slack/events` },
    },
    run,
  );
}

/** A press or a form that was sent, in the channel. */
export function interaction(user: string, payload: object): Request {
  const { id: team } = WORKSPACE.team;
  const who = { user: { id: user, name: user.slice(2).toLowerCase(), team_id: team }, team: { id: team } };
  const json = JSON.stringify({ ...who, channel: { id: CHANNEL }, trigger_id: '1.2.3', ...payload });
  return { body: new URLSearchParams({ payload: json }).toString() };
}
