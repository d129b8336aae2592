/** The upgrades of a cluster that have ended. */
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import { pastRun } from '../../domain/run/record/history.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { duration } from '../../domain/core/text.ts';
import { message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn, person } from './kit/text.ts';
import { when } from './kit/time.ts';
import { noHistory, upgradesEnded } from '../messages/cluster.ts';

const MOST = 20;

export function historyBlocks(cluster: string, reports: readonly UpgradeReport[]): Rendered {
  const title = reports.length === 0 ? noHistory(mrkdwn(cluster, 100)) : upgradesEnded(mrkdwn(cluster, 100), reports.length);
  return message(title, sections([`*${title}*`, ...reports.slice(0, MOST).map(line)], 5));
}

function line(report: UpgradeReport): string {
  const { outcome, headline, startedAt, durationMs, decidedBy, notRestoredCount } = pastRun(report);
  const parts = [
    `• *${mrkdwn(runWay(report.status), 40)}* ${outcome}`,
    when(startedAt),
    durationMs === undefined ? '' : `took ${duration(durationMs)}`,
    `requested by ${person(report.status.requestedBy)}`,
    decidedBy.length === 0 ? '' : `decided by ${mrkdwn(decidedBy.join(', '), 150)}`,
    notRestoredCount === 0 ? '' : `🚨 ${notRestoredCount} not restored`,
  ];
  return `${parts.filter((part) => part !== '').join(', ')}\n   ${mrkdwn(headline, 250)}`;
}
