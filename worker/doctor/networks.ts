/** Looks at the networks of belay.yaml: whether a worker of each polls its queue. Their clusters are looked at from inside alone. */
import type { Config } from '../../domain/policy/config/config.ts';
import type { ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { accessOf, networksOf } from '../../domain/policy/config/of-cluster.ts';
import { networkQueue } from '../../workflows/contract/ids.ts';
import { networkPolls } from '../temporal/pollers.ts';
import { unpolledFix, unpolledWords } from '../temporal/watch-networks.ts';
import { type Diagnosis, said } from './types.ts';

export async function examineNetworks(connection: ServiceConnection, namespace: string, config: Config): Promise<Diagnosis[]> {
  return await Promise.all(
    [...networksOf(config)].map(async ([network, clusters]): Promise<Diagnosis> => {
      const area = 'Temporal';
      const queue = networkQueue(network);
      try {
        const { identities } = await networkPolls(connection, namespace, network);
        if (identities.length > 0)
          return { area, status: 'ok', message: `${identities.length} on task queue "${queue}": ${identities.join(', ')}` };
        return { area, status: 'failed', message: unpolledWords(network, clusters), fix: unpolledFix(network) };
      } catch (error) {
        const message = `Temporal does not say who polls task queue "${queue}" (${said(error)})`;
        return { area, status: 'unknown', message, fix: 'let this key describe task queues, or look in Temporal UI under Workers' };
      }
    }),
  );
}

/** A cluster that cannot be reached from here by design is no failure, and no pass either. */
export function notFromHere(config: Config, name: string): Diagnosis {
  const { network } = accessOf(config, name);
  const where = network === undefined ? 'where a worker without --network runs' : `where a worker of network ${network} runs`;
  const message = `${name}: not checked, because this command runs for another network`;
  return { area: 'AWS', status: 'unknown', message, fix: `run "belay doctor ${name}" ${where}` };
}
