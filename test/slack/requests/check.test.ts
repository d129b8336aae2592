/** A readiness check from the command to the file in the thread, and again: the Slack app, a Temporal server, a worker; only the reading is made up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createNotifyActivities } from '../../../activities/run/people/notify.ts';
import { createReadinessActivities } from '../../../activities/observe/readiness/index.ts';
import { renderCheckHtml } from '../../../render/readiness/html.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { reportReadiness } from '../../../domain/readiness/report.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE, type Workspace } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { createNotifier, createSlackWeb } from '../../../slack/delivery/notifier.ts';
import { startSlack } from '../../../slack/start.ts';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { blindTo, budget, CONTEXT, evidence, workload } from '../../domain/readiness/healthy.ts';
import { fakeActivities, withChange } from '../../support/fake-activities.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { CLUSTER } from '../fixtures.ts';
import { read } from '../reading.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTERS, fakeCampaigns } from '../support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const now = (): Date => new Date('2026-03-03T12:00:00Z');

interface Stage {
  slack: SlackStandIn;
  /** What the next check sees. */
  show(seen: Evidence): void;
  /** The check's message with this heading. */
  result(heading: string): Promise<Message>;
}

async function withStage(name: string, workspace: Workspace, run: (stage: Stage) => Promise<void>): Promise<void> {
  const slack = await startSlackServer({ journal: new Journal(now), now, workspace });
  const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
  const notifier = createNotifier({ web });
  let seen = evidence();
  const activities = withChange(fakeActivities(), {
    ...createNotifyActivities({ notifier }),
    ...createReadinessActivities({
      judge: async (cluster) => reportReadiness({ cluster, checks: CATALOGUE, evidence: seen, context: CONTEXT }),
      renderReport: renderCheckHtml,
      notifier,
    }),
  });
  const worker = await startWorker(env, activities, name);
  const upgrades = createUpgrades({
    client: new Client({ connection: env.connection }),
    taskQueue: name,
    resolveCluster: () => ({ ...CLUSTER, name }),
  });
  // What is asked of Temporal ends before its connection does.
  const asked: Promise<unknown>[] = [];
  const check: typeof upgrades.check = (request) => {
    const started = upgrades.check(request);
    asked.push(started);
    return started;
  };
  const settings = { botToken: WORKSPACE.botToken, appToken: WORKSPACE.appToken, apiUrl: slack.apiUrl };
  const clusters = { ...CLUSTERS, channelOf: () => 'eks-upgrades', defaultTargetOf: () => '1.33' };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const running = await startSlack({ campaigns: fakeCampaigns([]), upgrades: { ...upgrades, check }, clusters, settings, log });
  try {
    await worker.runUntil(async () => {
      await run({
        slack,
        show: (next) => void (seen = next),
        result: (heading) => eventually(() => slack.messages().find(({ text }) => text.startsWith(heading))),
      });
      await Promise.all(asked);
    });
  } finally {
    await running.stop();
    await slack.close();
  }
}

const lines = ({ text, blocks }: Message): string[] => read({ text, blocks } as Parameters<typeof read>[0]).text.split('\n');
const thread = (slack: SlackStandIn, ts: string): Message[] =>
  slack.messages().filter((message) => message.thread_ts === ts && message.ts !== ts);

describe('/eks-upgrade check', () => {
  test('shows the worst and attaches the report; the button runs it again and says what has changed', async () => {
    await withStage('fixing', WORKSPACE, async ({ slack, show, result }) => {
      const singles = evidence({ workloads: ['cart', 'web'].map((one) => workload({ name: one, replicas: 1 })) });
      show({ ...singles, budgets: evidence({ budgets: [budget({ maxUnavailable: 0 })] }).budgets });
      await slack.submitCommand('U0ALEX', '/eks-upgrade check fixing');
      const first = await result('❌ Not ready: fixing 1.32 → 1.33');
      expect(lines(first).filter((line) => /^(🚫|⚠) /u.test(line))).toEqual([
        '🚫 *K8S018 Disruption budgets can be kept while a pod moves*',
        '⚠ *K8S012 Workloads have more than one replica*',
      ]);
      const [attachment] = thread(slack, first.ts);
      const file = attachment?.files?.[0];
      expect(file).toMatchObject({ name: 'fixing-1.33-readiness.html', title: 'Is fixing ready for 1.33?' });
      const html = await (await fetch(String(file?.['url_private_download']))).text();
      expect(html).toContain('<title>fixing: ready for 1.33?</title>');
      expect(html).toContain('K8S018');

      show(evidence({ workloads: [workload({ name: 'web', replicas: 1 })] }));
      expect(await slack.click('U0SAM', first.ts, 'check/again')).toBe('acked');
      const second = await result('✅ Ready: fixing 1.32 → 1.33');
      expect(lines(second)).toEqual(
        expect.arrayContaining([
          '✅ Fixed: *K8S018* Disruption budgets can be kept while a pod moves',
          '🔁 *K8S012* Workloads have more than one replica: fixed Deployment shop/cart',
          '0 as before',
          'The whole report is attached in the thread',
        ]),
      );
      expect(thread(slack, second.ts).map(({ files }) => files?.[0]?.['name'])).toEqual(['fixing-1.33-readiness.html']);
    });
  });

  test('without the right to attach it says how to see the report', async () => {
    const scopes = WORKSPACE.scopes.filter((scope) => scope !== 'files:write');
    await withStage('scopeless', { ...WORKSPACE, scopes }, async ({ slack, show, result }) => {
      show(blindTo(['quotas']));
      await slack.submitCommand('U0ALEX', '/eks-upgrade check scopeless');
      const told = await result('❔ Unknown: scopeless 1.32 → 1.33');
      expect(lines(told).find((line) => line.startsWith('Could not attach'))).toBe(
        'Could not attach the report: attaching scopeless-1.33-readiness.html in C0UPGRADES: Slack answered missing_scope (files:write). ' +
          'Install the app again from slack/manifest.yaml, which has all scopes. ' +
          'Get it with `belay check scopeless --target 1.33 --format html --output report.html`',
      );
      expect(thread(slack, told.ts)).toEqual([]);
    });
  });
});

test('RS19: a report is attached once, however often it is tried, and whatever others have put there', async () => {
  const slack = await startSlackServer({ journal: new Journal(now), now });
  try {
    const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
    const root = await web.chat.postMessage({ channel: 'C0UPGRADES', text: 'check' });
    const attachment = { thread: { channel: 'C0UPGRADES', ts: root.ts ?? '' }, fileName: 'a.html', title: 'A', content: '<p>' };
    await createNotifier({ web }).attach(attachment);
    await createNotifier({ web }).attach(attachment);
    expect(thread(slack, root.ts ?? '')).toHaveLength(1);
    // RS19: somebody of the thread has sent a file of that name; only Belay's own counts.
    const [own] = slack.messages().flatMap(({ files }) => files ?? []);
    Object.assign(own ?? {}, { user: 'U0EVE' });
    await createNotifier({ web }).attach(attachment);
    expect(thread(slack, root.ts ?? '')).toHaveLength(2);
    slack.failNext('files.getUploadURLExternal', { error: 'file_uploads_disabled', times: 1 });
    await expect(createNotifier({ web }).attach({ ...attachment, fileName: 'b.html' })).rejects.toMatchObject({
      code: 'file_uploads_disabled',
      retryable: false,
      message:
        'attaching b.html in C0UPGRADES: Slack answered file_uploads_disabled. The workspace does not allow file uploads; ask its administrators.',
    });
  } finally {
    await slack.close();
  }
});
