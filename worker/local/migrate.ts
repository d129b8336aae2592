/** What a cluster shows of its way to a newer API of Karpenter, read in this process. */
import { readMigrationState } from '../../activities/karpenter/migration/state.ts';
import { during } from '../../activities/runtime/translate-errors.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { Step } from '../../domain/plan/migration/names.ts';
import type { MigrationState } from '../../domain/plan/migration/state.ts';
import { openClients } from '../config/clients.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

/** Reads only. Throws ConfigError, or a failure in our words where the cluster itself cannot be read. */
export async function readMigration(config: Config, { cluster, step }: { cluster: string; step: Step }): Promise<MigrationState> {
  const policy = policyOf(config, cluster);
  const clients = openClients(config, 'migrate');
  try {
    const { kubernetes } = await clients.clusterPorts(policy.cluster);
    return await during(`reading Karpenter of ${cluster}`, () => readMigrationState(kubernetes, step));
  } finally {
    await clients.close();
  }
}
