/** `/eks-upgrade status`. */
import type { SlackDeps } from '../interaction/deps.ts';
import { type Listener, tell } from '../interaction/reply.ts';
import { boardBlocks } from '../blocks/board.ts';
import { context, message, type Rendered, sections } from '../blocks/kit/elements.ts';
import { mrkdwn } from '../blocks/kit/text.ts';
import { when } from '../blocks/kit/time.ts';
import type { StatusAnswer, VisibilityStatus } from '../../client/upgrades-client.ts';

export async function runStatus(deps: SlackDeps, cluster: string, listener: Listener): Promise<void> {
  await tell(listener, statusBlocks(await deps.upgrades.status(cluster), Date.now()));
}

/** Like the board, without its buttons: they belong on the board. */
export function statusBlocks(answer: StatusAnswer, nowMs: number): Rendered {
  if (answer.source === 'visibility') {
    const line = visibilityLine(answer.status);
    return message(line, [...sections([line]), ...context([mrkdwn(answer.why, 500)])]);
  }
  const { text, blocks } = boardBlocks({ status: answer.status }, nowMs);
  return { text, blocks: blocks.filter((block) => block.type !== 'actions') };
}

/** What Temporal knows of a run. */
export function visibilityLine({
  cluster,
  target,
  phase,
  waitingFor,
  requestedBy,
  execution,
  startedAt,
  endedAt,
}: VisibilityStatus): string {
  const parts = [
    `*${mrkdwn(cluster, 100)}*${target === undefined ? '' : ` → ${mrkdwn(target, 20)}`}: ${mrkdwn(execution.toLowerCase(), 30)}`,
    phase === undefined ? '' : `at ${mrkdwn(phase, 100)}`,
    waitingFor === undefined ? '' : `waiting for ${mrkdwn(waitingFor, 150)}`,
    requestedBy === undefined ? '' : `requested by ${mrkdwn(requestedBy, 80)}`,
    `since ${when(startedAt)}`,
    endedAt === undefined ? '' : `ended ${when(endedAt)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
