/** A whole upgrade without Slack: no section, no variable, no process. Started, decided and read on the command line, told to a webhook and by mail. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { arnOf, IDENTITIES } from '../../../rehearsal/aws/eks/identities.ts';
import { chooseScenario } from '../../../rehearsal/play/choose.ts';
import { configFile } from '../../../rehearsal/play/config-file.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { BELAY_ACCESS_KEY } from '../../../rehearsal/world/core/rights.ts';
import { eventually, PATIENCE } from '../../support/eventually.ts';
import { mailReceiver, WEBHOOK_SECRET, webhookReceiver } from '../../support/receivers.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { type Ran, runBelay, type RunOptions } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

const SPEED = 600;
const scenario = chooseScenario('small');
let cwd: string;
let stage: Stage;
let server: DevServer;
let worker: ChildProcess;
let hook: Awaited<ReturnType<typeof webhookReceiver>>;
let mail: Awaited<ReturnType<typeof mailReceiver>>;
let log = '';

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-without-slack-'));
  [stage, server, hook, mail] = await Promise.all([
    setStage({ scenario, speed: SPEED, faults: [], temporalUi: () => undefined }),
    startDevServer(),
    webhookReceiver(),
    mailReceiver(),
  ]);
  writeFileSync(join(cwd, 'belay.yaml'), file());
  worker = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd,
    env: { ...withoutOwn(), ...environment(), OPS_SECRET: WEBHOOK_SECRET },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  worker.stderr?.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
});
afterAll(async () => {
  const ended = new Promise((resolve) => void worker.once('exit', resolve));
  worker.kill('SIGKILL');
  await ended;
  await Promise.all([stage.close(), server.stop(), hook.close(), mail.close()]);
  rmSync(cwd, { recursive: true, force: true });
});

/** The rehearsal's times, and no word of Slack. */
function file(): string {
  const { account } = scenario.cluster;
  const {
    slack: _slack,
    signing: _signing,
    ...rest
  } = parse(
    configFile({
      scenario,
      speed: SPEED,
      channel: 'C0UPGRADES',
      approvers: { users: [], groups: [] },
      publicKeys: {},
      prometheusUrl: stage.prometheusUrl,
      ui: 'http://localhost:8233',
      recordsDirectory: join(cwd, 'records'),
    }),
  ) as Record<string, unknown>;
  const aws = (person: string): string[] => [arnOf(IDENTITIES[person] ?? none(person), account)];
  return stringify({
    ...rest,
    approvals: { users: ['sam'] },
    people: { sam: { aws: aws('U0SAM') }, alex: { aws: aws('U0ALEX') } },
    notifications: {
      webhooks: [{ name: 'ops', url: hook.url, secretFrom: 'OPS_SECRET' }],
      email: [{ name: 'team', host: '127.0.0.1', port: mail.port, tls: 'none', from: 'belay@example.com', to: ['team@example.com'] }],
    },
  });
}

function none(what: string): never {
  throw new Error(`no ${what}`);
}

const withoutOwn = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS_|SLACK_|TEMPORAL_|BELAY_|KUBECONFIG)/.test(name)));

const environment = (): Record<string, string> => ({
  AWS_ENDPOINT_URL: stage.aws.url,
  AWS_REGION: scenario.cluster.region,
  AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY,
  AWS_SECRET_ACCESS_KEY: 'rehearsal',
  AWS_EC2_METADATA_DISABLED: 'true',
  TEMPORAL_ADDRESS: server.address,
});

const belayAs = (person: string, ...args: string[]): Promise<Ran> => runBelay(args, shellOf(person));

function shellOf(person: string): RunOptions {
  const { accessKeyId, secretAccessKey } = IDENTITIES[person] ?? none(person);
  const env = { ...environment(), AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  return { cwd, env, limitMs: 60_000 };
}

test(
  'it is started, told, decided by people whom AWS knows, and ends; nothing is asked of Slack',
  async () => {
    await eventually('the worker polls', () => log.includes('worker is polling'));
    const started = await belayAs('U0ALEX', 'start', 'small', '--target', '1.32');
    expect(started).toMatchObject({ code: 0, stderr: '' });

    const gate = 'before:pre-checks@1.32#1';
    await eventually('the first gate is told', () => hook.received.some(({ data }) => data.gate?.id === gate));
    expect(await belayAs('U0ALEX', 'decide', 'small', gate, 'approve')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off). These people may: sam',
      ),
    });
    expect(await belayAs('U0RIN', 'decide', 'small', gate, 'approve')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is nobody whom people in belay.yaml names; nothing was done.'),
    });
    let shown = '';
    const watching = runBelay(['status', 'small', '--watch'], { ...shellOf('U0SAM'), onPrint: (stdout) => void (shown = stdout) });
    await eventually('the watch shows the gate', () => shown.includes(gate));
    for (const phase of ['pre-checks', 'control-plane', 'node-groups', 'karpenter-drift'])
      await eventually(
        `a decision before ${phase}`,
        async () => (await belayAs('U0SAM', 'decide', 'small', `before:${phase}`, 'approve')).code === 0,
      );

    const watched = await watching;
    expect(watched.code).toBe(0);
    const logs = await belayAs('U0SAM', 'logs', 'small', '--follow');
    expect(logs).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Times are in \S+\.\n$/) });
    expect(logs.stdout).toMatch(/^ +sam: decide by \d{4}-\d\d-\d\d \d\d:\d\d\. If nobody does, the gate expires and approves nothing\.$/m);
    expect(logs.stdout).toContain(`belay decide small '${gate}' approve`);
    expect(logs.stdout).toMatch(/Approve.* by sam@example\.com/);
    expect(logs.stdout).toMatch(/small.*1\.31 → 1\.32.*completed/i);

    await eventually('the end is told', () => hook.received.some(({ data }) => data.report?.outcome === 'completed'));
    await eventually('and mailed', () => mail.mails.some((text) => text.startsWith('small: 1.31 → 1.32 completed')));
    expect(stage.built.world.journal.mutations.filter(({ api }) => api === 'slack')).toEqual([]);
    expect(log).not.toMatch(/slack/i);
  },
  300_000 * PATIENCE,
);
