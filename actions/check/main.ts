/**
 * The action's one step: runs `belay check`, writes the report into the job's summary and a comment, sets outputs, and ends with a code of `belay check`.
 * A comment that cannot be written is a warning: the check is what counts.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PullRequest, upsertComment } from './comments.ts';
import { InputError, type Inputs, inputsOf } from './inputs.ts';
import { bounded, commentOf, jobCodeOf, markerOf, SUMMARY_LIMIT, verdictOf } from './report.ts';

const { env } = process;
/** What programs say of themselves goes there, too: of two streams the runner may read the end of what is no command before that. */
const STDOUT = 1;

/** Workflow commands are lines of output: nothing that is quoted may begin a line. */
const annotate = (level: 'error' | 'warning', text: string): void =>
  console.log(`::${level}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`);

function append(file: string | undefined, text: string): void {
  if (file !== undefined && file !== '') appendFileSync(file, text);
}

function check({ args, command }: Inputs): { exitCode: number | null; report: string } {
  // What the package needs of the environment is AWS's and the cluster's; the token that comments is not its business.
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BELAY_ACTION_')));
  // Until its token is said, no line of the log is a command to the runner.
  const token = randomUUID();
  console.log(`::stop-commands::${token}`);
  const program = command ?? install(clean);
  const ran =
    program === undefined
      ? undefined
      : spawnSync(program, args, {
          env: { ...clean, NO_COLOR: '1' },
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
          stdio: ['ignore', 'pipe', STDOUT],
        });
  console.log(`::${token}::`);
  if (ran === undefined) annotate('error', `npm could not install eks-belay@${version()}. The log above says why.`);
  else if (ran.error !== undefined) annotate('error', `${program} could not be started: ${ran.error.message}`);
  return { exitCode: ran?.status ?? null, report: ran?.stdout ?? '' };
}

/**
 * Installs the package of this version and gives its program; undefined: npm failed. In a folder of its own, outside the checkout: npm goes by the .npmrc
 * of the project it is started in, and prefers what is in its node_modules. Whoever opens a pull request can write both.
 * https://docs.npmjs.com/cli/configuring-npm/npmrc
 */
function install(clean: Readonly<Record<string, string | undefined>>): string | undefined {
  const folder = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'belay-package-'));
  // Makes the folder the project, whatever is above it.
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const npm = ['install', '--no-audit', '--no-fund', `eks-belay@${version()}`];
  const { status } = spawnSync('npm', npm, { cwd: folder, env: clean, stdio: ['ignore', STDOUT, STDOUT] });
  return status === 0 ? join(folder, 'node_modules', '.bin', 'belay') : undefined;
}

/** An action at v0.1.0 runs the package 0.1.0: both are of one repository. */
function version(): string {
  const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8')) as { version: string };
  return manifest.version;
}

/** Undefined outside of pull requests, and for runs without a comment. */
function pullRequest(token: string): PullRequest | undefined {
  const file = env['GITHUB_EVENT_PATH'];
  if (file === undefined || file === '') return undefined;
  const event = JSON.parse(readFileSync(file, 'utf8')) as { pull_request?: { number?: unknown } };
  const number = event.pull_request?.number;
  if (typeof number !== 'number') return undefined;
  return { api: env['GITHUB_API_URL'] ?? 'https://api.github.com', repository: env['GITHUB_REPOSITORY'] ?? '', number, token };
}

async function run(): Promise<number> {
  const inputs = inputsOf(env);
  const { exitCode, report } = check(inputs);
  const verdict = verdictOf(exitCode);
  // Of this step alone: a job may check several clusters, and keep each report.
  const file = join(mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'belay-check-')), 'belay-check.md');
  writeFileSync(file, report);
  const rest = 'The whole report is in the file of output report.';
  append(env['GITHUB_STEP_SUMMARY'], bounded(report, SUMMARY_LIMIT, rest));
  append(env['GITHUB_OUTPUT'], `verdict=${verdict}\nexit-code=${exitCode ?? 1}\nreport=${file}\n`);
  const pull = inputs.comment === undefined ? undefined : pullRequest(inputs.comment.token);
  if (inputs.comment !== undefined && pull !== undefined) {
    const target = inputs.args[inputs.args.indexOf('--target') + 1];
    const marker = markerOf(inputs.name, inputs.args.includes('--target') ? target : undefined);
    const runUrl = `${env['GITHUB_SERVER_URL'] ?? 'https://github.com'}/${pull.repository}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}`;
    const body = commentOf({ marker, name: inputs.name, verdict, report, runUrl });
    try {
      append(env['GITHUB_OUTPUT'], `comment-url=${await upsertComment(pull, { marker, author: inputs.comment.author, body })}\n`);
    } catch (error) {
      annotate(
        'warning',
        `The report is not in a comment: ${error instanceof Error ? error.message : String(error)}. The job needs "pull-requests: write", which pull requests from forks do not have. The summary of the run has the report.`,
      );
    }
  }
  return jobCodeOf(verdict, inputs.failOn);
}

try {
  process.exitCode = await run();
} catch (error) {
  annotate('error', error instanceof Error ? error.message : String(error));
  if (!(error instanceof InputError)) throw error;
  process.exitCode = 1;
}
