/** What runs have left behind on a cluster: before it is put back, with the button that does it, and after. */
import { RECONCILED_WORDS, type ReconcileReport } from '../../domain/run/leftovers.ts';
import { actions, button, context, message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn, person } from './kit/text.ts';
import type { ReconcileValue } from './kit/button-values.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { MERGED_WORDS } from '../../domain/run/record/merge-finding.ts';
import { changesInCode, leftBehindOn, nothingLeft, restoredBy, restoreMeans, restoreOffered, restoreTitle } from '../messages/cluster.ts';

const MAX_SECTIONS = 10;

/** Only shown. */
export function leftBehindBlocks(cluster: string, report: ReconcileReport): Rendered {
  const title = titleOf(cluster, report);
  return message(title, sections([title, ...linesOf(report)], MAX_SECTIONS));
}

/** To be put back by whoever may approve. */
export function offeredBlocks(value: ReconcileValue, report: ReconcileReport, by: Actor): Rendered {
  const { text, blocks } = leftBehindBlocks(value.cluster, report);
  const note = restoreOffered(person(by));
  return message(text, [...blocks, ...context([note]), ...buttons(value)]);
}

/** The message that offered it, once somebody has. */
export function takenBlocks(offered: Rendered, by: Actor): Rendered {
  const kept = offered.blocks.filter(({ type }) => type !== 'actions' && type !== 'context');
  return message(offered.text, [...kept, ...context([restoredBy(person(by))])]);
}

/** Whether a press would change anything. */
export function isOffered({ items }: ReconcileReport): boolean {
  return items.some(({ outcome }) => outcome === 'to-restore');
}

function titleOf(cluster: string, { items, unseen }: ReconcileReport): string {
  const name = mrkdwn(cluster, 100);
  return items.length + unseen.length === 0 ? nothingLeft(name) : leftBehindOn(name);
}

function linesOf({ items, unseen, merges = [] }: ReconcileReport): string[] {
  const because = (why: string | undefined): string => (why === undefined ? '' : ` (${mrkdwn(why, 300)})`);
  return [
    ...items.map(({ what, outcome, why }) => `• ${RECONCILED_WORDS[outcome]}: ${mrkdwn(what, 300)}${because(why)}`),
    ...unseen.map(({ what, why }) => `• UNKNOWN: ${mrkdwn(what, 300)} cannot be seen${because(why)}`),
    ...(merges.length === 0 ? [] : ['', changesInCode()]),
    ...merges.map(({ object, state, why }) => `• ${MERGED_WORDS[state]}: ${mrkdwn(object, 300)}${because(why)}`),
  ];
}

function buttons(value: ReconcileValue): ReturnType<typeof actions> {
  const made = button({
    actionId: 'reconcile/apply',
    label: 'Restore',
    value,
    style: value.roll === true ? 'danger' : 'primary',
    confirm: { title: restoreTitle(), text: restoreMeans(value.roll === true) },
  });
  return actions(made === undefined ? [] : [made]);
}
