/** Readiness of a cluster as a snapshot holds it: the same checks as worker/local/check.ts, of which nothing is sent. */
import { replayedClients } from '../../../activities/observe/snapshot/replay/clients.ts';
import { during } from '../../../activities/runtime/translate-errors.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';
import { type CheckRequest, judgeWith } from '../check.ts';
import { snapshotPolicy } from './plan-snapshot.ts';

/** What the snapshot does not hold is unknown. Throws where it does not hold the cluster itself. */
export async function checkSnapshot(
  snapshot: Snapshot,
  { config, ...request }: Omit<CheckRequest, 'cluster'> & { config?: Config },
): Promise<ReadinessReport> {
  const { policy, readiness } = snapshotPolicy(snapshot, config);
  const clients = replayedClients(snapshot);
  try {
    return await during(`checking ${policy.cluster.name} from a snapshot`, () => judgeWith(clients, { policy, readiness }, request));
  } finally {
    await clients.close();
  }
}
