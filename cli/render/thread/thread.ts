/** A run's thread, message by message, as it came about: what is edited in place in Slack is shown again where it says something new. */
import { render } from '../../../slack/blocks/render.ts';
import type { Rendered } from '../../../slack/blocks/kit/elements.ts';
import type { MessageNotification, Notification } from '../../../domain/run/notifications.ts';
import type { ToldMessage } from '../../../client/reading/thread-log.ts';
import { field, isRecord } from '../../../domain/core/unknown.ts';
import pc from 'picocolors';
import { curvesInThread, fileInThread, notShown } from '../../messages/threads.ts';
import { plain } from '../../shared/controls.ts';
import { localMinute } from '../../shared/local-time.ts';
import { blockLines, fromMrkdwn } from './mrkdwn.ts';

/** How things are: the first line of each says what has changed, and "belay status" shows the rest. */
const STATES: readonly string[] = ['board', 'pace', 'campaign', 'ring', 'check', 'forecast'];

export class ThreadText {
  readonly #cluster: string;
  readonly #reader: { names: Map<string, string>; timeZone?: string };
  /** By key: the lines that were shown, of a state all of them, else those of its newest version. */
  readonly #shown = new Map<string, Set<string>>();

  /** `timeZone`: default that of the machine. */
  constructor(of: { cluster: string; timeZone?: string }) {
    this.#cluster = of.cluster;
    this.#reader = { names: new Map(), ...(of.timeZone === undefined ? {} : { timeZone: of.timeZone }) };
  }

  /** undefined: nothing that was not shown before. */
  lines(told: ToldMessage): string | undefined {
    addNames(told.notification, this.#reader.names);
    const [first, ...others] = this.#fresh(told);
    if (first === undefined) return undefined;
    const at = localMinute(Date.parse(told.at), this.#reader.timeZone);
    const indent = ' '.repeat(at.length + 2);
    return [`${pc.dim(at)}  ${first}`, ...others.map((line) => (line === '' ? '' : indent + line))].join('\n');
  }

  #fresh(told: ToldMessage): string[] {
    const { key, notification } = told;
    const all = this.#all(told);
    const shown = this.#shown.get(key);
    // How things are changes all the time, back and forth; at a gate a line that is there again is news: a vote was withdrawn.
    this.#shown.set(key, new Set(STATES.includes(notification.kind) ? [...(shown ?? []), ...all] : all));
    if (shown === undefined) return all;
    const [title, ...fresh] = [all[0] ?? '', ...all.filter((line) => !shown.has(line) && line !== all[0])];
    if (fresh.length > 0 || !shown.has(title)) return [title, ...fresh];
    // A reminder says the same once more, and that is the point.
    return field(notification, 'reminder') === true ? [title] : [];
  }

  #all(told: ToldMessage): string[] {
    try {
      return this.#render(told, told.notification as Notification);
    } catch {
      return [notShown(plain(told.notification.kind), plain(told.key))];
    }
  }

  #render({ at, runId, key }: ToldMessage, notification: Notification): string[] {
    if (notification.kind === 'file') return [fileInThread(plain(notification.title), plain(notification.fileName))];
    if (notification.kind === 'curves') return [curvesInThread(plain(notification.gate))];
    const rendered = rendering(notification, { key, runId, nowMs: Date.parse(at) });
    if (STATES.includes(notification.kind)) return [fromMrkdwn(rendered.text.split('\n')[0] ?? '', this.#reader)];
    return [...blockLines(rendered.blocks, this.#reader), ...this.#choices(notification)];
  }

  #choices(notification: MessageNotification): string[] {
    if (notification.kind !== 'gate' || notification.state.kind !== 'open') return [];
    const { id, choices } = notification.state.gate;
    return choices.map((choice) => plain(`belay decide ${this.#cluster} '${id}' ${choice.id}`));
  }
}

/** As JSON, one message a line. A terminal obeys control characters that JSON leaves as they are (C1). */
export function threadJson(told: ToldMessage): string {
  // oxlint-disable-next-line no-control-regex -- escaping them is the point
  return JSON.stringify(told).replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function rendering(notification: MessageNotification, of: { key: string; runId: string; nowMs: number }): Rendered {
  const { key, runId, nowMs } = of;
  // Ids are for buttons, which are not shown.
  const shown = render({ upgrade: { workflowId: '', runId }, channel: '', key, notification }, { nowMs });
  // Of a kind that a newer Belay has written nothing is made.
  if (shown === undefined) throw new TypeError(notification.kind);
  return shown;
}

/** Whatever names somebody of Slack with an id. */
function addNames(value: unknown, names: Map<string, string>): void {
  if (Array.isArray(value)) for (const each of value) addNames(each, names);
  if (!isRecord(value)) return;
  const { kind, id, name } = value;
  if (kind === 'slack' && typeof id === 'string' && typeof name === 'string') names.set(id, name);
  for (const each of Object.values(value)) addNames(each, names);
}
