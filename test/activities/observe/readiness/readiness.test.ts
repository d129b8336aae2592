/** The activity behind `/eks-upgrade check`: says how far it is, attaches the report, and never fails for the report's sake. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import type { ReadinessActivities } from '../../../../activities/contract/belay-activities.ts';
import { createReadinessActivities, type ReadinessDeps } from '../../../../activities/observe/readiness/index.ts';
import type { Attachment, CheckResult } from '../../../../domain/run/notifications.ts';
import { CATALOGUE } from '../../../../domain/readiness/catalogue.ts';
import { reportReadiness } from '../../../../domain/readiness/report.ts';
import { CONTEXT, evidence, workload } from '../../../domain/readiness/healthy.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';

const THREAD = { channel: 'C0UPGRADES', ts: '1.0' };

const single = (name: string) => evidence({ workloads: [workload({ name, replicas: 1 })] });

async function check(
  deps: Partial<ReadinessDeps>,
  change: Partial<Parameters<ReadinessActivities['checkReadiness']>[0]> = {},
): Promise<{ result: CheckResult; beats: unknown[] }> {
  const activities = createReadinessActivities({
    judge: async (cluster, { onRead }) => {
      for (const source of ['pods', 'nodes'] as const) onRead?.(source);
      return reportReadiness({ cluster, checks: CATALOGUE, evidence: single('cart'), context: CONTEXT });
    },
    renderReport: ({ cluster, verdict }) => `${cluster.name}: ${verdict}`,
    ...deps,
  });
  const beats: unknown[] = [];
  const input = { cluster: CLUSTER, target: '1.33', policy: policy(), thread: THREAD, ...change };
  const result = await runWithin({ beat: (details) => beats.push(details) }, () => activities.checkReadiness(input));
  return { result, beats };
}

describe('checkReadiness', () => {
  test('heartbeats with what it has read, attaches the whole report, and returns it in short', async () => {
    const attached: Attachment[] = [];
    const attach = async (attachment: Attachment): Promise<void> => void attached.push(attachment);
    const { result, beats } = await check({ notifier: { attach } });
    expect(beats).toEqual([
      { kind: 'working', doing: 'checking prod, read 1: pods' },
      { kind: 'working', doing: 'checking prod, read 2: nodes' },
    ]);
    expect(attached).toEqual([
      { thread: THREAD, fileName: 'prod-1.33-readiness.html', title: 'Is prod ready for 1.33?', content: 'prod: ready' },
    ]);
    expect(result.summary.open.map(({ code, named }) => [code, named])).toEqual([['K8S012', ['Deployment shop/cart']]]);
    expect(Object.keys(result)).toEqual(['summary']);
  });

  test('says what has changed since the check that it is given', async () => {
    const { result: before } = await check({});
    const judge: ReadinessDeps['judge'] = async (cluster) =>
      reportReadiness({ cluster, checks: CATALOGUE, evidence: single('web'), context: CONTEXT });
    const { result } = await check({ judge }, { before: before.summary });
    expect(result.change).toMatchObject({
      since: before.summary.checkedAt,
      changed: [{ code: 'K8S012', gone: ['Deployment shop/cart'], come: ['Deployment shop/web'] }],
    });
  });

  test('a report that cannot be attached is said, not thrown', async () => {
    const attach = (): Promise<never> => Promise.reject(new Error('attaching x: Slack answered missing_scope'));
    expect((await check({ notifier: { attach } })).result.notAttached).toBe('attaching x: Slack answered missing_scope');
    expect((await check({})).result.notAttached).toBe('no Slack is set up');
    const { result } = await check({ notifier: { attach } }, { thread: undefined });
    expect(result.notAttached).toBe('no Slack is set up');
  });

  test('a cluster that cannot be read is a failure', async () => {
    const judge = (): Promise<never> => Promise.reject(new Error('describing cluster prod: denied'));
    await expect(check({ judge })).rejects.toThrow('describing cluster prod: denied');
  });
});
