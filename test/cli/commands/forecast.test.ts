/** Commands on a snapshot file: a forecast, a plan, a check, and what is said of files and options that are wrong. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeProgram } from '../../../cli/program.ts';
import { exitCodeOf } from '../../../cli/shared/errors.ts';
import { parseComparing, parseForecastPace, parseRuns, parseWaves } from '../../../cli/shared/forecast-ways.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { parseStoredForecast } from '../../../domain/run/forecasts/stored.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { rejection } from '../../support/thrown.ts';
import { takeSnapshotOf } from '../../../worker/local/snapshots/take-snapshot.ts';
import { startTwin, type Twin } from '../../activities/support/twin.ts';
import { type Ran, runBelay } from '../run-belay.ts';

const FILE = 'small.belay-snapshot.gz';
let cwd: string;
let name: string;
let twin: Twin;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-forecast-'));
  twin = await startTwin('small');
  const { account, region } = twin.ref;
  ({ name } = twin.ref);
  const text = `clusters:\n  ${name}: { region: ${region}, account: "${account}", target: "1.32" }\n`;
  writeFileSync(join(cwd, 'belay.yaml'), text);
  await takeSnapshotOf(parseConfig(text, 'belay.yaml'), name, join(cwd, FILE), { belay: '0.1.0' });
}, 180_000);
afterAll(async () => {
  await twin.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** Without AWS credentials, and with a proxy that refuses everything: nothing may be asked of anybody. */
const belay = (...args: string[]): Promise<Ran> =>
  runBelay(args, { cwd, env: { HTTPS_PROXY: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' } });

/** A whole file of these lines, whatever they say. */
function gzipped(lines: readonly string[]): Buffer {
  const [body, end] = [lines.slice(0, -1), JSON.parse(lines.at(-1) ?? '')];
  const text = body.map((line) => `${line}\n`).join('');
  const proof = { ...end, lines: body.length, sha256: createHash('sha256').update(text).digest('hex') };
  return gzipSync(`${text}${JSON.stringify(proof)}\n`);
}

describe('a forecast', () => {
  test.each([
    { command: ['check', '--only', 'EKS001'], file: 'report.html', starts: '<!doctype html>' },
    { command: ['check', '--only', 'EKS001'], file: 'report.md', starts: '#' },
    { command: ['check', '--only', 'EKS001'], file: 'junit.xml', starts: '<?xml' },
    { command: ['check', '--only', 'EKS001'], file: 'report.txt' },
    { command: ['check', '--only', 'EKS001', '--format', 'json'], file: 'report.html', starts: '{' },
    { command: ['forecast', '--runs', '2'], file: 'forecast.HTML', starts: '<!doctype html>' },
    { command: ['forecast', '--runs', '2'], file: 'forecast.json', starts: '{' },
  ])('$command into $file: the name says the format where no other is given', async ({ command: [verb = '', ...more], file, starts }) => {
    await belay(verb, name, '--snapshot', FILE, ...more, '--output', file);
    expect(
      readFileSync(join(cwd, file), 'utf8')
        .toLowerCase()
        .startsWith(starts ?? name),
    ).toBe(true);
  });

  test('F62: needs no network and no credentials; what belay.yaml names is kept beside its records', async () => {
    const { code, stdout, stderr } = await belay('forecast', name, '--snapshot', FILE, '--runs', '3');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Saved at .*records\/forecast_\d{12}_/)]);
    expect(stdout).toMatch(new RegExp(`^${name} .*: 1\\.31 → 1\\.32, nodes `));
    expect(stdout).toContain('3 simulations on a snapshot that was ');
    const [kept = ''] = readdirSync(join(cwd, 'records'));
    const stored = parseStoredForecast(JSON.parse(readFileSync(join(cwd, 'records', kept), 'utf8')));
    expect(stored).toMatchObject({ cluster: { name }, target: '1.32', runs: 3 });
  });

  test('a belay.yaml that calls the cluster otherwise is used: account, region and EKS’s name say that it is the one', async () => {
    const { account, region } = twin.ref;
    const elsewhere = mkdtempSync(join(tmpdir(), 'belay-forecast-key-'));
    const ours = `prod: { name: ${name}, region: ${region}, account: "${account}", target: "1.32" }`;
    // The same key as the snapshot's name, and another cluster.
    const theirs = `${name}: { region: ${region}, account: "999999999999" }`;
    writeFileSync(join(elsewhere, 'belay.yaml'), `clusters:\n  ${ours}\n  ${theirs}\n`);
    const at = { cwd: elsewhere };
    const ran = await runBelay(['forecast', 'prod', '--snapshot', join(cwd, FILE), '--runs', '1'], at);
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/^Saved at .*_prod\.json\. /)]);
    expect(ran.stdout).toMatch(/^prod .*: 1\.31 → 1\.32, nodes /);
    const check = await runBelay(['check', '--snapshot', join(cwd, FILE), '--format', 'json', '--fail-on', 'never'], at);
    expect([JSON.parse(check.stdout), check.stderr]).toMatchObject([{ cluster: { name: 'prod', eksName: name } }, '']);
    rmSync(elsewhere, { recursive: true });
  });

  test('without belay.yaml it goes by Belay’s defaults, and nothing is kept', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'belay-forecast-elsewhere-'));
    const options = ['--snapshot', join(cwd, FILE), '-t', '1.32', '--runs', '2', '--seed', '7', '--format', 'html', '-o', 'page.html'];
    const ran = await runBelay(['forecast', ...options], { cwd: elsewhere });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: 'Written to page.html.\n' });
    expect(readdirSync(elsewhere)).toEqual(['page.html']);
    rmSync(elsewhere, { recursive: true });
  });

  test('without --snapshot one of the cluster is taken first, and gone afterwards', async () => {
    const env = {
      AWS_ENDPOINT_URL: String(process.env['AWS_ENDPOINT_URL']),
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'x',
      TMPDIR: cwd,
    };
    const { code, stdout, stderr } = await runBelay(['forecast', name, '--runs', '1', '--waves', 'zone'], { cwd, env });
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      `Taking a snapshot of ${name} for this forecast; "belay snapshot ${name}" takes one to keep.`,
    ]);
    expect(stdout).toContain(', zone by zone');
    expect(readdirSync(cwd).filter((file) => file.startsWith('belay-snapshot-'))).toEqual([]);
  });

  test('paces side by side; a what-if is not kept', async () => {
    rmSync(join(cwd, 'records'), { recursive: true, force: true });
    const { code, stdout, stderr } = await belay('forecast', '--snapshot', FILE, '--runs', '2', '--compare', 'pace=1,original');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\npace +1 +original\nDuration +/);
    expect(readdirSync(cwd)).not.toContain('records');
  });

  test('a target that no plan reaches exits with 2 and every reason', async () => {
    const { code, stdout, stderr } = await belay('forecast', '--snapshot', FILE, '-t', '1.40');
    expect([code, stderr]).toEqual([2, 'No plan satisfies all rules; see the remedies above.\n']);
    expect(stdout).toContain('EKS does not offer Kubernetes 1.40');
  });
});

test('plan and check read a snapshot, too', async () => {
  const plan = await belay('plan', '--snapshot', FILE);
  expect([plan.code, plan.stderr]).toEqual([0, '']);
  expect(plan.stdout).toMatch(new RegExp(`^${name} .*: 1\\.31 → 1\\.32\n`));
  const check = await belay('check', '--snapshot', FILE, '--format', 'json', '--fail-on', 'never');
  expect(JSON.parse(check.stdout)).toMatchObject({ cluster: { name }, target: '1.32' });
});

describe('bad input is answered in a sentence or two, and exits with 1', () => {
  test.each<[string, string[], () => string]>([
    [
      'a snapshot of another cluster',
      ['forecast', 'prod', '--snapshot', FILE],
      () => `${join(cwd, FILE)} is a snapshot of ${name}, not of prod: leave the name out, or name the right file.`,
    ],
    [
      'a file that is no snapshot',
      ['plan', '--snapshot', 'belay.yaml', '-t', '1.33'],
      () => `${join(cwd, 'belay.yaml')} is not compressed with gzip, so it is no snapshot; take one with belay snapshot`,
    ],
    [
      'neither a cluster nor a snapshot',
      ['plan', '-t', '1.33', '-c', 'belay.yaml'],
      () => 'Which cluster? Name one from belay.yaml: belay plan CLUSTER --target 1.34.',
    ],
    [
      'the same twice',
      ['forecast', '--snapshot', FILE, '--pace', '1', '--compare', 'pace=1,2'],
      () => 'Use either --compare pace=… or --pace, not both.',
    ],
    [
      'a belay.yaml that is named and not there',
      ['forecast', '--snapshot', FILE, '-c', 'gone.yaml'],
      () => 'gone.yaml: there is no such file; write one with "belay init", or name another by --config or BELAY_CONFIG',
    ],
  ])('%s', async (_what, args, message) => {
    const there = args.map((arg) => ([FILE, 'belay.yaml'].includes(arg) ? join(cwd, arg) : arg));
    const error = await rejection((await wholeProgram()).parseAsync(['node', 'belay', ...there]));
    expect([messageOf(error), exitCodeOf(error)]).toEqual([message(), 1]);
  });

  test.each<[string, 'forecast' | 'plan' | 'check', (lines: string[]) => Buffer, string]>([
    [
      'F57: a truncated file',
      'forecast',
      (lines) => gzipped(lines).subarray(0, 3_000),
      'FILE ends in the middle: it is truncated, copy it again or take a new snapshot',
    ],
    [
      'F56: a file of a newer Belay',
      'plan',
      (lines) => gzipped(lines.map((line) => line.replace('"version":1,', '"version":7,'))),
      'The snapshot has format version 7 and was taken by Belay 0.1.0; this Belay reads versions up to 1: use Belay 0.1.0 or newer',
    ],
    [
      'a cluster of another cloud',
      'check',
      (lines) => gzipped(lines.map((line) => line.replace(/"cluster":\{"name":"small"[^}]*\}/, '"cluster":{"name":"gke_project_zone_c"}'))),
      'The snapshot is of no EKS cluster: its header has no cluster.account. Take one of an EKS cluster with belay snapshot',
    ],
    [
      'a file without an answer of EKS',
      'forecast',
      (lines) => gzipped(lines.filter((line) => !line.startsWith('{"kind":"aws"'))),
      'the snapshot does not hold the answer of eks:DescribeCluster to {"name":"small"}',
    ],
  ])('%s', async (_what, command, bytes, message) => {
    const file = join(cwd, 'other.gz');
    writeFileSync(
      file,
      bytes(
        gunzipSync(readFileSync(join(cwd, FILE)))
          .toString()
          .trimEnd()
          .split('\n'),
      ),
    );
    const error = await rejection((await wholeProgram()).parseAsync(['node', 'belay', command, '--snapshot', file, '-t', '1.32']));
    expect([messageOf(error).replace(file, 'FILE'), exitCodeOf(error)]).toEqual([message, 1]);
  });

  test.each<[string, () => unknown, string]>([
    [
      'a pace at which nothing moves',
      () => parseForecastPace('freeze'),
      'At pace freeze the nodes never roll. Use 1, 10%, another number or percentage, original or automatic.',
    ],
    ['no pace', () => parseForecastPace('fast'), 'Use freeze, 1, 10%, 20%, another number or percentage, original or automatic.'],
    ['no waves', () => parseWaves('0'), 'Use zone, nodepool, none, or a number of nodes above 0.'],
    [
      'a comparison of one',
      () => parseComparing('pace=1,1'),
      'Give at least two different values, such as strategy=every-hop,once-at-the-end.',
    ],
    ['a comparison of something else', () => parseComparing('seed=1,2'), 'Use one of strategy, pace, waves.'],
    ['no comparison', () => parseComparing('pace'), 'Name what to compare, and its values, such as pace=1,10%,original.'],
    ['too many simulations', () => parseRuns('5000'), 'Use a number above 0 and up to 500.'],
    ['half a simulation', () => parseRuns('1.5'), 'Use a number above 0 and up to 500.'],
  ])('%s', (_what, parse, message) => {
    expect(parse).toThrow(message);
  });
});

test('what options mean', () => {
  expect(parseComparing('waves=none, zone,10')).toEqual({
    by: 'waves',
    ways: [
      { label: 'none', way: { waves: 'none' } },
      { label: 'zone', way: { waves: { by: 'zone' } } },
      { label: '10', way: { waves: { by: 'count', nodes: 10 } } },
    ],
  });
  expect(parseComparing('pace=automatic,original').ways.map(({ way }) => way)).toEqual([{}, { pace: 'original' }]);
  expect(parseForecastPace('10%')).toBe('10%');
});
