/** Puts a proxy before what network faults are about, and poisons it when they begin. */
import { messageOf } from '../../../../domain/core/unknown.ts';
import { findToxiproxy } from '../../../processes/find-toxiproxy.ts';
import { startToxiproxy, type Toxic, type Toxiproxy } from '../../../processes/toxiproxy.ts';
import type { World } from '../../world.ts';
import { type NetworkArea, type NetworkKind, networkFault } from '../catalogue/network.ts';
import type { FaultOrder } from '../fault.ts';

/** Addresses that Belay is given. */
export interface Addresses {
  /** http://host:port of each. */
  awsUrl: string;
  /** https, in the answer of DescribeCluster. */
  kubernetesUrl: string;
  /** Ends with /api/. */
  slackApiUrl: string;
  prometheusUrl: string;
  /** host:port */
  temporalAddress: string;
}

/** How long a delay is in force, world time. */
const DELAYED_FOR_MS = 5 * 60_000;
/** How late connections close. */
const CLOSE_DELAY_MS = 5_000;

const KEYS: Record<NetworkArea, keyof Addresses> = {
  eks: 'awsUrl',
  kubernetes: 'kubernetesUrl',
  slack: 'slackApiUrl',
  prometheus: 'prometheusUrl',
  temporal: 'temporalAddress',
};

/** The addresses to use instead, where network faults were asked for; the same ones otherwise, and nothing is started. */
export async function throughProxies(
  world: World,
  addresses: Addresses,
  options: { env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<{ addresses: Addresses; close: () => Promise<void> }> {
  const areas = new Set(world.faults.orders.flatMap(({ name }) => networkFault(name)?.area ?? []));
  if (areas.size === 0) return { addresses, close: () => Promise.resolve() };
  const proxy = await startToxiproxy(await findToxiproxy(options));
  const through = { ...addresses };
  for (const area of areas) {
    const address = addresses[KEYS[area]];
    const upstream = address.includes('://') ? new URL(address).host : address;
    const port = await proxy.between(area, upstream);
    through[KEYS[area]] = address.replace(upstream, `127.0.0.1:${port}`);
  }
  const unwatch = world.faults.onBegin((order) => strike(world, proxy, order));
  return {
    addresses: through,
    close: () => {
      unwatch();
      return proxy.close();
    },
  };
}

function strike(world: World, proxy: Toxiproxy, order: FaultOrder): void {
  const found = networkFault(order.name);
  if (found === undefined) return;
  const told = (error: unknown): void => world.journal.tell(`${order.text}: ${messageOf(error)}`);
  const lastsMs = order.lastsMs ?? DELAYED_FOR_MS;
  proxy.poison(found.area, toxicOf(found.kind, order)).catch(told);
  setTimeout(() => {
    proxy.heal(found.area).catch(told);
    world.journal.tell(`fault ${order.text} is over`);
  }, world.clock.wallMs(lastsMs)).unref();
}

/** https://github.com/Shopify/toxiproxy, README "Toxics". A timeout of 0 stops data and keeps connections until it is taken away. */
function toxicOf(kind: NetworkKind, { delayMs = 0 }: FaultOrder): Toxic {
  switch (kind) {
    case 'latency':
      return { type: 'latency', attributes: { latency: delayMs, jitter: 0 } };
    case 'cut':
      return { type: 'timeout', attributes: { timeout: 0 } };
    case 'reset':
      return { type: 'reset_peer', attributes: { timeout: 0 } };
    case 'slow-close':
      return { type: 'slow_close', attributes: { delay: CLOSE_DELAY_MS } };
  }
}
