/** What a rehearsal prints as it goes: one line per event, with the world's time. */
import pc from 'picocolors';
import type { Mutation } from '../world/journal.ts';

/** Only for terminals: what is kept in files stays plain. */
const colour = pc.createColors(process.stdout.isTTY && pc.isColorSupported);

const EVENTS_PER_LOOK = 4;
/** Wall time: short even where world time runs hundreds of times faster, so that the lines come in their order. */
const LOOK_MS = 100;

export interface ProgressOptions {
  write: (line: string) => void;
  /** World milliseconds since the start. */
  elapsedMs: () => number;
}

/** Mutations too frequent to be news. */
const QUIET = /^(post chat|chat\.|conversations\.|create (events|tokenreviews|selfsubjectaccessreviews)|StartInsightsRefresh)/;

export class Progress {
  readonly #options: ProgressOptions;
  #events: () => readonly { at: string; text: string }[] = () => [];
  #eventsSeen = 0;
  #startedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  line(text: string): void {
    this.#line(text, (plain) => plain);
  }

  /** A line that somebody has to act on. */
  call(text: string): void {
    this.#line(text, colour.bold);
  }

  #line(text: string, paint: (text: string) => string): void {
    // What the world did before comes before.
    this.#tellEvents();
    this.#write(this.#options.elapsedMs(), text, paint);
  }

  #write(elapsedMs: number, text: string, paint: (text: string) => string = colour.dim): void {
    this.#options.write(paint(`[${clock(elapsedMs)}] ${text.replace(/\s*\n\s*/g, ' ').slice(0, 240)}`));
  }

  mutation({ api, operation, resource, accepted, error }: Mutation): void {
    if (api === 'slack' || QUIET.test(operation)) return;
    this.#line(
      `  ${api.padEnd(11)}${operation} ${resource}${accepted ? '' : `, refused: ${error ?? 'no reason given'}`}`,
      accepted ? colour.dim : colour.yellow,
    );
  }

  /** Tells the world's own story in short, from now on, each line with its own time. `startedAtMs`: the world's date at its start. */
  follow(events: () => readonly { at: string; text: string }[], startedAtMs: number): void {
    this.#events = events;
    this.#startedAtMs = startedAtMs;
    this.#eventsSeen = events().length;
    this.#timer = setInterval(() => this.#tellEvents(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#tellEvents();
  }

  #tellEvents(): void {
    const fresh = this.#events().slice(this.#eventsSeen);
    this.#eventsSeen += fresh.length;
    const sinceStartMs = (at: string): number => Math.max(0, Date.parse(at) - this.#startedAtMs);
    for (const { at, text } of fresh.slice(0, EVENTS_PER_LOOK)) this.#write(sinceStartMs(at), `  world      ${text}`);
    const last = fresh.at(-1);
    if (last !== undefined && fresh.length > EVENTS_PER_LOOK)
      this.#write(sinceStartMs(last.at), `  world      … and ${fresh.length - EVENTS_PER_LOOK} more`);
  }
}

/** 01:23:45 */
function clock(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
