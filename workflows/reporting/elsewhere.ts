/** Who hears of a run beside Slack: each delivery with a queue of its own. Nothing in the run waits for any of them. */
import { workflowInfo } from '@temporalio/workflow';
import { EventStory } from '../../domain/run/events/event-story.ts';
import type { DeliverInput } from '../../domain/run/events/event.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { temporalUrl } from '../../domain/run/temporal-url.ts';
import type { Pending } from './announcer.ts';
import { deliverEventsLater } from './deliver-later.ts';
import { EventQueue } from './event-queue.ts';

export class Elsewhere {
  readonly #story: EventStory;
  readonly #queues: readonly EventQueue[];

  private constructor(story: EventStory, queues: readonly EventQueue[]) {
    this.#story = story;
    this.#queues = queues;
  }

  /** undefined: nobody else is told, as by every run that began without `deliveries` in its policy: its history has nothing of all this. */
  static of(policy: UpgradePolicy, upgrade: DeliverInput['upgrade']): Elsewhere | undefined {
    const { deliveries = [], cluster, environment, temporalUi } = policy;
    if (deliveries.length === 0) return undefined;
    const url = temporalUi === undefined ? undefined : temporalUrl(temporalUi, workflowInfo().namespace, upgrade.workflowId, upgrade.runId);
    const story = new EventStory({ upgrade, cluster, environment, ...(url === undefined ? {} : { temporalUrl: url }) });
    return new Elsewhere(
      story,
      deliveries.map((terms) => new EventQueue(terms, upgrade)),
    );
  }

  put({ key, notification }: Pending): void {
    for (const event of this.#story.hear({ key, notification }, new Date().toISOString()))
      for (const queue of this.#queues) queue.put(event);
  }

  /** Waits for all at once; what is left is delivered later, by a workflow of its own. */
  async close(limitMs: number): Promise<void> {
    const left = await Promise.all(this.#queues.map((queue) => queue.close(limitMs)));
    await deliverEventsLater(left.filter((input) => input !== undefined));
  }
}
