/** Sees gates as people see them: messages with buttons, and who pressed which. Also those that belong to a phase and are in no record. */
import type { RehearsalReport } from './report.ts';
import { gateButtons, parseButton } from '../neighbours/slack/gate-buttons.ts';
import type { SlackStandIn } from '../neighbours/slack/server.ts';

/** Times are wall time. */
export interface SeenGate {
  id: string;
  openedMs: number;
  pressed?: { choice: string; by: string; atMs: number };
}

export class GateObserver {
  readonly #gates = new Map<string, SeenGate>();

  /** `mine`: of which runs and steps, by their workflows' ids. Returns the removal. */
  watch(slack: Pick<SlackStandIn, 'onMessage' | 'onClick'>, mine: (workflowId: string) => boolean = () => true): () => void {
    const removals = [
      slack.onMessage((message) => {
        for (const { gateId, workflowId } of gateButtons(message)) {
          if (mine(workflowId) && !this.#gates.has(gateId)) this.#gates.set(gateId, { id: gateId, openedMs: Date.now() });
        }
      }),
      slack.onClick(({ user, value }) => {
        const press = parseButton(value);
        const gate = press === undefined || !mine(press.workflowId) ? undefined : this.#gates.get(press.gateId);
        if (press !== undefined && gate !== undefined) gate.pressed = { choice: press.choice, by: user, atMs: Date.now() };
      }),
    ];
    return () => {
      for (const remove of removals) remove();
    };
  }

  /** In the order of their opening. */
  get seen(): readonly Readonly<SeenGate>[] {
    return [...this.#gates.values()];
  }

  /** The record's gates, and those that were only seen, in the order of their opening. */
  complete(recorded: RehearsalReport['gates']): RehearsalReport['gates'] {
    const byId = new Map(recorded.map((gate) => [gate.id, gate]));
    const seen = [...this.#gates.values()].map(
      ({ id, openedMs, pressed }) =>
        byId.get(id) ?? {
          id,
          choice: pressed?.choice ?? 'none',
          by: pressed?.by,
          waitedMs: (pressed?.atMs ?? Date.now()) - openedMs,
        },
    );
    return [...seen, ...recorded.filter(({ id }) => !this.#gates.has(id))];
  }
}
