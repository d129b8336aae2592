/** Outside clients of AWS, unmodified: the AWS CLI and boto3 from PyPI, eksup from crates.io. Kept in the cache folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../../../rehearsal/processes/cache-dir.ts';

const PYPI = ['awscli==1.46.3', 'boto3==1.44.5'];
export const EKSUP_VERSION = '0.15.1';

/** Runs to its end with its output shown. Throws with the command where it fails. */
function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], env });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
}

/** Folder with `aws` and `python`, installed on the first call (about half a minute). Needs python3 with venv. */
export function pythonTools(env: NodeJS.ProcessEnv = process.env): string {
  const folder = join(cacheDirectory(env), `aws-clients-${PYPI.map((each) => each.split('==')[1]).join('-')}`);
  const done = join(folder, 'installed');
  const bin = join(folder, 'bin');
  if (existsSync(done)) return bin;
  process.stderr.write(`installing ${PYPI.join(' and ')}\n`);
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...PYPI]);
  writeFileSync(done, '');
  return bin;
}

const eksupFolder = (env: NodeJS.ProcessEnv): string => join(cacheDirectory(env), `eksup-${EKSUP_VERSION}`);

/** Undefined where it is not built yet. */
export function eksup(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const binary = join(eksupFolder(env), 'bin', 'eksup');
  return existsSync(binary) ? binary : undefined;
}

/** Builds eksup unless it is there: about 26 minutes on two cores. An interrupted build goes on where it was. Needs cargo. */
export function buildEksup(env: NodeJS.ProcessEnv = process.env): string {
  const found = eksup(env);
  if (found !== undefined) return found;
  const target = `${eksupFolder(env)}-build`;
  process.stderr.write(`building eksup ${EKSUP_VERSION}: about 26 minutes\n`);
  const install = ['cargo', 'install', 'eksup', '--version', EKSUP_VERSION, '--locked', '--root', eksupFolder(env)];
  run('nice', ['-n', '10', ...install], { ...env, CARGO_TARGET_DIR: target });
  const built = eksup(env);
  rmSync(target, { recursive: true, force: true });
  if (built === undefined) throw new Error(`cargo has put no eksup into ${eksupFolder(env)}`);
  return built;
}
