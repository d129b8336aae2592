/** What events say to people: one line each, for a mail's subject and for receivers that show a text. */
import type { RunEvent } from '../../domain/run/events/event.ts';

/** One line without control characters: nothing in it can begin another header or line. */
export const oneLine = (text: string, limit = 200): string => {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

export function summaryOf(event: RunEvent): string {
  return oneLine(`${event.data.cluster.name}: ${said(event)}`);
}

function said({ type, data }: RunEvent): string {
  const { run, gate, step, report, note, change } = data;
  const way = run.to === undefined ? 'upgrade' : `${run.from === undefined ? '' : `${run.from} `}→ ${run.to}`;
  switch (type) {
    case 'upgrade.started':
      return `${way} started, requested by ${run.requestedBy?.name ?? run.requestedBy?.id ?? 'nobody known'}`;
    case 'upgrade.paused':
      return `${way} is paused`;
    case 'upgrade.resumed':
      return `${way} continues`;
    case 'upgrade.finished':
      return `${way} ${report?.outcome ?? 'ended'}: ${report?.headline ?? ''}`;
    case 'gate.opened':
      return gate?.byItself === true ? `continues by itself: ${gate.title}` : `decision needed: ${gate?.title ?? ''}`;
    case 'gate.reminder':
      return `still waiting for a decision: ${gate?.title ?? ''}`;
    case 'gate.extended':
      return `more time for a decision: ${gate?.title ?? ''}`;
    case 'gate.decided':
      return `${gate?.decision?.label ?? 'decided'} by ${gate?.decision?.by.name ?? gate?.decision?.by.id ?? 'nobody known'}: ${gate?.title ?? ''}`;
    case 'gate.expired':
      return `nobody decided in time: ${gate?.title ?? ''}`;
    case 'gate.withdrawn':
      return `no decision needed any more: ${gate?.title ?? ''}`;
    case 'change.requested':
      return `change requested: ${change?.name ?? ''} to ${change?.version ?? ''} (${change?.managedBy ?? ''})`;
    case 'note.info':
    case 'note.warning':
    case 'note.alarm':
      return note?.text ?? '';
    default:
      return `${step?.title ?? step?.id ?? 'step'}: ${type.slice('step.'.length)}`;
  }
}
