/** Which network a worker is in: --network, then BELAY_NETWORK. */
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { accessOf, networksOf } from '../../domain/policy/config/of-cluster.ts';
import { isNetworkName, RIGHT_NETWORK } from '../../domain/policy/config/sections/networks.ts';

/** undefined: in none. Throws a RangeError that names where it is said, the value and the fix. */
export function networkOf(config: Config, flag: string | undefined, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const [said, network] = flag === undefined ? ['BELAY_NETWORK', env['BELAY_NETWORK'] || undefined] : ['--network', flag];
  if (network === undefined) return undefined;
  if (!isNetworkName(network)) throw new RangeError(`${said} is "${network}"; ${RIGHT_NETWORK}.`);
  const known = [...networksOf(config).keys()];
  if (known.includes(network)) return network;
  const close = nearest(network, known);
  const hint =
    known.length === 0 ? 'write network: in it first' : close === undefined ? `there are: ${known.join(', ')}` : `did you mean "${close}"?`;
  throw new RangeError(`${said} is "${network}", and no cluster of ${config.fileName} is in that network; ${hint}.`);
}

/** The clusters whose activities a worker of this network does, or one of none. */
export const servedClusters = (config: Config, network: string | undefined): string[] =>
  config.clusterNames.filter((name) => accessOf(config, name).network === network);

/**
 * Why a worker has nothing to do with a cluster; undefined: it serves it. By the worker's own belay.yaml: what a workflow, or whoever schedules an
 * activity, says of the network decides nothing.
 */
export function whyNotServed(config: Config, network: string | undefined, clusterName: string): string | undefined {
  const own = accessOf(config, clusterName).network;
  if (own === network) return undefined;
  const place = own === undefined ? `puts cluster ${clusterName} in no network` : `puts cluster ${clusterName} in network ${own}`;
  const serves = network === undefined ? 'clusters without a network alone' : `those of network ${network} alone`;
  return `${config.fileName} ${place}, and this worker serves ${serves}. A run keeps the network it began with: use the same file everywhere, restart processes after a change, and stop the run if it began before`;
}
