/** `belay fleet` and `belay check --all` as people and CI run them: beside a small cluster, without Temporal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseScenario } from '../../../rehearsal/play/choose.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { isRecord } from '../../../domain/core/unknown.ts';
import { eventually } from '../../support/eventually.ts';
import { type Ran, runBelay } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

let cwd: string;
let stage: Stage;

const SMALL = 'small: { region: eu-central-1, account: "111122223333", environment: dev }';
const GONE = 'gone: { region: eu-central-1, account: "111122223333", environment: prod }';

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-fleet-'));
  stage = await setStage({ scenario: chooseScenario('small'), speed: 600, faults: [], temporalUi: () => undefined });
  write('belay.yaml', SMALL, GONE);
  write('small.yaml', SMALL);
});
afterAll(async () => {
  await stage.close();
  rmSync(cwd, { recursive: true, force: true });
});

function write(name: string, ...clusters: string[]): void {
  writeFileSync(join(cwd, name), `clusters:\n${clusters.map((each) => `  ${each}\n`).join('')}temporal: { address: "127.0.0.1:1" }\n`);
}

async function belay(...args: string[]): Promise<Ran> {
  return await runBelay(args, { cwd, env: aws(), limitMs: 90_000 });
}

const aws = () => ({ AWS_ENDPOINT_URL: stage.aws.url, AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'test' });

function parsed(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

describe('belay fleet', () => {
  test('without Temporal it reads AWS itself and says so; a cluster that cannot be read is 3 with --exit-code', async () => {
    const { code, stdout, stderr } = await belay('fleet', '--exit-code', '--html', 'fleet.html');
    expect(stdout).toMatch(/^small +111122223333 +eu-central-1 +dev +1\.31 +standard +2025-11-26 +211$/m);
    expect(stdout).toMatch(/^gone +111122223333 +eu-central-1 +prod +\? +unknown +- +-$/m);
    expect(stdout.replace(/\s+/g, ' ')).toContain('without a worker: Temporal at 127.0.0.1:1 does not answer.');
    expect(stdout).toContain('Which runs and campaigns are open is not known either.');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'Written to fleet.html.\n1 cluster could not be read: nothing is known about it.\n',
    });
    expect(readFileSync(join(cwd, 'fleet.html'), 'utf8')).toContain('<th scope="row">small<small>111122223333 · eu-central-1</small></th>');
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  test('what is due goes before what could not be read; without --exit-code it is told and no failure', async () => {
    const due = await belay('fleet', '--exit-code', '--within', '300', '-o', 'json');
    expect({ code: due.code, stderr: due.stderr }).toEqual({ code: 2, stderr: '1 cluster needs action within 300 days.\n' });
    expect(parsed(due.stdout)).toMatchObject({ schemaVersion: 1, outcome: 'due', counts: { clusters: 2, due: 1, unread: 1 } });
    expect((await belay('fleet', '--within', '300', '-o', 'csv')).code).toBe(0);
  });

  test('nothing due is 0, of the clusters that were asked for', async () => {
    const { code, stdout, stderr } = await belay('fleet', '--exit-code', '--environment', 'dev');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Nothing is due within 60 days on 1 cluster.');
  });

  test.each<[string, string[], string]>([
    ['a slip', ['--environment', 'prd'], 'No cluster in belay.yaml matches --environment prd. Did you mean prod? There are: dev, prod.\n'],
    [
      'filters that exclude each other',
      ['--environment', 'dev', '--cluster', 'gone'],
      'No cluster in belay.yaml matches all of these filters; leave one out.\n',
    ],
    [
      'no days',
      ['--within', '0'],
      "error: option '--within <days>' argument '0' is invalid. --within takes a whole number of days from 1 to 730, such as 60.\n",
    ],
    [
      'an address without a server',
      ['--port', '8080'],
      '--host and --port need --serve, which listens there: add --serve, or leave them out.\n',
    ],
    [
      'a server with an exit code',
      ['--serve', '--exit-code'],
      '--serve shows the page over HTTP; leave out --format, --html and --exit-code.\n',
    ],
    ['a server for everybody', ['--serve', '--host', '0.0.0.0'], 'Others could read the whole fleet through 0.0.0.0.'],
    ['a file that cannot be written', ['--cluster', 'small', '--html', 'no/where.html'], '--html no/where.html cannot be written'],
  ])('%s is answered in a sentence that names the fix', async (_title, args, stderr) => {
    const ran = await belay('fleet', ...args);
    expect(ran.code).toBe(1);
    expect(ran.stderr.slice(0, stderr.length)).toBe(stderr);
  });
});

test('belay fleet --serve shows the page until it is told to end', async () => {
  const args = ['--no-warnings', PROGRAM, 'fleet', '--serve', '--port', '0', '-c', 'small.yaml'];
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...aws() }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
  try {
    const url = await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]);
    expect(await (await fetch(url)).text()).toContain('<th scope="row">small<small>111122223333 · eu-central-1</small></th>');
  } finally {
    child.kill('SIGTERM');
  }
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});

describe('belay check --all', () => {
  test('each for its own target, else for the next minor; one that cannot be read is unknown, not ready', async () => {
    const { code, stdout, stderr } = await belay('check', '--all', '--only', 'EKS001', '--format', 'json');
    expect(parsed(stdout)).toMatchObject({
      schemaVersion: 1,
      clusters: [
        { kind: 'report', cluster: { name: 'small' }, report: { target: '1.32', verdict: 'ready' } },
        { kind: 'unread', cluster: { name: 'gone' }, why: expect.stringContaining('gone') },
      ],
    });
    expect(stderr).toMatch(/^\[\d\/2\] small: ready for 1\.32 \(0 required, 0 recommended, 0 unknown\)$/m);
    expect(stderr).toMatch(/^\[\d\/2\] gone: could not be checked: /m);
    expect(stderr).toContain('Could not check everything on 1 of 2 clusters; the report says what is missing.\n');
    expect(code).toBe(3);
  });

  test('the worst decides: required before unknown; a table has a line for each', async () => {
    const { code, stdout, stderr } = await belay('check', '--all', '--only', 'OWN004');
    expect(stdout).toMatch(/^small +111122223333 +eu-central-1 +1\.31 +1\.32 +not ready +1 +0 +0$/m);
    expect(stdout).toMatch(/^gone +111122223333 +eu-central-1 +\? +\? +not read +\? +\? +\?$/m);
    expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([2, '1 of 2 clusters is not ready; see the report.']);
  });

  test('one that is at its target is done, in a file as asked', async () => {
    const args = ['check', '--all', '-c', 'small.yaml', '--target', '1.31', '--format', 'html', '--output', 'all.html'];
    const { code, stderr } = await belay(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '[1/1] small: already at 1.31\nWritten to all.html.\n' });
    expect(readFileSync(join(cwd, 'all.html'), 'utf8')).toContain('<span class="verdict ready">already at 1.31</span>');
  });

  test.each<[string[], string]>([
    [['small', '--all'], 'Use only one of: a cluster, --snapshot, --all.\n'],
    [['--all', '--diff', 'old.json'], '--diff compares reports of one cluster: name it, and leave out --all.\n'],
    [['--all', '--only', 'K8S912'], 'Unknown check: K8S912.'],
  ])('%s is refused', async (args, stderr) => {
    const ran = await belay('check', ...args);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr.slice(0, stderr.length)).toBe(stderr);
  });
});
