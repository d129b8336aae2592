/** Compares this machine's clock with AWS's: signatures, tokens and Slack's requests are refused where it is off by minutes. */
import { callerIdentityEndpoint } from '../../activities/clients/aws/presigned-identity.ts';
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { duration } from '../../domain/core/text.ts';
import type { Logger } from '../config/log.ts';
import { accessOf } from '../../domain/policy/config/of-cluster.ts';

const REQUEST_TIMEOUT_MS = 5_000;
/** AWS refuses signatures that are five minutes off; a clock that is synchronised is never off by this much. */
export const TOLERATED_SKEW_MS = 60_000;

/** A server's own time beside ours. */
export interface ClockReading {
  server: string;
  /** Server minus local, milliseconds. */
  skewMs: number;
}

/** undefined: the server has not told its time. */
export function reading(server: string, date: string | null | undefined, atMs: number): ClockReading | undefined {
  if (date === null || date === undefined) return undefined;
  const serverMs = Date.parse(date);
  return Number.isNaN(serverMs) ? undefined : { server, skewMs: serverMs - atMs };
}

/** "this machine's clock is 10 min behind STS (https://…)"; undefined where it is right. */
export function skewWords({ server, skewMs }: ClockReading): string | undefined {
  if (Math.abs(skewMs) <= TOLERATED_SKEW_MS) return undefined;
  return `this machine's clock is ${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} ${server}`;
}

/** What STS's answer to a request that is not signed says: it needs no credentials, so it tells the time even where the clock makes AWS refuse them. */
export async function readStsClock(endpoint: URL, now: () => number = Date.now): Promise<ClockReading | undefined> {
  const answer = await fetch(endpoint, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  await answer.body?.cancel();
  return reading(`STS (${endpoint.host})`, answer.headers.get('date'), now());
}

/** Where the clusters' identities are asked for, each once. */
async function stsEndpoints(config: Config, clients: Pick<ClusterClients, 'aws'>): Promise<URL[]> {
  const endpoints = new Map<string, URL>();
  for (const name of config.clusterNames) {
    const { account, region } = accessOf(config, name);
    const endpoint = await callerIdentityEndpoint(clients.aws({ name, account, region }).sts);
    endpoints.set(endpoint.href, endpoint);
  }
  return [...endpoints.values()];
}

/** Logs an error that names clock and fix where it is off. Never throws; a worker whose clock cannot be compared works, and says so. */
export async function examineClock(
  config: Config,
  clients: Pick<ClusterClients, 'aws'>,
  log: Pick<Logger, 'error' | 'info'>,
  now: () => number = Date.now,
): Promise<void> {
  try {
    const seen: ClockReading[] = [];
    for (const endpoint of await stsEndpoints(config, clients)) {
      const one = await readStsClock(endpoint, now);
      if (one === undefined) continue;
      seen.push(one);
      const off = skewWords(one);
      if (off === undefined) continue;
      const fix = 'synchronise it (chrony, systemd-timesyncd)';
      log.error({ clock: one.server, skewMs: one.skewMs, fix }, `${off}: AWS and Kubernetes refuse what is signed with it; ${fix}`);
      return;
    }
    if (seen.length === 0) log.info('the clock was not compared: STS told no time');
  } catch (error) {
    log.info({ why: messageOf(error) }, 'the clock was not compared: STS did not answer');
  }
}
