/** What a workflow says to people, each notification under its key. Where it goes is the caller's to say: to the run, or to a publisher. */
import type { Notification } from '../../domain/run/notifications.ts';
import type { Note } from '../messages/note.ts';
import { defined } from '../../domain/core/defined.ts';

/** A notification on its way; a newer one under the same key takes its place. */
export interface Pending {
  key: string;
  notification: Notification;
}

export class Announcer {
  readonly #notePrefix: string;
  readonly #deliver: ((pending: Pending) => void) | undefined;
  #noteCount = 0;

  /** `notePrefix` keeps the keys of notes apart between workflows of one run, e.g. the step's id and round. `deliver` undefined: nobody is told. */
  constructor({ notePrefix, deliver }: { notePrefix: string; deliver: ((pending: Pending) => void) | undefined }) {
    this.#notePrefix = notePrefix;
    this.#deliver = deliver;
  }

  say(key: string, notification: Notification): void {
    this.#deliver?.({ key, notification });
  }

  note({ text, level = 'info', ask, broadcast, mention, due }: Note): void {
    this.#noteCount += 1;
    this.say(`note/${this.#notePrefix}/${this.#noteCount}`, {
      kind: 'note',
      level,
      text,
      ask,
      broadcast,
      ...defined({ mention, due }),
    });
  }
}
