/** How the clock of a cluster's way back tells people: in the thread of the run that has moved the control plane, and to who hears of it elsewhere. */
import { workflowInfo } from '@temporalio/workflow';
import { defined } from '../../domain/core/defined.ts';
import { isInSlack } from '../../domain/policy/policy.ts';
import { linksOf } from '../../domain/run/events/data.ts';
import { rollbackEvent, type RollbackNews } from '../../domain/run/events/rollback-events.ts';
import type { RollbackWindowInput } from '../contract/messages.ts';
import type { Note } from '../messages/note.ts';
import { Announcer } from '../reporting/announcer.ts';
import { Elsewhere, temporalUrlOf } from '../reporting/elsewhere.ts';
import { Publisher } from '../reporting/publisher.ts';

/** How long the clock waits for Slack and others before it hands its words over: the next reminder has its own. */
const LAST_WORDS_MS = 10_000;

export type WindowNews = Omit<RollbackNews, 'text'>;

/** Each message has an end of its own: what is left of one may still be under way when the next is told. */
export async function tellOfWindow(input: RollbackWindowInput, note: Note, news: WindowNews): Promise<void> {
  const part = `${input.at}/${news.what}${news.left === undefined ? '' : `/${news.left.replaceAll(' ', '-')}`}`;
  await Promise.all([tellThread(input, note, news, part), tellElsewhere(input, note, news, part)]);
}

async function tellThread(
  { upgrade, policy, at }: RollbackWindowInput,
  note: Note,
  { what, left }: WindowNews,
  part: string,
): Promise<void> {
  const { channel, timing, windows } = policy;
  if (channel === undefined) return;
  const publisher = new Publisher({ upgrade, channel, boardEditMs: timing.boardEditMs, quietHours: windows?.quietHours });
  publisher.start();
  const announcer = new Announcer({
    notePrefix: `rollback-window@${at}/${(left ?? what).replaceAll(' ', '-')}`,
    deliver: (pending) => publisher.put(pending),
  });
  announcer.note(note);
  await publisher.close(LAST_WORDS_MS, part);
}

async function tellElsewhere(input: RollbackWindowInput, { text }: Note, news: WindowNews, part: string): Promise<void> {
  const { upgrade, policy, cluster, run, at } = input;
  const elsewhere = Elsewhere.telling(policy, upgrade);
  if (elsewhere === undefined) return;
  const { name, account, region } = cluster;
  const about = {
    cluster: { name, account, region, environment: policy.environment ?? name },
    run: run ?? { ...upgrade },
    ...linksOf(temporalUrlOf(policy, workflowInfo())),
  };
  elsewhere.tell([rollbackEvent(at, { ...news, text }, { about, nowIso: new Date().toISOString() })]);
  await elsewhere.close(LAST_WORDS_MS, part);
}

/** How many days are left, and what can be done until when. */
export const windowNews = (
  what: 'opened' | 'closing' | 'closed',
  { backTo, closesAt }: { backTo: string; closesAt: string },
  left?: string,
): WindowNews => ({ what, backTo, until: closesAt, ...defined({ left }) });

/** Slash commands are Slack's. */
export const slashOf = ({ policy }: RollbackWindowInput): boolean => isInSlack(policy.channel);
