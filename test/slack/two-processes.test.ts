/** Two Slack processes on one Temporal: whichever is given a request, it acts once, and one that dies leaves the other. */
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { type SlackStandIn, startSlackServer } from '../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../rehearsal/world/journal.ts';
import { createSlackWeb } from '../../slack/api/web-client.ts';
import { gateBlocks } from '../../slack/blocks/gate.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { startTemporal } from '../support/temporal.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { open, plan, WORKFLOW_ID } from './fixtures.ts';
import { startSlackProcess, type SlackProcess } from './slack-process.ts';
import { CHANNEL } from './support.ts';
import { eventually } from '../support/eventually.ts';

const LIMIT_MS = 2_700_000;
const NOW = new Date('2026-03-03T12:00:00Z');

let env: TestWorkflowEnvironment;
let worker: Worker;
let running: Promise<void>;
let slack: SlackStandIn;
let processes: SlackProcess[] = [];

beforeAll(async () => {
  env = await startTemporal();
  const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));
  worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
    activities: { makePlan: () => Promise.resolve({ kind: 'plan', plan: plan() }) },
  });
  running = worker.run();
}, LIMIT_MS);
afterAll(async () => {
  worker.shutdown();
  await running;
  await env.teardown();
});
afterEach(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  processes = [];
  await slack.close();
});

const common = () => ({ TEMPORAL_ADDRESS: env.address, SLACK_API_URL: slack.apiUrl });
const answers = (user: string): string[] => slack.messages().flatMap(({ ephemeralTo, text }) => (ephemeralTo === user ? [text] : []));
const posted = (): string[] => slack.messages().flatMap(({ ephemeralTo, text }) => (ephemeralTo === undefined ? [text] : []));

/** Processes take their time to start on a machine that is busy. */
async function until(what: string, look: () => boolean): Promise<void> {
  try {
    await eventually(what, look, LIMIT_MS / 2);
  } catch (cause) {
    throw new Error(`${String(cause)}; ${processes.map(({ said }) => said().slice(-500)).join('\n')}`, { cause });
  }
}

/** As people do whose press Slack shows as failed. */
async function insist(act: () => Promise<string>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) if ((await act()) === 'acked') return;
  throw new Error('Slack never got an acknowledgement');
}

/** Presses what does it, once the question is there. */
async function confirm(user: string, title: string): Promise<void> {
  const asked = (): string | undefined => slack.messages().find(({ ephemeralTo, text }) => ephemeralTo === user && text === title)?.ts;
  await until(`${title} is asked`, () => asked() !== undefined);
  await insist(() => slack.click(user, asked() ?? '', 'question/does'));
}

/** The message of a gate of the run, as the worker posts it. */
async function postGate(run: string, revision: number): Promise<string> {
  const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
  const content = gateBlocks({ state: open(), workflowId: WORKFLOW_ID, revision, mention: { users: [], groups: [] }, run });
  return (await web.chat.postMessage({ channel: CHANNEL, ...content })).ts ?? '';
}

/** What the run has heard, once it has been aborted. */
async function heard(): Promise<string[]> {
  await insist(() => slack.submitCommand('U0SAM', '/eks-upgrade abort staging'));
  await confirm('U0SAM', 'Abort the upgrade of staging?');
  return await env.client.workflow.getHandle<() => Promise<string[]>>(WORKFLOW_ID).result();
}

const isStart = ({ body }: { body: Buffer }): boolean => String(body).includes('text=start');

async function runId(): Promise<string> {
  return (await env.client.workflow.getHandle(WORKFLOW_ID).describe()).runId;
}

describe('socket mode', () => {
  test(
    'O31: Slack gives each event to one of two sockets; a vote counts once, and when one process is killed at a press the other goes on',
    async () => {
      slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW });
      processes = [1, 2].map(() => startSlackProcess({ ...common(), SLACK_APP_TOKEN: WORKSPACE.appToken }));
      await until('two connections', () => slack.connected() === 2);
      await slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.32');
      await confirm('U0ALEX', 'Start the upgrade of staging to 1.32?');
      await until('the start is answered', () => answers('U0ALEX').some((text) => text.includes('1.31 → 1.32')));
      const first = await postGate(await runId(), 1);
      // Each process is given one.
      expect([await slack.click('U0SAM', first, 'gate/approve'), await slack.click('U0SAM', first, 'gate/approve')]).toEqual([
        'acked',
        'acked',
      ]);
      await until('both presses are answered', () => answers('U0SAM').length === 2);
      const second = await postGate(await runId(), 2);
      const stop = slack.onClick(async () => {
        stop();
        await processes[0]?.kill();
      });
      await insist(() => slack.click('U0RIN', second, 'gate/approve'));
      await until('the press is answered', () => answers('U0RIN').length > 0);
      await until('one connection', () => slack.connected() === 1);
      expect(await heard()).toEqual(['approve by U0SAM', 'approve by U0RIN']);
      expect(await slack.openHome('U0SAM')).toBe('acked');
      await until('the Home is shown', () => JSON.stringify(slack.home('U0SAM') ?? {}).includes('Running upgrades'));
    },
    LIMIT_MS,
  );
});

describe('HTTP mode behind a balancer', () => {
  let balancer: Balancer;
  afterEach(() => balancer.close());

  async function twoBehind(): Promise<void> {
    const ports = await freePorts(2);
    balancer = await startBalancer(ports);
    slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, httpRequestUrl: balancer.url });
    processes = ports.map((port) => startSlackProcess({ ...common(), SLACK_SIGNING_SECRET: WORKSPACE.signingSecret, PORT: String(port) }));
    await until('both listen', () => processes.every(({ said }) => said().includes('listening for Slack')));
  }

  test(
    'S11 O31: what one process has taken does nothing in the other: a start, an offer in the channel, a vote',
    async () => {
      await twoBehind();
      await slack.submitCommand('U0ALEX', '/eks-upgrade reconcile staging');
      await until('the offer is posted', () => posted().length === 1);
      await slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.32');
      await confirm('U0ALEX', 'Start the upgrade of staging to 1.32?');
      await until('the start is answered', () => answers('U0ALEX').some((text) => text.includes('1.31 → 1.32')));
      const run = await runId();
      await slack.click('U0SAM', await postGate(run, 1), 'gate/approve');
      await until('the press is answered', () => answers('U0SAM').length === 1);
      const [start, ...others] = balancer.requests.toSorted((a, b) => Number(isStart(b)) - Number(isStart(a)));
      if (start === undefined || !isStart(start)) throw new Error('no start was forwarded');
      for (const request of others) expect(await balancer.replay(request)).toBe(200);
      // Who presses is answered anew, and has one vote.
      await until('the repeated press is answered', () => answers('U0SAM').length === 2);
      const ignored = (): number =>
        processes.flatMap(({ said }) => said().match(/ignored a request that was received before/g) ?? []).length;
      await until('the offer is not repeated', () => ignored() === 1);
      // The offer, and the gate.
      expect(posted()).toHaveLength(2);
      expect(await heard()).toEqual(['approve by U0SAM']);
      // Its run has ended: only what was taken says that this start is no new one.
      expect(await balancer.replay(start)).toBe(200);
      await until('it is ignored', () => ignored() === 2);
      expect(await runId()).toBe(run);
    },
    LIMIT_MS,
  );

  test(
    'O31: an event that a dead process did not acknowledge is sent again by Slack, to the other one',
    async () => {
      await twoBehind();
      await processes[0]?.kill();
      expect(await slack.openHome('U0SAM')).toBe('acked');
      await until('the Home is shown', () => JSON.stringify(slack.home('U0SAM') ?? {}).includes('Running upgrades'));
      expect(balancer.requests.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']])).toEqual([
        [undefined, undefined],
        ['1', 'http_error'],
      ]);
      // Nobody sends a command again: Slack tells who typed it.
      const outcomes = [await slack.submitCommand('U0SAM', '/eks-upgrade help'), await slack.submitCommand('U0SAM', '/eks-upgrade help')];
      expect(outcomes).toEqual(['unanswered', 'acked']);
    },
    LIMIT_MS,
  );
});
