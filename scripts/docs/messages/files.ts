/** Which files have the constructors of messages, and which of them docs/messages.md leaves out. */
import { filesOf } from '../../lint/imports.ts';
import { HOUSE } from '../../lint/rooms.ts';
import type { Chapter } from './chapter.ts';

/** Files of constructors outside of a room `messages`. */
const OUTSIDE = ['client/calls/messages.ts', 'client/calls/questions.ts'];
/** What constructors return, not what they say. */
const NO_MESSAGES = ['workflows/messages/note.ts'];

/** Paths from `root`, of every wing. */
export function filesWithoutChapter(root: string, chapters: readonly Pick<Chapter, 'path'>[]): string[] {
  const shown = chapters.map(({ path }) => path);
  return Object.keys(HOUSE)
    .flatMap((wing) => filesOf(root, wing))
    .filter((file) => file.split('/')[1] === 'messages' || OUTSIDE.includes(file))
    .filter((file) => !NO_MESSAGES.includes(file) && !shown.includes(file));
}
