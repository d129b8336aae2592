/** Switches control-plane logs on: an update of its own kind, looked for before it is made. */
import { type Cluster, UpdateClusterConfigCommand } from '@aws-sdk/client-eks';
import type { AwsClients } from '../clients/aws/clients.ts';
import { currentSignal } from '../runtime/context.ts';
import { during, failureOf } from '../runtime/translate-errors.ts';
import { waitUntil } from '../runtime/wait-until.ts';
import { beforeOfEarlierAttempt, keepBefore } from '../clients/side-effects/eks-updates.ts';
import { describeCluster } from '../clients/aws/eks-api.ts';
import { runningUpdates, sayUpdate } from './updates/find-update.ts';
import type { EksActivities, StartedUpdate } from '../contract/eks.ts';
import { defined } from '../../domain/core/defined.ts';

/** Logs that go to CloudWatch. */
export function enabledLogs({ logging }: Cluster): string[] {
  return (logging?.clusterLogging ?? []).filter(({ enabled }) => enabled === true).flatMap(({ types = [] }) => types);
}

/** Throws ResourceInUse (retryable) while an update of another kind runs. Logs that are on already stay as they are. */
export async function startLogging(aws: AwsClients, input: Parameters<EksActivities['startLogging']>[0]): Promise<StartedUpdate> {
  const { cluster: ref, types, token } = input;
  const doing = `switching on the logs ${types.join(', ')} of ${ref.name}`;
  const [running] = await runningUpdates(aws, ref, { kind: 'cluster' });
  const earlier = beforeOfEarlierAttempt();
  if (running?.type === 'LoggingUpdate')
    return { updateId: running.id, adopted: true, alreadyThere: false, ...defined({ before: earlier }) };
  const enabled = enabledLogs(await describeCluster(aws, ref));
  const missing = types.filter((type) => !enabled.includes(type));
  if (missing.length === 0) return { adopted: false, alreadyThere: true };
  if (running !== undefined) throw failureOf('ResourceInUse', `${doing}: EKS is busy with ${sayUpdate(running)}`);
  const command = new UpdateClusterConfigCommand({
    name: ref.name,
    clientRequestToken: token,
    logging: { clusterLogging: [{ types: missing, enabled: true }] },
  });
  const before = await keepBefore(aws, ref, { kind: 'cluster' });
  const { update } = await during(doing, async () => await (await aws.writing()).send(command, { abortSignal: currentSignal() }));
  if (update?.id === undefined) throw failureOf('Unavailable', `${doing}: EKS answered without an update id`);
  return { updateId: update.id, adopted: false, alreadyThere: false, ...defined({ before }) };
}

/** Waits for logs that somebody else was asked to switch on. */
export async function awaitLogging(aws: AwsClients, input: Parameters<EksActivities['awaitLogging']>[0]): Promise<{ timedOut: boolean }> {
  const { cluster: ref, timing, types } = input;
  const end = await waitUntil<true>(
    { timing, timeoutMs: timing.askTimeoutMs, doing: `waiting for the logs ${types.join(', ')} of ${ref.name}` },
    async () => {
      const enabled = enabledLogs(await describeCluster(aws, ref));
      const missing = types.filter((type) => !enabled.includes(type));
      return missing.length === 0 ? { done: true, value: true } : { done: false, note: `${missing.join(', ')} are off` };
    },
  );
  return { timedOut: end.kind === 'timed-out' };
}
