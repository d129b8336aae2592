/** Who polls a task queue, by Temporal's word and Temporal's clock. */
import proto from '@temporalio/proto';
import type { ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { networkQueue, TASK_QUEUE } from '../../workflows/contract/ids.ts';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
/** A poll waits for a minute: whoever was not seen for longer than this is gone, while servers list it for minutes more. */
export const ALIVE_S = 90;

export interface Queue {
  name: string;
  type: 'workflow' | 'activity';
}

export const WORKFLOWS_QUEUE: Queue = { name: TASK_QUEUE, type: 'workflow' };
export const queueOfNetwork = (network: string): Queue => ({ name: networkQueue(network), type: 'activity' });

interface Poller {
  identity: string;
  /** Seconds since 1970, by the server's clock. */
  atS: number;
}

/** The dead of the last minutes included. Throws what the server answers. */
export async function pollersOf({ workflowService }: ServiceConnection, namespace: string, { name, type }: Queue): Promise<Poller[]> {
  const taskQueueType = type === 'workflow' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY;
  const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType });
  return (pollers ?? []).map(({ identity, lastAccessTime: at }) => ({
    identity: identity ?? '?',
    atS: at == null ? 0 : Number(String(at.seconds ?? 0)) + (at.nanos ?? 0) / 1e9,
  }));
}

export interface NetworkPolls {
  /** Those that live. */
  identities: string[];
  /** The newest poll, by the server's clock; absent: none that Temporal remembers. */
  polledAtS?: number;
}

/** Lives whoever has polled about as lately as the workers of the workflows' queue have, which this process may be one of. `nowMs`: where nobody polls that. */
export async function networkPolls(
  connection: ServiceConnection,
  namespace: string,
  network: string,
  nowMs = Date.now,
): Promise<NetworkPolls> {
  const [central, pollers] = await Promise.all([
    pollersOf(connection, namespace, WORKFLOWS_QUEUE),
    pollersOf(connection, namespace, queueOfNetwork(network)),
  ]);
  const latestS = Math.max(...(central.length === 0 ? [nowMs() / 1000] : central.map(({ atS }) => atS)));
  const polledAtS = Math.max(...pollers.map(({ atS }) => atS));
  return {
    identities: pollers.filter(({ atS }) => latestS - atS <= ALIVE_S).map(({ identity }) => identity),
    ...(pollers.length === 0 ? {} : { polledAtS }),
  };
}
