/** Sees gates as people see them: messages with buttons, and who pressed which. Also those that belong to a phase and are in no record. */
import type { RehearsalReport } from './report.ts';
import type { Message } from './slack/messages.ts';
import type { SlackStandIn } from './slack/server.ts';

interface SeenGate {
  id: string;
  openedMs: number;
  pressed?: { choice: string; by: string; atMs: number };
}

export class GateObserver {
  readonly #gates = new Map<string, SeenGate>();

  /** Returns the removal. */
  watch(slack: Pick<SlackStandIn, 'onMessage' | 'onClick'>): () => void {
    const removals = [
      slack.onMessage((message) => {
        for (const { gateId } of buttonsOf(message)) {
          if (!this.#gates.has(gateId)) this.#gates.set(gateId, { id: gateId, openedMs: Date.now() });
        }
      }),
      slack.onClick(({ user, value }) => {
        const press = parseButton(value);
        const gate = press === undefined ? undefined : this.#gates.get(press.gateId);
        if (press !== undefined && gate !== undefined) gate.pressed = { choice: press.choice, by: user, atMs: Date.now() };
      }),
    ];
    return () => {
      for (const remove of removals) remove();
    };
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

/** Has the message a gate's buttons? */
export function asksPeople(message: Pick<Message, 'blocks'>): boolean {
  return buttonsOf(message).length > 0;
}

/** Gate and choice of a button's value; undefined for other buttons. */
export function parseButton(value: string): { gateId: string; choice: string } | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null || !('gateId' in parsed) || typeof parsed.gateId !== 'string') return undefined;
    return { gateId: parsed.gateId, choice: 'choice' in parsed && typeof parsed.choice === 'string' ? parsed.choice : '' };
  } catch {
    return undefined;
  }
}

function buttonsOf({ blocks }: Pick<Message, 'blocks'>): { gateId: string; choice: string }[] {
  return blocks.flatMap((block) => {
    const { elements } = block;
    if (!Array.isArray(elements)) return [];
    return elements.flatMap((element: unknown) => {
      const value: unknown = typeof element === 'object' && element !== null ? Reflect.get(element, 'value') : undefined;
      const button = typeof value === 'string' ? parseButton(value) : undefined;
      return button === undefined ? [] : [button];
    });
  });
}
