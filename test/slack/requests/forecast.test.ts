/** A forecast from the command to the page in the thread: the Slack app, a Temporal server, a worker; only snapshot and plays are made up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Forecaster, MadeForecast } from '../../../activities/contract/forecast.ts';
import { createNotifyActivities } from '../../../activities/run/people/notify.ts';
import { createForecastActivities } from '../../../activities/run/planning/forecast-upgrade.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE, type Workspace } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { createNotifier, createSlackWeb } from '../../../slack/delivery/notifier.ts';
import { startSlack } from '../../../slack/start.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeActivities, withChange } from '../../support/fake-activities.ts';
import { forecast } from '../../support/forecasts.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { CLUSTER } from '../fixtures.ts';
import { read } from '../reading.ts';
import { CLUSTERS, fakeCampaigns } from '../support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const now = (): Date => new Date('2026-09-08T09:00:00Z');

interface Stage {
  slack: SlackStandIn;
  asked: Parameters<Forecaster['forecast']>[1][];
  result(heading: string): Promise<Message>;
}

async function withStage(
  name: string,
  given: { workspace?: Workspace; made: MadeForecast },
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const { workspace = WORKSPACE, made } = given;
  const slack = await startSlackServer({ journal: new Journal(now), now, workspace });
  const notifier = createNotifier({ web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }) });
  const requests: Stage['asked'] = [];
  const forecaster: Forecaster = { forecast: async (_cluster, request) => (requests.push(request), made) };
  const store = { read: async () => undefined, write: async () => ({ location: '/records/forecast.json' }) };
  const renderForecast = (): string => '<title>forecast</title>';
  const activities = withChange(fakeActivities(), {
    ...createNotifyActivities({ notifier }),
    ...createForecastActivities({ forecaster, store, renderForecast, notifier }),
  });
  const worker = await startWorker(env, activities, name);
  const upgrades = createUpgrades({
    client: new Client({ connection: env.connection }),
    taskQueue: name,
    resolveCluster: () => ({ ...CLUSTER, name }),
  });
  // What is asked of Temporal ends before its connection does.
  const started: Promise<unknown>[] = [];
  const ask: typeof upgrades.forecast = (request) => {
    const asking = upgrades.forecast(request);
    started.push(asking);
    return asking;
  };
  const settings = { botToken: WORKSPACE.botToken, appToken: WORKSPACE.appToken, apiUrl: slack.apiUrl };
  const clusters = { ...CLUSTERS, channelOf: () => 'eks-upgrades', defaultTargetOf: () => '1.34' };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const app = await startSlack({ campaigns: fakeCampaigns([]), upgrades: { ...upgrades, forecast: ask }, clusters, settings, log });
  try {
    await worker.runUntil(async () => {
      const result: Stage['result'] = (heading) => eventually(() => slack.messages().find(({ text }) => text.startsWith(heading)));
      await run({ slack, asked: requests, result });
      await Promise.all(started);
    });
  } finally {
    await app.stop();
    await slack.close();
  }
}

const lines = ({ text, blocks }: Message): string[] => read({ text, blocks } as Parameters<typeof read>[0]).text.split('\n');
const inThread = (slack: SlackStandIn, ts: string): Message[] =>
  slack.messages().filter((message) => message.thread_ts === ts && message.ts !== ts);

describe('/eks-upgrade forecast', () => {
  test('tells what blocks, what is down, what asks, and attaches the page', async () => {
    const made = { kind: 'made' as const, forecast: forecast({ cluster: { ...CLUSTER, name: 'foreseen' } }) };
    await withStage('foreseen', { made }, async ({ slack, asked, result }) => {
      await slack.submitCommand('U0ALEX', '/eks-upgrade forecast foreseen');
      const told = await result('🔭 Forecast: foreseen 1.33 → 1.34');
      expect(asked).toMatchObject([{ target: '1.34' }]);
      expect(lines(told).map((line) => line.replace(/<!date[^>]*>/g, 'DATE'))).toEqual([
        '# 🔭 Forecast: foreseen 1.33 → 1.34',
        '*3 h 10 min (p90 4 h 5 min)*, including assumed time for decisions · 45 (p90 47) nodes replaced · *2 nodes will be blocked* · *1 workload will be down for a while*',
        '*Blocks nodes*',
        '• Pod billing/ledger-0 of StatefulSet billing/ledger (billing) blocks ip-10-0-1-7: PodDisruptionBudget ledger allows no disruption',
        '• Pod internal/license-server-7d9f of Deployment internal/license-server blocks ip-10-0-2-9: it is annotated with karpenter.sh/do-not-disrupt',
        '*Down for a while*',
        '• Deployment internal/license-server: 2 min (p90 4 min) without a ready pod',
        '*Gates that will open*',
        '• Start the control plane',
        '• Nodes are blocked (in 75 % of the simulations)',
        '*Nodes*',
        '• Node group system: 3 replaced',
        '• NodePool general: 42 (p90 44) replaced',
        '• At most 5 (p90 6) extra nodes at a time, 40 (p90 48) vCPUs, 145 (p90 174) IP addresses; 4 volumes move',
        '• ⚠ eu-central-1b: 58 IP addresses needed, 40 free',
        '*What the forecast does not know*',
        '• PodDisruptionBudgets were not read: the right to list poddisruptionbudgets is missing. Which pods block is unknown.',
        '20 simulations of plan b1946ac92492 (every-hop) on a snapshot from DATE; lengths by source: measured in the snapshot 1, reports of other clusters 1',
        'The whole forecast is attached in the thread as a page',
        'Requested by <@U0ALEX>, DATE',
      ]);
      const [file] = inThread(slack, told.ts)[0]?.files ?? [];
      expect(file).toMatchObject({ name: 'foreseen-1.34-forecast.html', title: 'Forecast of foreseen, 1.33 → 1.34' });
    });
  });

  test('without the right to attach it says how to see the page', async () => {
    const workspace = { ...WORKSPACE, scopes: WORKSPACE.scopes.filter((scope) => scope !== 'files:write') };
    const made = { kind: 'made' as const, forecast: forecast({ cluster: { ...CLUSTER, name: 'scopeless' } }) };
    await withStage('scopeless', { workspace, made }, async ({ slack, result }) => {
      await slack.submitCommand('U0ALEX', '/eks-upgrade forecast scopeless 1.34');
      const told = await result('🔭 Forecast: scopeless');
      const line = lines(told).find((each) => each.startsWith('Could not attach the page'));
      expect(line).toContain('missing_scope (files:write)');
      expect(line).toContain('Get it with `belay forecast scopeless --target 1.34 --format html --output forecast.html`');
    });
  });

  test('of a plan that breaks rules names them, and that nothing was started', async () => {
    const violations = [{ rule: 'kubelet-skew', message: 'Nodes lag.', remedy: 'Roll them.' }];
    await withStage('refusing', { made: { kind: 'refused', violations } }, async ({ slack, result }) => {
      await slack.submitCommand('U0ALEX', '/eks-upgrade forecast refusing 1.34');
      const told = await result('refusing cannot be upgraded to 1.34 yet');
      expect(lines(told)).toContain('🚫 `kubelet-skew`: Nodes lag.');
      expect(inThread(slack, told.ts)).toEqual([]);
    });
  });
});
