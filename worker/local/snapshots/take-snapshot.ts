/** Takes a snapshot of a cluster of belay.yaml, in this process. */
import { takeSnapshot, type TakenSnapshot, type TakeSnapshot } from '../../../activities/observe/snapshot/take.ts';
import { translateError } from '../../../activities/runtime/translate-errors.ts';
import { SnapshotError } from '../../../domain/facts/snapshot/parse.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { policyOf } from '../../../domain/policy/config/of-cluster.ts';
import { openClients } from '../../config/clients.ts';
import { defined } from '../../../domain/core/defined.ts';
import { withSmallYoungGeneration } from '../../config/small-young-generation.ts';

export { SNAPSHOT_READINGS, type TakenSnapshot } from '../../../activities/observe/snapshot/take.ts';

/**
 * Reads only. A file of that name is replaced, once the snapshot is whole. Throws ConfigError, SnapshotError where something in it reads like a
 * credential, or a failure in our words where the cluster itself cannot be described.
 */
export async function takeSnapshotOf(
  config: Config,
  cluster: string,
  file: string,
  options: Pick<TakeSnapshot, 'belay' | 'rewrite' | 'onRead' | 'signal'>,
): Promise<TakenSnapshot> {
  const { cluster: ref, timing, karpenter } = policyOf(config, cluster);
  const clients = openClients(config, 'snapshot');
  try {
    const { kubernetes, prometheus } = await clients.clusterPorts(ref);
    const what: TakeSnapshot = {
      ...options,
      aws: clients.aws(ref),
      account: clients.account(ref),
      kubernetes,
      ...defined({ prometheus }),
      ref,
      timing,
      file,
      ownerKeys: karpenter.ownerKeys ?? [],
      aliases: Object.values(karpenter.amis ?? {})
        .flat()
        .filter((text) => text.includes('@')),
    };
    return await withSmallYoungGeneration(() => takeSnapshot(what));
  } catch (error) {
    throw error instanceof SnapshotError ? error : translateError(error, `taking a snapshot of ${cluster}`);
  } finally {
    await clients.close();
  }
}
