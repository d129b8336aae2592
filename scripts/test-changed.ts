/**
 * `npm run test:changed`: the tests of `npm test` and `npm run test:workflows` that a change reaches by its imports: what differs from main, and what is
 * not committed yet. Further arguments go to Vitest. Exit code 1 if a test fails.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
const sources = [...new Set(changed)].filter((file) => file.endsWith('.ts') && existsSync(`${root}${file}`));
if (sources.length === 0) {
  console.log('No TypeScript file differs from main.');
} else {
  console.log(`${sources.length} files differ from main.`);
  for (const config of ['vitest.config.mjs', 'test/workflows/vitest.config.mjs']) {
    const args = ['related', '--run', '--passWithNoTests', '--config', config, ...process.argv.slice(2), ...sources];
    const { status } = spawnSync('node_modules/.bin/vitest', args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
