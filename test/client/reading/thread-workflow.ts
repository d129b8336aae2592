/** A run that publishes what a test gives it, in this order, and waits for a signal before its end; another one says of which run something is. */
import { condition, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { PublishManyInput } from '../../../domain/run/notifications.ts';

const { publish } = proxyActivities<BelayActivities>({ startToCloseTimeout: '10s' });

export interface ThreadInput {
  messages: PublishManyInput['messages'][];
  /** Default: the run's own. */
  ofRun?: string;
  waits?: boolean;
}

/** Said at the end, of that run. */
interface Later {
  messages: PublishManyInput['messages'];
  ofRun: string;
}

export async function upgradeCluster({ messages, ofRun, waits }: ThreadInput): Promise<void> {
  let isOver = waits !== true;
  setHandler(defineSignal('end'), () => void (isOver = true));
  const later: Later[] = [];
  setHandler(defineSignal<[Later]>('say'), (said) => void later.push(said));
  const { workflowId, runId } = workflowInfo();
  const upgrade = { workflowId, runId: ofRun ?? runId };
  for (const each of messages) await publish({ upgrade, channel: 'C012AB3CD', messages: each });
  await condition(() => isOver);
  for (const said of later) await publish({ upgrade: { workflowId, runId: said.ofRun }, channel: 'C012AB3CD', messages: said.messages });
  if (waits === true) await publish({ upgrade, channel: 'C012AB3CD', messages: [{ key: 'note/end', notification: note('It is over.') }] });
}

export const tellLater = (input: ThreadInput): Promise<void> => upgradeCluster(input);

const note = (text: string): PublishManyInput['messages'][number]['notification'] => ({ kind: 'note', level: 'info', text });
