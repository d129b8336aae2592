import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliActor } from '../../cli/shared/context.ts';
import { wholeProgram } from '../../cli/program.ts';
import { runBelay } from './run-belay.ts';
import { PROGRAM } from '../support/program.ts';
import { status } from '../slack/fixtures.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-cli-'));
  writeFileSync(
    join(cwd, 'belay.yaml'),
    `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
approvals: { users: [U012AB3CD], allowUnverifiedCli: true }
slack: { channel: C012AB3CD }
temporal: { address: "127.0.0.1:1" }
`,
  );
  writeFileSync(join(cwd, 'strict.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  const upgrade = 'apiVersion: belay.dev/v1alpha1\nkind: Upgrade\nmetadata: { name: prod }\nspec: { cluster: prod, target: "1.34" }\n';
  writeFileSync(join(cwd, 'upgrade.yaml'), upgrade);
  writeFileSync(join(cwd, 'slip.yaml'), upgrade.replace('target', 'targets'));
  writeFileSync(join(cwd, 'broken.yaml'), 'clusters:\n  prod: { regoin: eu-west-1 }\n');
  writeFileSync(
    join(cwd, 'kubeconfig.yaml'),
    'clusters:\n  prod: { region: eu-west-1, account: "123456789012", kubernetes: { kubeconfig: ./nothing } }\n',
  );
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const NO_TEMPORAL = 'Temporal at 127.0.0.1:1 does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.\n';

describe('bad input is answered in a sentence or two on stderr, and nothing is started', () => {
  test.each<[string, string[], string, number]>([
    [
      'no configuration',
      ['plan', 'prod', '-t', '1.34', '-c', 'nowhere.yaml'],
      'nowhere.yaml: there is no such file; write one with "belay init", or name another by --config or BELAY_CONFIG\n',
      1,
    ],
    [
      'help for a command that there is not',
      ['help', 'chekc'],
      "error: unknown command 'chekc'\n(Did you mean check?)\nTry the command with --help.\n",
      1,
    ],
    ['a wrong key', ['status', '-c', 'broken.yaml'], 'broken.yaml:2: clusters.prod.regoin: unknown key; did you mean "region"?\n', 1],
    ['an unknown cluster', ['start', 'prd', '-t', '1.34'], 'belay.yaml: no cluster "prd"; did you mean "prod"? There are: prod\n', 1],
    ['a look that is none', ['reconcile', 'prod', '--yes', '--dry-run'], 'Use either --yes or --dry-run, not both.\n', 1],
    ['no target', ['start', 'prod'], 'Which version? Add --target 1.34, or write target: "1.34" for prod in belay.yaml.\n', 1],
    [
      'a target that is none',
      ['plan', 'prod', '-t', 'latest'],
      "error: option '-t, --target <minor>' argument 'latest' is invalid. Use a Kubernetes minor version such as 1.34.\n",
      1,
    ],
    [
      'no AWS credentials',
      ['plan', 'prod', '-t', '1.34'],
      'reading cluster prod: AWS credentials are missing: give this process AWS_PROFILE, a role or AWS_ACCESS_KEY_ID (Could not load credentials from any providers)\n',
      1,
    ],
    [
      'nobody who may decide',
      ['start', 'prod', '-t', '1.34', '-c', 'strict.yaml'],
      'strict.yaml: approvals: names nobody who may decide, so no upgrade is started; add Slack user ids under users or group ids under groups\n',
      1,
    ],
    ['Temporal is down: start', ['start', 'prod', '-t', '1.34'], NO_TEMPORAL, 1],
    ['Temporal is down: apply', ['apply', '-f', 'upgrade.yaml'], NO_TEMPORAL, 1],
    ['nothing to apply', ['apply'], 'Which file? Use belay apply -f upgrade.yaml, or -f - to read stdin.\n', 1],
    [
      'one slip in several files',
      ['apply', '-f', 'upgrade.yaml', '-f', 'slip.yaml'],
      'slip.yaml:4: spec.target: is missing; write a Kubernetes minor in quotes, such as "1.34"\nslip.yaml:4: spec.targets: unknown key; did you mean "target"?\n',
      1,
    ],
    [
      'to wait and not to',
      ['apply', '-f', 'upgrade.yaml', '--no-wait', '--wait-for', 'end'],
      'Use either --no-wait or --wait-for, not both.\n',
      1,
    ],
    ['Temporal is down: status', ['status'], NO_TEMPORAL, 1],
    ['Temporal is down: abort', ['abort', 'prod'], NO_TEMPORAL, 1],
    [
      'the command line may not decide',
      ['decide', 'prod', 'before:control-plane@1.34#1', 'approve', '-c', 'strict.yaml'],
      'strict.yaml does not let the command line decide for prod: list people with their AWS identities under people, or set approvals.allowUnverifiedCli to true.\n',
      2,
    ],
    [
      'a worker with a channel and no token',
      ['worker'],
      'belay.yaml names a Slack channel, and SLACK_BOT_TOKEN is not set here: set SLACK_BOT_TOKEN, or remove slack and every channel from the file to work without Slack.\n',
      1,
    ],
    [
      'a Slack process without a channel',
      ['slack', '-c', 'strict.yaml'],
      'strict.yaml names no Slack channel, so "belay slack" has nothing to do: write slack.channel, or run only the worker.\n',
      1,
    ],
    [
      'no Slack token',
      ['slack'],
      'SLACK_BOT_TOKEN is not set. Install the app from slack/manifest.yaml and copy its bot token (xoxb-).\n',
      1,
    ],
    ['no region to look in', ['init', '-c', 'new.yaml'], 'Which region? Add --region eu-west-1, or set AWS_REGION.\n', 1],
    [
      'a file that would be overwritten',
      ['init'],
      'belay.yaml already exists; overwrite it with --force, or name another file with --config.\n',
      1,
    ],
    ['an unknown scenario', ['rehearse', '--scenario', 'nine'], `There is no scenario "nine". There are:\n`, 1],
    [
      'a fleet that is too small',
      ['rehearse', '--fleet', '2'],
      "error: option '--fleet <n>' argument '2' is invalid. Use a number of clusters from 3 to 60.\n",
      1,
    ],
    ...[
      ['--scenario', '--scenario', 'small'],
      ['--kubernetes real', '--kubernetes', 'real'],
      ['--kill', '--kill', 'worker@control-plane'],
      ['--fault', '--fault', 'eks:throttle'],
    ].map(([named = '', ...flags]): [string, string[], string, number] => [
      `a fleet with ${named}`,
      ['rehearse', '--fleet', '3', ...flags],
      `Use either --fleet or ${named}, not both: a fleet has its own clusters, one of which fails.\n`,
      1,
    ]),
    [
      'a kill without a moment',
      ['rehearse', '--kill', 'worker@lunch'],
      '"worker@lunch" names no phase; write one of control-plane-logging, karpenter-migration, karpenter-controller, istio, add-ons-bridge, freeze-drift, control-plane, node-groups, other-nodes, karpenter-drift, add-ons-target, back:freeze-drift, back:karpenter-controller, back:karpenter-drift, back:node-groups, add-ons-back, control-plane-back, node-classes-back after the @.\n',
      1,
    ],
  ])('%s', async (_name, args, stderr, code) => {
    const ran = await runBelay(args, { cwd, env: { BELAY_SIGNING_KEY: `slack-1:${randomBytes(32).toString('base64')}` } });
    expect(ran.stderr.slice(0, stderr.length)).toBe(stderr);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(ran.code).toBe(code);
  });

  test('a worker with a token and no channel', async () => {
    expect(await runBelay(['worker', '-c', 'strict.yaml'], { cwd, env: { SLACK_BOT_TOKEN: 'xoxb-1' } })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'SLACK_BOT_TOKEN is set here, and strict.yaml names no Slack channel: write slack.channel, or unset SLACK_BOT_TOKEN to work without Slack.\n',
    });
  });

  test('--debug shows where it comes from', async () => {
    const ran = await runBelay(['start', 'prod', '--debug'], { cwd });
    expect(ran.stderr).toMatch(/CliError: Which version[\s\S]+\n\s+at /);
  });

  test('BELAY_CONFIG names the file, and --config beats it', async () => {
    const env = { BELAY_CONFIG: 'broken.yaml' };
    expect((await runBelay(['plan', 'prod'], { cwd, env })).stderr).toMatch(/^broken.yaml:2/);
    expect((await runBelay(['start', 'prod', '-c', 'belay.yaml'], { cwd, env })).stderr).toMatch(/^Which version/);
  });
});

const SAMPLE = fileURLToPath(new URL('../../rehearsal/scenarios/samples/shop.snapshot.gz', import.meta.url));

describe('help', () => {
  test.each([
    [['help', 'campaign', 'start'], 'Usage: belay campaign start [options] <campaign>\n'],
    // Its argument is a cluster: nothing is taken of it.
    [['help', 'snapshot', 'prod'], 'Usage: belay snapshot [options] [command] [cluster]\n'],
    [['help'], 'Usage: belay [options] [command]\n'],
  ])('%j is about what it names', async (args, usage) => {
    const ran = await runBelay(args, { cwd });
    expect([ran.code, ran.stderr, ran.stdout.slice(0, usage.length)]).toEqual([0, '', usage]);
  });
});

test('every command has its help, with exit codes and the common flags', async () => {
  const all = (await wholeProgram()).commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands));
  for (const command of all) {
    let help = '';
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    expect(help).toContain('Exit codes:');
    expect(help).toContain('--debug');
    expect(command.description()).not.toBe('');
  }
});

const ENDS = `process.once('beforeExit', () => process.stderr.write('[nothing is open]'))`;

test.each<[string, string[], number]>([
  ['--help', ['--help'], 0],
  ['plan', ['plan', 'nonsense', '--target', '1.34'], 1],
  ['status', ['status'], 1],
  ['check', ['check', '--snapshot', SAMPLE, '--target', '1.34'], 2],
])('belay %s closes what it opens, and ends by itself', async (_name, args, code) => {
  const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(ENDS)}`];
  const ran = await runBelay(args, { cwd, nodeOptions, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
  expect(ran.stderr).toContain('[nothing is open]');
  expect(ran.code).toBe(code);
});

test('a reader that has seen enough is no failure', async () => {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'schema'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect({ code, said }).toEqual({ code: 0, said: '' });
});

test('where nobody reads what is said beside the result, the command goes on, and ends with its own code', async () => {
  const args = ['check', '--snapshot', SAMPLE, '--target', '1.34', '--output', 'closed.txt'];
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.destroy();
  child.stdout.resume();
  const [code] = await once(child, 'close');
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, 'closed.txt'), 'utf8')).toMatch(/Not ready for 1\.34/);
});

describe('belay report', () => {
  const env = { FORCE_COLOR: '1', NO_COLOR: '' };
  const report = (...args: string[]) => runBelay(['report', 'staging', '-c', 'records.yaml', ...args], { cwd, env });
  beforeAll(() => {
    writeFileSync(
      join(cwd, 'records.yaml'),
      'records: { directory: ./records }\nclusters:\n  staging: { account: "111122223333", region: eu-west-1 }\n',
    );
    mkdirSync(join(cwd, 'records'));
    const ended = status({ endedAt: '2026-03-03T13:00:00Z', headline: 'Done.\u001b[2K\u001b[8m' });
    writeFileSync(
      join(cwd, 'records', '111122223333_eu-west-1_staging_2026-03-03T12-00-00-000Z_run.json'),
      JSON.stringify({ format: 1, report: { status: ended, outcome: 'completed', decisions: [], leftBehind: [] } }),
    );
  });

  test('on a terminal has its colours, and none that somebody has written into a record', async () => {
    const { stdout, code } = await report();
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['\u001b[1mstaging: 1.31 → 1.32, completed\u001b[22m', 'Done. [2K [8m']);
  });

  test.each(['record.txt', 'record.json', 'record.md', 'record.html'])('in %s has no colours, and ends with one line end', async (name) => {
    expect(await report('--output', name)).toEqual({ code: 0, stdout: '', stderr: `Written to ${name}.\n` });
    const written = readFileSync(join(cwd, name), 'utf8');
    expect(written).toContain('Done.');
    expect(written).not.toContain('\u001b');
    expect(written).toMatch(/[^\n]\n$/);
  });
});

test('the command line is recorded as the operating-system user and host', () => {
  const { username } = userInfo();
  expect(cliActor()).toEqual({ kind: 'cli', id: `${username}@${hostname()}`, name: username });
});

test('a Node that is too old is told so before anything else', () => {
  const launcher = readFileSync(new URL('../../cli/bin.mjs', import.meta.url), 'utf8');
  expect(launcher).toContain('belay needs Node 22.19 or later');
  expect(launcher.indexOf('await import(')).toBeGreaterThan(launcher.indexOf('process.exit(1)'));
});
