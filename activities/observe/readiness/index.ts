/** The readiness check that people ask for in Slack. The whole report never enters Temporal's history: it goes from here straight into the thread. */
import type { MessageRef } from '../../../domain/run/notifications.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';
import { SOURCES } from '../../../domain/readiness/model/sources.ts';
import { changeSince, summarize } from '../../../domain/readiness/summary.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { beat } from '../../runtime/context.ts';
import type { ReadinessActivities } from '../../contract/belay-activities.ts';
import type { Notifier } from '../../contract/ports.ts';
import type { Judging } from './judge-cluster.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface ReadinessDeps {
  /** Gathers the evidence and judges it. */
  judge(cluster: ClusterRef, request: Pick<Judging, 'policy' | 'target' | 'onRead'>): Promise<ReadinessReport>;
  /** The report as a file of its own. */
  renderReport: (report: ReadinessReport) => string;
  /** undefined: no Slack. */
  notifier?: Pick<Notifier, 'attach'>;
}

export function createReadinessActivities(deps: ReadinessDeps): ReadinessActivities {
  return {
    async checkReadiness({ cluster, target, policy, thread, before }) {
      let read = 0;
      const report = await deps.judge(cluster, {
        policy,
        target,
        onRead: (id) => beat({ kind: 'working', doing: `checking ${cluster.name}, read ${(read += 1)}: ${SOURCES[id].what}` }),
      });
      const notAttached = await attach(deps, report, thread);
      const summary = summarize(report);
      return {
        summary,
        ...(before === undefined ? {} : { change: changeSince(before, summary) }),
        ...defined({ notAttached }),
      };
    },
  };
}

/** Why the report is not in the thread; undefined: it is. A report without its file is better than none, so this never throws. */
async function attach(
  { notifier, renderReport }: ReadinessDeps,
  report: ReadinessReport,
  thread?: MessageRef,
): Promise<string | undefined> {
  if (notifier === undefined || thread === undefined) return 'no Slack is set up';
  const { cluster, target } = report;
  try {
    await notifier.attach({
      thread,
      fileName: `${cluster.name}-${target}-readiness.html`,
      title: `Is ${cluster.name} ready for ${target}?`,
      content: renderReport(report),
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
