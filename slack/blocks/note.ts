/** One line in the thread, and what is asked of somebody else. */
import type { Due, Notification } from '../../domain/run/notifications.ts';
import { context, message, type Rendered, sections } from './kit/elements.ts';
import { code, markdownLines, mrkdwn, person } from './kit/text.ts';
import type { Ask } from '../../domain/run/record/change-requests.ts';
import { when } from './kit/time.ts';
import { changeDue, changeLasts, changeWanted } from '../messages/run.ts';

const ICONS = { info: 'ℹ', warning: '⚠', alarm: '🚨' } as const;

export function noteBlocks(note: Extract<Notification, { kind: 'note' }>): Rendered {
  const to = note.mention === undefined ? '' : `${person(note.mention)} `;
  const text = `${ICONS[note.level]} ${to}${markdownLines(note.text, 2_000)}`;
  return message(text, [...sections([text]), ...context([note.ask === undefined ? '' : askLine(note.ask), dueLine(note.due)])]);
}

function dueLine(due: Due | undefined): string {
  if (due === undefined) return '';
  return due.until === undefined ? changeLasts(person(due.of)) : changeDue(person(due.of), when(due.until));
}

function askLine({ component, name, version, managedBy }: Ask): string {
  return changeWanted({
    component: mrkdwn(component, 40),
    name: code(name, 120),
    version: code(version, 60),
    managedBy: mrkdwn(managedBy, 40),
  });
}
