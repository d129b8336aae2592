/** Who hears of a run, a campaign or proposals beside Slack: each delivery with a queue of its own. Nothing waits for any of them. */
import { workflowInfo } from '@temporalio/workflow';
import { defined } from '../../domain/core/defined.ts';
import type { EventType } from '../../domain/policy/deliveries.ts';
import { EventStory } from '../../domain/run/events/event-story.ts';
import type { DeliverInput, EventData, RunEvent } from '../../domain/run/events/event.ts';
import { isInSlack, type UpgradePolicy } from '../../domain/policy/policy.ts';
import { temporalUrl } from '../../domain/run/temporal-url.ts';
import type { Pending } from './announcer.ts';
import { deliverEventsLater } from './deliver-later.ts';
import { EventQueue } from './event-queue.ts';

/** What of all that is told is an event. */
type Story = (pending: Pending, nowIso: string) => RunEvent[];

/** undefined: no Temporal UI is known. */
export const temporalUrlOf = (
  { temporalUi }: Pick<UpgradePolicy, 'temporalUi'>,
  { workflowId, runId }: DeliverInput['upgrade'],
): string | undefined => (temporalUi === undefined ? undefined : temporalUrl(temporalUi, workflowInfo().namespace, workflowId, runId));

/** What a story says beside its events: where to look, who is who, and whether Slack takes decisions. */
export function wordsOf(policy: UpgradePolicy, upgrade: DeliverInput['upgrade']) {
  const { people, channel } = policy;
  return { ...defined({ temporalUrl: temporalUrlOf(policy, upgrade), people }), inSlack: isInSlack(channel) };
}

export class Elsewhere {
  readonly #story: Story;
  readonly #queues: readonly EventQueue[];

  private constructor(story: Story, queues: readonly EventQueue[]) {
    this.#story = story;
    this.#queues = queues;
  }

  /**
   * undefined: nobody else is told, as by every run that began without `deliveries` in its policy: its history has nothing of all this. `run`: what is
   * known of it where no board is told. `linked`: the workflow that Temporal UI is to show, by default the run.
   */
  static of(
    policy: UpgradePolicy,
    upgrade: DeliverInput['upgrade'],
    { run, linked = upgrade }: { run?: EventData['run']; linked?: DeliverInput['upgrade'] } = {},
  ): Elsewhere | undefined {
    const { cluster, environment } = policy;
    const story = new EventStory({ upgrade, cluster, environment, ...defined({ run }), ...wordsOf(policy, linked) });
    return Elsewhere.telling(policy, upgrade, (pending, nowIso) => story.hear(pending, nowIso));
  }

  /** undefined: nobody is told. */
  static telling(
    { deliveries = [] }: Pick<UpgradePolicy, 'deliveries'>,
    of: DeliverInput['upgrade'],
    story: Story = () => [],
  ): Elsewhere | undefined {
    if (deliveries.length === 0) return undefined;
    return new Elsewhere(
      story,
      deliveries.map((terms) => new EventQueue(terms, of)),
    );
  }

  /** Is anybody told of such an event? */
  static hears({ deliveries = [] }: UpgradePolicy, type: EventType): boolean {
    return deliveries.some(({ events }) => events.includes(type));
  }

  /** Told by somebody else: what of it is told again is no news. */
  heard(pending: Pending): void {
    this.#story(pending, new Date().toISOString());
  }

  put(pending: Pending): void {
    this.tell(this.#story(pending, new Date().toISOString()));
  }

  tell(events: readonly RunEvent[]): void {
    for (const event of events) for (const queue of this.#queues) queue.put(event);
  }

  /** Waits for all at once; `part` as deliverEventsLater. What is left is delivered later, by a workflow of its own. */
  async close(limitMs: number, part?: string): Promise<void> {
    const left = await Promise.all(this.#queues.map((queue) => queue.close(limitMs)));
    await deliverEventsLater(
      left.filter((input) => input !== undefined),
      part,
    );
  }
}
