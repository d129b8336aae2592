/** The doctor: everything that an upgrade needs, looked at from here, each problem with its fix. */
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { someAtOnce } from '../../activities/runtime/in-batches.ts';
import { openClients } from '../config/clients.ts';
import { networkOf, servedClusters } from '../config/network.ts';
import { askBy, examineAccounts } from './accounts.ts';
import { notFromHere } from './networks.ts';
import { examineCluster } from './cluster.ts';
import { examineDecisions } from './decisions.ts';
import { examineNotifications } from './notifications.ts';
import { examineRecords } from './records.ts';
import { examineSlack } from './slack.ts';
import { examineTemporal } from './temporal.ts';
import { type ClockReading, skewWords, TOLERATED_SKEW_MS } from './clock.ts';
import type { Diagnosis } from './types.ts';
import { accessOf } from '../../domain/policy/config/of-cluster.ts';

export type { Diagnosis } from './types.ts';

/**
 * Never throws for what it finds; what is `named` must be known to the configuration. Without names: the clusters of the network that BELAY_NETWORK says
 * this machine is in, or of none.
 */
export async function examine(
  config: Config,
  named: string[],
  env: NodeJS.ProcessEnv = process.env,
  options: { sendTest?: boolean } = {},
): Promise<Diagnosis[]> {
  for (const name of named) accessOf(config, name);
  const here = servedClusters(config, networkOf(config, undefined, env));
  const clusterNames = named.length > 0 ? named : here;
  const elsewhere = named.length > 0 ? [] : config.clusterNames.filter((name) => !here.includes(name));
  const clients = openClients(config, 'doctor');
  try {
    const [{ accounts, clusters }, temporal, slack, records, notifications] = await Promise.all([
      examineAws(config, clients, { here: clusterNames, elsewhere }),
      examineTemporal(config, clusterNames, env),
      examineSlack(config, env),
      examineRecords(config),
      examineNotifications(config, env, options),
    ]);
    const clocks = [...clusters.flatMap((cluster) => cluster.clocks), ...slack.clocks];
    return [
      ...accounts,
      ...clusters.flatMap((cluster) => cluster.diagnoses),
      ...elsewhere.map((name) => notFromHere(config, name)),
      ...temporal,
      ...slack.diagnoses,
      ...records,
      ...notifications,
      ...examineDecisions(config, [...clusterNames, ...elsewhere], env),
      ...judgeClocks(clocks),
    ];
  } finally {
    await clients.close();
  }
}

/** Accounts first: a role that AWS refuses is then not asked for by each of its clusters as well. */
async function examineAws(config: Config, clients: ClusterClients, names: Parameters<typeof examineAccounts>[1]) {
  const accounts = await examineAccounts(config, names, askBy(config, clients));
  return { accounts, clusters: await someAtOnce(names.here, (name) => examineCluster(config, clients, name)) };
}

/** Wrong clocks break AWS signatures and make deadlines lie. */
export function judgeClocks(clocks: readonly ClockReading[]): Diagnosis[] {
  const area = 'Clocks';
  if (clocks.length === 0)
    return [{ area, status: 'unknown', message: 'no server reported its time', fix: 'fix the failures above first' }];
  const off = clocks.flatMap((clock) => skewWords(clock) ?? []);
  if (off.length === 0)
    return [
      {
        area,
        status: 'ok',
        message: `within ${TOLERATED_SKEW_MS / 1000} s of ${[...new Set(clocks.map(({ server }) => server))].join(', ')}`,
      },
    ];
  const fix = 'synchronise the clock of this machine (chrony, systemd-timesyncd)';
  return [...new Set(off)].map((message) => ({ area, status: 'warning', message, fix }));
}
