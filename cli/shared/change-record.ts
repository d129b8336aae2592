/** The change record of the last upgrade of a cluster that has ended, with all that was kept of it. */
import type { Config } from '../../domain/policy/config/config.ts';
import type { ChangeRecord } from '../../render/change-record/record.ts';
import { defined } from '../../domain/core/defined.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

/** `json`: as it was written. Throws an error that names the directory where there is no record. */
export async function readChangeRecord(config: Config, cluster: string): Promise<{ record: ChangeRecord; json: unknown }> {
  const ref = policyOf(config, cluster).cluster;
  const [{ lastRecord, withStorage }, { auditOf }] = await Promise.all([
    import('../../worker/local/read-records.ts'),
    import('../../worker/local/read-audit.ts'),
  ]);
  return await withStorage(config, async (storage) => {
    const { report, plan, asked, forecast, json } = await lastRecord(config, storage, ref);
    return { record: { report, plan, asked, ...defined({ forecast }), audit: await auditOf(storage, ref, report.status.runId) }, json };
  });
}

/** For Slack: the page, and the picture where there is something to draw. */
export async function changeRecordFiles(config: Config, cluster: string): Promise<{ html: string; picture?: Uint8Array }> {
  const { record } = await readChangeRecord(config, cluster);
  const [{ renderRecordHtml }, { timelinePng }] = await Promise.all([
    import('../../render/change-record/html.ts'),
    import('../../render/charts/timeline.ts'),
  ]);
  return { html: await renderRecordHtml(record), picture: await timelinePng(record.report) };
}
