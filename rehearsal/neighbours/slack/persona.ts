/** A person who presses the buttons of gate messages, as people do: looks, thinks, presses, and presses again when nothing came of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type GateButton, gateButtons, parseButton } from './gate-buttons.ts';
import type { SlackStandIn } from './server.ts';
import { fieldsOf, listOf, textOf } from './block-kit/shape.ts';
import type { View } from './views.ts';

/** What a person who wants the upgrade to go on presses, the best first. */
const GOES_ON = ['approve', 'scale', 'retry', 'wait', 'accept-change', 'look-again'];
/** A replica more does not free every pod: whoever was asked at so many gates, and is asked again, deletes the pod, else leaves the node as it is. */
const SCALES_AT_MOST = 2;
/** Where a gate says that no replica more would free the pod, it is deleted at once. */
const NO_USE_SCALING = 'One more replica would not help';
/** Pressed only when `prefer` names them. */
const NEVER_UNASKED = ['reject', 'abort', 'leave', 'stop', 'roll-back', 'go-anyway', 'ask-force', 'force', 'overwrite'];
/** After the first press; doubled with each further one up to the second value. */
const PRESS_AGAIN_MS = 4000;
const PRESS_AGAIN_AT_MOST_MS = 30_000;
/** How often a person looks whether the app is there again, or a modal opened. */
const LOOK_MS = 200;

export interface PersonaOptions {
  slack: SlackStandIn;
  user: string;
  /** `ask`: real people press on the page; the persona only stands by. */
  mode: 'approve' | 'ask';
  /** Wall milliseconds between seeing a gate and pressing. */
  thinkMs: number;
  /** Choices, the best first, before the usual ones. Only here may reject and abort stand. */
  prefer?: string[];
  /** A choice for this gate, `ignore` to leave it open, undefined for the usual way. `offered`: the choices of its buttons; one that it has not is never pressed. */
  decide?: (gateId: string, workflowId: string, offered: readonly string[]) => string | undefined;
  /** Wall milliseconds after which a press without effect is repeated. */
  pressAgainMs?: number;
}

export interface Persona {
  close(): void;
}

interface SeenButton extends GateButton {
  messageTs: string;
}

type Gate = Pick<GateButton, 'gateId' | 'workflowId'>;

const keyOf = ({ gateId, workflowId }: Gate): string => `${workflowId} ${gateId}`;

/** A form that says which gate it is about is about no other. */
function isAbout(view: View, gate: Gate): boolean {
  const asked = parseButton(textOf(view['private_metadata']) ?? '');
  return asked === undefined || keyOf(asked) === keyOf(gate);
}

/** Buttons of gates that this person sees. */
function seenButtons(slack: SlackStandIn, user: string): SeenButton[] {
  return slack
    .messages()
    .filter((message) => (message.ephemeralTo ?? user) === user)
    .flatMap((message) => gateButtons(message).map((button) => ({ ...button, messageTs: message.ts })))
    .filter(({ actionId }) => actionId.startsWith('gate/'));
}

/** Starts to watch; ends with close(). */
export function startPersona(options: PersonaOptions): Persona {
  const { slack, user } = options;
  const stop = new AbortController();
  const busy = new Set<string>();
  /** Gates at which a replica more was chosen. */
  const scaled = new Set<string>();
  /** Workflows of which nodes were left as they are: validation names them, and its failure is no news. */
  const leftNodes = new Set<string>();

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);

  const buttonsOf = (gate: Gate, seen: readonly SeenButton[]): SeenButton[] => seen.filter((button) => keyOf(button) === keyOf(gate));

  const toldOf = (gate: Gate, seen: readonly SeenButton[]): string | undefined =>
    options.decide?.(
      gate.gateId,
      gate.workflowId,
      buttonsOf(gate, seen).map(({ choice }) => choice),
    );

  function wanted(gate: Gate): SeenButton | undefined {
    const buttons = buttonsOf(gate, seenButtons(slack, user));
    const told = toldOf(gate, buttons);
    if (told !== undefined) return buttons.find(({ choice }) => choice === told);
    for (const choice of [...(options.prefer ?? []), ...learnt(gate), ...GOES_ON]) {
      const found = buttons.find((button) => button.choice === choice);
      if (found !== undefined) return found;
    }
    return buttons.find(({ choice }) => !NEVER_UNASKED.includes(choice));
  }

  /** What earlier gates have taught. */
  function learnt(gate: Gate): string[] {
    if (leftNodes.has(gate.workflowId) && gate.gateId.startsWith('failed:validation')) return ['skip'];
    const isTried = scaled.size >= SCALES_AT_MOST && !scaled.has(keyOf(gate));
    return isTried || saysUseless(gate) ? ['delete-pod', 'skip-node'] : [];
  }

  function saysUseless(gate: Gate): boolean {
    return slack.messages().some((message) => {
      const buttons = gateButtons(message).filter((button) => keyOf(button) === keyOf(gate));
      const scales = buttons.some(({ choice }) => choice === 'scale');
      return buttons.length > 0 && !scales && JSON.stringify(message.blocks).includes(NO_USE_SCALING);
    });
  }

  /** Fills and sends the modal that a press opened. */
  async function answerModal(view: View, choice: string): Promise<void> {
    const inputs = view.blocks.filter((block) => block['type'] === 'input');
    const filled = inputs.map((block) => [textOf(block['block_id']) ?? '', answerTo(block, choice)]);
    const { closed } = await slack.submitView(user, view.id, Object.fromEntries(filled));
    if (!closed) await slack.closeView(user, view.id);
  }

  async function pressUntilGone(gate: Gate): Promise<void> {
    await pause(options.thinkMs);
    let againMs = options.pressAgainMs ?? PRESS_AGAIN_MS;
    for (let button = wanted(gate); button !== undefined && !stop.signal.aborted; button = wanted(gate)) {
      if (button.choice === 'scale') scaled.add(keyOf(gate));
      if (button.choice === 'skip-node') leftNodes.add(gate.workflowId);
      const outcome = await slack.click(user, button.messageTs, button.actionId);
      if (outcome === 'acked') {
        await untilGone(button, againMs);
        againMs = Math.min(againMs * 2, PRESS_AGAIN_AT_MOST_MS);
      } else {
        await pause(LOOK_MS);
        while (slack.connected() === 0 && !stop.signal.aborted) await pause(LOOK_MS);
      }
    }
  }

  /** Returns as soon as the gate has no button to press any more, at the latest after `ms`. */
  async function untilGone(button: SeenButton, ms: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < ms && wanted(button) !== undefined && !stop.signal.aborted; waitedMs += LOOK_MS) {
      const view = slack.openViews(user).findLast((open) => isAbout(open, button));
      if (view !== undefined) await answerModal(view, button.choice);
      await pause(LOOK_MS);
    }
  }

  function look(): void {
    if (options.mode === 'ask') return;
    const seen = seenButtons(slack, user);
    for (const gate of seen) {
      const key = keyOf(gate);
      if (busy.has(key) || toldOf(gate, seen) === 'ignore') continue;
      busy.add(key);
      void pressUntilGone(gate).finally(() => busy.delete(key));
    }
  }

  const unwatch = slack.onChange(look);
  look();
  return {
    close() {
      unwatch();
      stop.abort();
    },
  };
}

/** The first option of a menu, or a reason in words. */
function answerTo(block: Record<string, unknown>, choice: string): string {
  const option = listOf(fieldsOf(block['element'])['options'])[0];
  return textOf(option?.['value']) ?? `rehearsal: ${choice} by the persona`;
}
