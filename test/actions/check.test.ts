/** The action belay-check, run as GitHub runs its step: action.yml's own script, environment and shell, beside a stand-in of GitHub's API. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FailOn, InputError, inputsOf } from '../../actions/check/inputs.ts';
import { jobCodeOf, type Verdict, verdictOf } from '../../actions/check/report.ts';
import { root, yamlOf } from '../deploy/files.ts';
import { type GitHub, LOGIN, startGitHub, TOKEN } from './github.ts';

const action = z
  .object({
    inputs: z.record(z.string(), z.object({ default: z.string() })),
    runs: z.object({ steps: z.array(z.object({ run: z.string().optional(), env: z.record(z.string(), z.string()).optional() })) }),
  })
  .parse(yamlOf('actions/check/action.yml')[0]);
const step = action.runs.steps.find(({ run }) => run !== undefined);

let folder: string;
let github: GitHub;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-action-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  github = await startGitHub();
});
afterEach(async () => await github.close());

/** A program in place of the package. */
function program(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
const prints = (name: string, report: string, code: number): string => {
  writeFileSync(join(folder, `${name}.md`), report);
  return program(name, `cat "${folder}/${name}.md"; exit ${code}`);
};

interface Ended {
  code: number | null;
  log: string;
  outputs: Record<string, string>;
  summary: string;
}

/** `event`: what began the workflow. */
async function run(
  inputs: Record<string, string>,
  { event = { pull_request: { number: 7 } }, env = {} }: { event?: object; env?: Record<string, string> } = {},
): Promise<Ended> {
  const file = (name: string, text = ''): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [output, summary] = [file('output'), file('summary')];
  const given = Object.entries(step?.env ?? {}).map(([name, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? '(none)';
    return [name, inputs[input] ?? (input === 'token' ? TOKEN : action.inputs[input]?.default)];
  });
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'false'], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: folder,
      GITHUB_ACTION_PATH: join(root, 'actions/check'),
      GITHUB_API_URL: github.url,
      GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event)),
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: 'example/shop',
      GITHUB_RUN_ID: '42',
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: folder,
      ...Object.fromEntries(given),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const lines = readFileSync(output, 'utf8').split('\n').filter(Boolean);
  const outputs = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  return { code, log, outputs, summary: readFileSync(summary, 'utf8') };
}

const RUN = 'https://github.com/example/shop/actions/runs/42';

describe('belay check of a snapshot', () => {
  test('is in the summary and in a comment, which the next run edits', async () => {
    const belay = program('belay', `exec "${process.execPath}" --no-warnings "${root}cli/main.ts" "$@"`);
    const inputs = { snapshot: join(root, 'rehearsal/scenarios/samples/shop.snapshot.gz'), target: '1.34', command: belay };
    const first = await run(inputs);
    expect(first.code).toBe(2);
    expect(first.outputs).toEqual({
      verdict: 'not-ready',
      'exit-code': '2',
      report: expect.stringMatching(new RegExp(`^${folder}/belay-check-\\w+/belay-check\\.md$`)),
      'comment-url': 'https://github.com/example/shop/pull/7#issuecomment-1000',
    });
    const kept = readFileSync(first.outputs['report'] ?? '', 'utf8');
    expect(kept).toBe(first.summary);
    expect(first.summary).toMatch(/^# shop: 1\.\d\d → 1\.34\n\n\*\*/);
    expect(first.summary).toContain('| Area | Required | Recommended | Unknown | Waived | Passed |');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body.startsWith('<!-- belay-check shop.snapshot.gz 1.34 -->\n# shop: ')).toBe(true);
    const again = await run({ ...inputs, command: prints('later', '# shop: ready\n', 0) });
    expect(again).toMatchObject({ code: 0, outputs: { verdict: 'ready', 'comment-url': first.outputs['comment-url'] } });
    // A job may have several such steps: the report of an earlier one stays what it was.
    expect(readFileSync(first.outputs['report'] ?? '', 'utf8')).toBe(kept);
    expect(github.comments.map(({ body }) => body)).toEqual(['<!-- belay-check shop.snapshot.gz 1.34 -->\n# shop: ready\n\n']);
  });
});

describe('the comment', () => {
  const inputs = (): Record<string, string> => ({ cluster: 'prod', target: '1.34', command: prints('belay-2', '# prod\n', 2) });
  const marker = '<!-- belay-check prod 1.34 -->';

  test('is one for each cluster and target', async () => {
    await run(inputs());
    await run({ ...inputs(), target: '1.35' });
    await run({ ...inputs(), cluster: 'staging' });
    await run(inputs());
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([
      marker,
      '<!-- belay-check prod 1.35 -->',
      '<!-- belay-check staging 1.34 -->',
    ]);
  });

  test('says so where there is nothing to check, and no report', async () => {
    const ended = await run({ ...inputs(), command: prints('belay-there', '', 0) });
    expect([ended.code, ended.outputs['verdict']]).toEqual([0, 'ready']);
    expect(github.comments.map(({ body }) => body)).toEqual([`${marker}\n**prod** is at its target already: there is nothing to check.\n`]);
  });

  test('is found among hundreds', async () => {
    github.comments.push(...Array.from({ length: 250 }, (_, id) => ({ id, body: `comment ${id}`, user: { login: 'ada' } })));
    github.comments.push({ id: 900, body: `${marker}\nold`, user: { login: LOGIN } });
    await run(inputs());
    expect(github.comments).toHaveLength(251);
    expect(github.comments.at(-1)?.body).toBe(`${marker}\n# prod\n\n`);
  });

  test('is never that of somebody else, who could change it afterwards', async () => {
    github.comments.push({ id: 1, body: `${marker}\nready, says Mallory`, user: { login: 'mallory' } });
    github.comments.push({ id: 2, body: `Quoted: ${marker}`, user: { login: LOGIN } });
    await run(inputs());
    expect(github.comments.map(({ body }) => body)).toEqual([
      `${marker}\nready, says Mallory`,
      `Quoted: ${marker}`,
      `${marker}\n# prod\n\n`,
    ]);
  });

  test('ends after a whole line where the report is too long, and calls nobody', async () => {
    const line = 'pod @org/team has a finding\n';
    await run({ ...inputs(), command: prints('long', line.repeat(5_000), 2) });
    const body = github.comments[0]?.body ?? '';
    expect(body.length).toBeLessThan(65_536);
    expect(body).not.toMatch(/@\w/);
    expect(body.split('\n').slice(-5)).toEqual([
      'pod @\u200Borg/team has a finding',
      '',
      `*Cut here. The whole report is in the [summary of the run](${RUN}).*`,
      '',
      '',
    ]);
  });

  test('of a check that could not run quotes nothing', async () => {
    const command = program('fails', 'echo "secret: hunter2" >&2; echo "::set-env name=A::b" >&2; exit 1');
    const { code, outputs, log } = await run({ ...inputs(), command });
    expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 1, verdict: 'failed' });
    expect(github.comments[0]?.body).toBe(`${marker}\n**prod could not be checked.** The [log](${RUN}) says why.\n`);
    // What it says is shown, and is no command to the runner until the token is said.
    const [, token = ''] = /^::stop-commands::([\w-]{36})\n/.exec(log) ?? [];
    expect(log).toBe(`::stop-commands::${token}\nsecret: hunter2\n::set-env name=A::b\n::${token}::\n`);
  });

  test('that GitHub refuses is a warning', async () => {
    github.refuse = 403;
    const { code, log, summary } = await run(inputs());
    expect(code).toBe(2);
    expect(log).toContain(
      '::warning::The report is not in a comment: GitHub answered POST issues/7/comments with 403: Resource not accessible by integration.',
    );
    expect(summary).toBe('# prod\n');
  });

  test.each<[string, Record<string, string>, object]>([
    ['without a pull request', {}, { ref: 'refs/heads/main' }],
    ['where nobody wants one', { comment: 'false' }, { pull_request: { number: 7 } }],
    ['without a token', { token: '' }, { pull_request: { number: 7 } }],
  ])('is not made %s', async (_, more, event) => {
    const { code, outputs, summary } = await run({ ...inputs(), ...more }, { event });
    expect({ code, summary, url: outputs['comment-url'] }).toEqual({ code: 2, summary: '# prod\n', url: undefined });
    expect(github.requests).toEqual([]);
  });
});

describe('what the job accepts', () => {
  test.each<[FailOn, number | null, Verdict, number]>([
    ['unknown', 0, 'ready', 0],
    ['unknown', 2, 'not-ready', 2],
    ['unknown', 3, 'unknown', 3],
    ['required', 3, 'unknown', 0],
    ['required', 2, 'not-ready', 2],
    ['recommended', 3, 'unknown', 3],
    ['never', 2, 'not-ready', 0],
    ['never', 3, 'unknown', 0],
    ['never', 1, 'failed', 1],
    ['never', 137, 'failed', 1],
    ['never', null, 'failed', 1],
  ])('fail-on %s: exit code %s is %s, and %i for the job', (failOn, exit, verdict, code) => {
    expect([verdictOf(exit), jobCodeOf(verdictOf(exit), failOn)]).toEqual([verdict, code]);
  });

  test('never: the verdict is still that of the check', async () => {
    const ended = await run({ cluster: 'prod', 'fail-on': 'never', comment: 'false', command: prints('exits-3', '', 3) });
    expect([ended.outputs['verdict'], ended.outputs['exit-code'], ended.code]).toEqual(['unknown', '3', 0]);
  });

  test('a program that is not there has checked nothing', async () => {
    const { code, outputs, log } = await run({ cluster: 'prod', 'fail-on': 'never', comment: 'false', command: './nowhere' });
    expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 1, verdict: 'failed' });
    expect(log).toContain('::error::./nowhere could not be started: ');
  });
});

describe('inputs', () => {
  test('become arguments as they are; the check is not given the token', async () => {
    const command = program('echoes', `printf '%s\\n' "$@"; env | grep -c ^BELAY_ACTION_ || true`);
    const { summary } = await run({ cluster: 'prod', config: 'a b/$(id).yaml', 'fail-on': 'never', command, comment: 'false' });
    expect(summary.trim().split('\n')).toEqual([
      'check',
      'prod',
      '--config',
      'a b/$(id).yaml',
      '--fail-on',
      'unknown',
      '--format',
      'markdown',
      '0',
    ]);
  });

  describe('without a command', () => {
    /** npm's place, which notes where and how it was started, and leaves a program that prints where it runs. */
    const npm = (code: number): Record<string, string> => {
      const bin = mkdtempSync(join(folder, 'bin-'));
      const script = [
        `npm config get registry > "${folder}/npm.log"`,
        `ls -A >> "${folder}/npm.log"`,
        `printf '%s\\n' "$@" >> "${folder}/npm.log"`,
        `mkdir -p node_modules/.bin && printf '#!/bin/sh\\necho "$0"; pwd; echo "$@"\\n' > node_modules/.bin/belay`,
        `chmod +x node_modules/.bin/belay; exit ${code}`,
      ].join('\n');
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\nPATH="\${PATH#*:}"\n${script}\n`);
      chmodSync(join(bin, 'npm'), 0o755);
      const temp = mkdtempSync(join(tmpdir(), 'belay-runner-temp-'));
      temps.push(temp);
      return { PATH: [bin, dirname(process.execPath), process.env['PATH']].join(delimiter), RUNNER_TEMP: temp, HOME: temp };
    };
    const temps: string[] = [];
    const own = ['.npmrc', 'package.json', 'node_modules'];
    afterEach(() => {
      for (const path of [...temps.splice(0), ...own.map((name) => join(folder, name))]) rmSync(path, { recursive: true, force: true });
    });

    test('the package of this version is installed where no file of the pull request has a say, and checks in the checkout', async () => {
      writeFileSync(join(folder, '.npmrc'), 'registry=https://mallory.example/\n');
      writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/.bin/belay'), '#!/bin/sh\necho ready, says Mallory\n', { mode: 0o755 });
      const env = npm(0);
      const { code, summary } = await run({ cluster: 'prod', comment: 'false' }, { env });
      expect(code).toBe(0);
      const [registry, ...log] = readFileSync(join(folder, 'npm.log'), 'utf8').trim().split('\n');
      expect(registry).not.toContain('mallory');
      expect(log).toEqual(['package.json', 'install', '--no-audit', '--no-fund', 'eks-belay@0.1.0']);
      const [program, cwd, args] = summary.split('\n');
      expect(program).toMatch(new RegExp(`^${env['RUNNER_TEMP']}/belay-package-\\w+/node_modules/.bin/belay$`));
      expect(cwd).toBe(realpathSync(folder));
      expect(args).toBe('check prod --fail-on unknown --format markdown');
    });

    test('a package that npm cannot install has checked nothing', async () => {
      const { code, outputs, log } = await run({ cluster: 'prod', 'fail-on': 'never', comment: 'false' }, { env: npm(1) });
      expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 1, verdict: 'failed' });
      expect(log).toContain('::error::npm could not install eks-belay@0.1.0. The log above says why.');
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['nothing to check', {}, 'Give one of the inputs cluster and snapshot.'],
    ['two things', { cluster: 'prod', snapshot: 'prod.gz' }, 'Give one of the inputs cluster and snapshot.'],
    [
      'an option for a name',
      { cluster: '--config=/etc/passwd' },
      'Input cluster is "--config=/etc/passwd". Write a name of belay.yaml, such as prod.',
    ],
    ['a command for a name', { cluster: 'prod; id' }, 'Input cluster is "prod; id". Write a name of belay.yaml, such as prod.'],
    ['an option for a file', { cluster: 'prod', config: '-c' }, 'Input config is "-c". Write the path of a file.'],
    [
      'a second line',
      { snapshot: 'a\n::set-output name=verdict::ready' },
      'Input snapshot is "a\\n::set-output name=verdict::ready". Write the path of a file of belay snapshot.',
    ],
    ['a target that is none', { cluster: 'prod', target: 'latest' }, 'Input target is "latest". Write a version such as 1.34.'],
    [
      'an unknown severity',
      { cluster: 'prod', 'fail-on': 'none' },
      'Input fail-on is "none". Write one of required, recommended, unknown, never.',
    ],
    ['neither yes nor no', { cluster: 'prod', comment: 'yes' }, 'Input comment is "yes". Write true or false.'],
  ])('%s', (_, inputs, error) => {
    const env = Object.entries(inputs).map(([name, value]) => [`BELAY_ACTION_${name.toUpperCase().replaceAll('-', '_')}`, value]);
    expect(() => inputsOf(Object.fromEntries(env))).toThrow(new InputError(error));
  });

  test('that are refused start nothing', async () => {
    const ended = await run({ cluster: 'prod; id', command: program('touches', `touch "${folder}/started"`) });
    const error = 'Input cluster is "prod; id". Write a name of belay.yaml, such as prod.';
    expect({ code: ended.code, outputs: ended.outputs, log: ended.log }).toEqual({ code: 1, outputs: {}, log: `::error::${error}\n` });
    expect(() => readFileSync(join(folder, 'started'))).toThrow('ENOENT');
    expect(github.requests).toEqual([]);
  });
});

test('nothing of an input is in a script', () => {
  for (const { run: script } of action.runs.steps) expect(script ?? '').not.toContain('${{');
});
