/** `/eks-upgrade report`: the change record of the last run, as `belay report` has it, in the run's thread. */
import type { MessageRef } from '../../domain/run/notifications.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { attach, runFileName } from '../delivery/attachments.ts';
import { boardTitle } from '../blocks/board.ts';
import { OUTCOMES, reportBlocks } from '../blocks/report.ts';
import { link, mrkdwn } from '../blocks/kit/text.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { findBoard } from '../delivery/threads.ts';
import { noRecord, recordInChannel, recordInThread, recordNotAttached, recordTitle, timelineTitle } from '../messages/answers.ts';

/** Throws the Web API's errors. */
export async function postRecord(deps: SlackDeps, cluster: string, listener: Listener): Promise<void> {
  const [report] = await deps.clusters.recordsOf(cluster);
  if (report === undefined) return await tell(listener, says(noRecord(cluster)));
  const { status } = report;
  const { workflowId, runId, startedAt: notBefore } = status;
  // The thread has the short record already; without one the channel is told.
  const board = await findBoard(deps.web, listener.channel, { workflowId, runId, notBefore });
  const thread = board ?? (await post(deps, listener.channel, reportBlocks(report)));
  const attached = await attachRecord(deps, cluster, report, thread);
  const missing = attached ? '' : ` ${recordNotAttached()}`;
  if (board === undefined) return await tell(listener, says(`${recordInChannel()}${missing}`));
  const found = await deps.web.chat.getPermalink({ channel: board.channel, message_ts: board.ts }).catch(() => undefined);
  const where = found?.permalink === undefined ? 'its thread' : link(found.permalink, 'its thread');
  await tell(listener, marked(`${recordInThread(`${OUTCOMES[report.outcome]}: ${mrkdwn(boardTitle(status), 300)}`, where)}${missing}`));
}

async function post(deps: SlackDeps, channel: string, content: ReturnType<typeof reportBlocks>): Promise<MessageRef> {
  const posted = await deps.web.chat.postMessage({ channel, unfurl_links: false, unfurl_media: false, ...content });
  return { channel: posted.channel ?? channel, ts: posted.ts ?? '' };
}

/** Each file is there once, however often somebody asks. false: they are not, and the log says why. */
async function attachRecord(
  { clusters, web, log }: SlackDeps,
  cluster: string,
  report: UpgradeReport,
  thread: MessageRef,
): Promise<boolean> {
  const { status } = report;
  try {
    const { html, picture } = await clusters.changeRecordOf(cluster);
    const title = recordTitle(status.cluster.name, status.from ?? '?', status.to);
    await attach(web, { thread, fileName: runFileName(status, 'html'), title, content: html });
    const how = timelineTitle(status.cluster.name, status.to);
    if (picture !== undefined) await attach(web, { thread, fileName: runFileName(status, 'png'), title: how, content: picture });
    return true;
  } catch (error) {
    log.warn(`attaching the record of ${cluster}: ${messageOf(error)}`);
    return false;
  }
}
