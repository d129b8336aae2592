/** The real Slack process in front of the stand-in, with upgrades that a test writes down. */
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { Journal } from '../../rehearsal/world/journal.ts';
import { type SlackServerOptions, type SlackStandIn, startSlackServer } from '../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import type { ClusterDirectory } from '../../slack/interaction/deps.ts';
import { type RunningSlack, type SlackOptions, startSlack } from '../../slack/start.ts';
import { type Answer, type Upgrades, UpgradesError } from '../../client/upgrades-client.ts';
import { createSlackWeb } from '../../slack/api/web-client.ts';
import { eventually } from '../support/eventually.ts';
import { readySummary } from '../support/fake-activities.ts';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import { initialState } from '../../domain/run/campaign/state.ts';
import { CAMPAIGN, CAMPAIGN_PLAN } from './campaign-fixture.ts';
import { CHECK_RUN, FORECAST_RUN, plan, RUN_ID, status, UPGRADE, WORKFLOW_ID } from './fixtures.ts';

export const CHANNEL = 'C0UPGRADES';
const NOW = new Date('2026-03-03T12:00:00Z');

/** What was asked of upgrades. */
export interface Asked {
  what: string;
  request: unknown;
}

/** What belay.yaml says. */
export const CLUSTERS: ClusterDirectory = {
  names: () => ['staging', 'elsewhere'],
  channelOf(cluster) {
    if (cluster === 'elsewhere') return 'general';
    if (cluster === 'staging') return '#eks-upgrades';
    throw new UpgradesError('invalid', `belay.yaml: no cluster "${cluster}"; there are: staging, elsewhere`);
  },
  defaultTargetOf: () => undefined,
  campaigns: () => [CAMPAIGN],
  recordsOf: () => Promise.resolve([]),
  changeRecordOf: () => Promise.resolve({ html: '<!doctype html><title>record</title>', picture: Buffer.from('\x89PNG') }),
  approvalsOf: () => ({ users: [], groups: ['S0PLATFORM'], quorum: 1, allowRequester: false, allowUnverifiedCli: false }),
};

const answer: Answer = { reply: { accepted: true, message: 'Approved by sam.' }, how: 'answered' };

/** Answers everything kindly; a test replaces one method. */
export function fakeCampaigns(asked: Asked[], change: Partial<Campaigns> = {}): Campaigns {
  const note = (what: string, request: unknown): void => void asked.push({ what, request });
  return {
    plan: async (campaign) => {
      note('campaign plan', campaign);
      return CAMPAIGN_PLAN;
    },
    start: async (request) => {
      note('campaign start', request);
      return { workflowId: `eks-campaign/${request.campaign}`, runId: RUN_ID, plan: CAMPAIGN_PLAN };
    },
    planRollback: async (of) => {
      note('campaign rollback plan', of);
      return CAMPAIGN_PLAN;
    },
    rollBack: async (request) => {
      note('campaign rollback', request);
      return { workflowId: `eks-campaign/${request.campaign}.rollback.${request.ring}`, runId: RUN_ID, plan: CAMPAIGN_PLAN };
    },
    status: async (campaign) => {
      note('campaign status', campaign);
      const requestedBy = { kind: 'slack' as const, id: 'U0ALEX' };
      const state = initialState(CAMPAIGN_PLAN);
      return {
        workflowId: `eks-campaign/${campaign}`,
        runId: RUN_ID,
        requestedBy,
        startedAt: NOW.toISOString(),
        plan: CAMPAIGN_PLAN,
        state,
        gates: [],
      };
    },
    newestRun: async () => undefined,
    list: async () => ['to-1-34'],
    controlAll: async ({ verb, ...request }) => {
      note(`campaign ${verb} with its runs`, request);
      return {
        campaign: { reply: { accepted: true, message: 'Paused: no further cluster starts.' }, how: 'answered' },
        runs: { verb, results: [{ cluster: 'dev-1', result: { kind: 'done' } }] },
      };
    },
    bundles: async (campaign) => {
      note('campaign bundles', campaign);
      return { open: [], earlier: [] };
    },
    approveBundle: async (press) => {
      note('campaign approve', press);
      return { bundle: { step: 'Node groups → 1.34', rules: 'approvers 1' }, results: [] };
    },
    control: async (request) => {
      note(`campaign ${request.verb}`, request);
      return { reply: { accepted: true, message: 'Paused: no further cluster starts.' }, how: 'answered' };
    },
    proposals: {
      status: () => Promise.resolve({ state: { known: {} } }),
      look: () => Promise.resolve({ reply: { accepted: true, message: 'Belay looks now.' }, how: 'answered' }),
      dismiss: (request) => {
        note('proposal dismiss', request);
        return Promise.resolve({ reply: { accepted: true, message: 'Dismissed.' }, how: 'answered' });
      },
    },
    ...change,
  };
}

/** Answers everything kindly; a test replaces one method. */
export function fakeUpgrades(asked: Asked[], change: Partial<Upgrades> = {}): Upgrades {
  const all: Upgrades = {
    plan: () => Promise.resolve({ kind: 'plan', plan: plan() }),
    start: () => Promise.resolve({ ...UPGRADE, plan: plan() }),
    planRollback: () => Promise.resolve({ kind: 'plan', plan: plan() }),
    startBack: () => Promise.resolve({ ...UPGRADE, plan: plan() }),
    undoOptions: () => Promise.resolve([]),
    check: ({ target }) => Promise.resolve({ kind: 'started', ...CHECK_RUN, target, requestedBy: 'alex' }),
    forecast: ({ target }) => Promise.resolve({ kind: 'started', ...FORECAST_RUN, target, requestedBy: 'alex' }),
    readiness: ({ target }) => Promise.resolve(readySummary({ target })),
    versions: (clusters) =>
      Promise.resolve({ readAt: NOW.toISOString(), clusters: clusters.map((name) => ({ name, version: '1.31' })), offered: [] }),
    decide: () => Promise.resolve(answer),
    pause: () => Promise.resolve({ reply: { accepted: true, message: 'Pauses after this step.' }, how: 'answered' }),
    resume: () => Promise.resolve({ reply: { accepted: true, message: 'Goes on.' }, how: 'answered' }),
    abort: () => Promise.resolve({ reply: { accepted: true, message: 'Aborting.' }, how: 'answered' }),
    pace: ({ pace }) => Promise.resolve({ reply: { accepted: true, message: `The pace is ${pace}.` }, how: 'answered' }),
    extend: () => Promise.resolve({ reply: { accepted: true, message: 'It waits longer.' }, how: 'answered' }),
    handOver: () => Promise.resolve({ reply: { accepted: true, message: 'Handed over.' }, how: 'answered' }),
    reconcile: ({ apply }) => Promise.resolve({ applied: apply, items: [], unseen: [] }),
    status: () => Promise.resolve({ source: 'workflow', status: status() }),
    newestRun: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    listAll: async () => ({ runs: await all.list(), keptFreezes: [] }),
    standstill: () => Promise.resolve(undefined),
    claim: () => Promise.resolve(true),
    refused: () => undefined,
    ...change,
  };
  const told = <K extends keyof Upgrades>(what: K, request: unknown): void => void asked.push({ what, request });
  return {
    plan: (request) => (told('plan', request), all.plan(request)),
    start: (request) => (told('start', request), all.start(request)),
    planRollback: (request) => (told('planRollback', request), all.planRollback(request)),
    startBack: (request) => (told('startBack', request), all.startBack(request)),
    undoOptions: (cluster) => (told('undoOptions', cluster), all.undoOptions(cluster)),
    check: (request) => (told('check', request), all.check(request)),
    forecast: (request) => (told('forecast', request), all.forecast(request)),
    readiness: (request) => (told('readiness', request), all.readiness(request)),
    versions: (clusters) => (told('versions', clusters), all.versions(clusters)),
    decide: (request) => (told('decide', request), all.decide(request)),
    pause: (request) => (told('pause', request), all.pause(request)),
    resume: (request) => (told('resume', request), all.resume(request)),
    abort: (request) => (told('abort', request), all.abort(request)),
    pace: (request) => (told('pace', request), all.pace(request)),
    extend: (request) => (told('extend', request), all.extend(request)),
    handOver: (request) => (told('handOver', request), all.handOver(request)),
    reconcile: (request) => (told('reconcile', request), all.reconcile(request)),
    status: (cluster) => (told('status', cluster), all.status(cluster)),
    newestRun: all.newestRun,
    list: () => (told('list', undefined), all.list()),
    listAll: () => (told('list', undefined), all.listAll()),
    standstill: () => all.standstill(),
    claim: all.claim,
    refused: (refusal) => (told('refused', refusal), all.refused(refusal)),
  };
}

export interface Bench {
  slack: SlackStandIn;
  web: WebClient;
  asked: Asked[];
  logged: string[];
  running: RunningSlack;
  /** What only this person sees, in order. */
  seenBy(user: string): string[];
}

export interface BenchOptions {
  upgrades?: Partial<Upgrades>;
  campaigns?: Partial<Campaigns>;
  settings?: Partial<SlackOptions['settings']>;
  options?: Partial<SlackOptions>;
  clusters?: Partial<SlackOptions['clusters']>;
  server?: Partial<SlackServerOptions>;
}

/** Runs a test and tidies up. */
export async function withApp(options: BenchOptions, run: (bench: Bench) => Promise<void>): Promise<void> {
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, ...options.server });
  const asked: Asked[] = [];
  const logged: string[] = [];
  const log = (message: string): void => void logged.push(message);
  let running: RunningSlack | undefined;
  try {
    running = await startSlack({
      upgrades: fakeUpgrades(asked, options.upgrades),
      campaigns: fakeCampaigns(asked, options.campaigns),
      clusters: { ...CLUSTERS, ...options.clusters },
      settings: { botToken: WORKSPACE.botToken, appToken: WORKSPACE.appToken, apiUrl: slack.apiUrl, ...options.settings },
      log: { info: log, warn: log, error: log },
      keepTryingMs: 0,
      ...options.options,
    });
    const seenBy = (user: string): string[] =>
      slack
        .messages()
        .filter(({ ephemeralTo }) => ephemeralTo === user)
        .map(({ text }) => text);
    await run({ slack, web: createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl }), asked, logged, running, seenBy });
  } finally {
    await running?.stop();
    await slack.close();
  }
}

/** Of a message that only this person sees and that asks something: its time stamp, once it is there. */
export async function question({ slack }: Bench, user: string, title: string): Promise<string> {
  const asks = ({ ephemeralTo, text, blocks }: ReturnType<SlackStandIn['messages']>[number]): boolean =>
    ephemeralTo === user && text === title && blocks.some(({ type }) => type === 'actions');
  return (await eventually(() => slack.messages().findLast(asks))).ts;
}

/** Types a command that asks first, and presses the button that does it. */
export async function typeAndConfirm(bench: Bench, user: string, command: string, title: string): Promise<void> {
  await bench.slack.submitCommand(user, `/eks-upgrade ${command}`);
  await bench.slack.click(user, await question(bench, user, title), 'question/does');
}

/** A gate's message but for its state. */
export const BASE = { workflowId: WORKFLOW_ID, revision: 3, mention: { users: ['U0SAM'], groups: [] }, run: RUN_ID };

/** Posts as the bot; the message's time stamp. */
export async function post({ web }: Bench, content: { text: string; blocks: KnownBlock[] }, thread?: string): Promise<string> {
  const { ts } = await web.chat.postMessage({ channel: CHANNEL, ...content, ...(thread === undefined ? {} : { thread_ts: thread }) });
  return ts ?? '';
}
