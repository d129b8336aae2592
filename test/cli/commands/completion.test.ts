/** Completion as bash does it: the function of the script is called with a line, as Tab does. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionScript } from '../../../cli/render/completion/scripts.ts';
import { runBelay } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-completion-'));
  writeFileSync(
    join(cwd, 'belay.yaml'),
    `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
  staging: { region: eu-west-1, account: "123456789012" }
temporal: { address: "127.0.0.1:1" }
`,
  );
  writeFileSync(join(cwd, 'belay'), `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${PROGRAM}' "$@"\n`);
  chmodSync(join(cwd, 'belay'), 0o755);
  // Answers as belay does where gates are open.
  writeFileSync(join(cwd, 'gates'), '#!/bin/sh\necho before:control-plane@1.34#1\necho before:node-groups@1.34#1\n');
  chmodSync(join(cwd, 'gates'), 0o755);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function tab(line: string): Promise<string[]> {
  const script = `set -u
${completionScript('bash')}
COMP_LINE="$1" COMP_POINT=\${#1} COMPREPLY=()
_belay
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${cwd}:${process.env['PATH'] ?? ''}`, HOME: cwd };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, 'bash', line], { cwd, env });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

test('in bash: commands, options and clusters of the belay.yaml that is there', async () => {
  expect(await tab('belay stat')).toEqual(['status']);
  expect(await tab('belay status ')).toEqual(['prod', 'staging']);
  expect(await tab('belay report prod --format p')).toEqual(['png']);
}, 240_000);

test('in bash: of a gate the part after the colon, at which bash breaks words', async () => {
  expect(await tab('gates decide prod before:c')).toEqual(['control-plane@1.34#1', 'node-groups@1.34#1']);
});

test('without Temporal, with a broken belay.yaml and without any it is silent, and no failure', async () => {
  const silent = { code: 0, stdout: '', stderr: '' };
  expect(await runBelay(['__complete', '--', 'decide', 'prod', ''], { cwd })).toEqual(silent);
  expect(await runBelay(['__complete', '--', 'start', '--config', 'none.yaml', ''], { cwd })).toEqual(silent);
}, 240_000);

test('without belay.yaml: clusters of EKS that the kubeconfig has, and its contexts', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'belay-completion-'));
  const arn = 'arn:aws:eks:eu-central-1:111122223333:cluster/shop';
  const contexts = [
    { name: 'work', context: { cluster: arn, user: 'work' } },
    { name: 'kind', context: { cluster: 'kind', user: 'kind' } },
  ];
  writeFileSync(join(empty, 'config'), JSON.stringify({ clusters: [{ name: arn }, { name: 'kind' }], contexts }));
  const offered = async (...words: string[]): Promise<string> =>
    (await runBelay(['__complete', '--', ...words], { cwd: empty, env: { KUBECONFIG: join(empty, 'config') } })).stdout;
  expect(await offered('check', '')).toBe('shop\n');
  expect(await offered('check', '--cluster', '')).toBe('shop\n');
  expect(await offered('check', '--context=')).toBe('--context=work\n');
  rmSync(empty, { recursive: true });
}, 240_000);

test('the command prints the script, and names the shells that there are', async () => {
  expect(await runBelay(['completion', 'bash'], { cwd })).toEqual({ code: 0, stdout: `${completionScript('bash')}\n`, stderr: '' });
  expect(await runBelay(['completion', 'tcsh'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('bash, zsh, fish') });
}, 240_000);
