/** `belay validate`, as people and pre-commit run it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, yamlOf } from '../../deploy/files.ts';
import { runBelay } from '../run-belay.ts';

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-validate-'));
  write('belay.yaml', 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  write(
    'two/belay.yaml',
    'clusters:\n  a: { region: eu-west-1, account: "123456789012" }\n  b: { region: eu-west-1, account: "123456789012" }\n',
  );
  write('silent.yaml', SILENT);
  write('heard.yaml', `${SILENT}notifications: { webhooks: [{ name: ops, url: "https://hooks.example.com/x", secretFrom: OPS }] }\n`);
  write('groups.yaml', SILENT.replace('users: [sam]', 'groups: [S012AB3CD]'));
  write('wrong.yaml', 'clusters:\n  prod:\n    regoin: eu-west-1\n    account: "123456789012"\n');
  write('broken.yaml', 'clusters: [\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), text);
}

const SILENT = `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
approvals: { users: [sam] }
people: { sam: { aws: ["arn:aws:sts::123456789012:assumed-role/Admin/sam"] } }
`;
const WRONG = 'wrong.yaml:3: clusters.prod.regoin: unknown key; did you mean "region"?\n';

test.each<[string, string[], { code: number; stdout: string; stderr: string }]>([
  ['the file of the configuration', [], { code: 0, stdout: 'belay.yaml is valid: 1 cluster.\n', stderr: '' }],
  ['another one', ['--config', 'two/belay.yaml'], { code: 0, stdout: 'two/belay.yaml is valid: 2 clusters.\n', stderr: '' }],
  [
    'nobody hears of gates, which is no error',
    ['silent.yaml'],
    {
      code: 0,
      stdout:
        'silent.yaml is valid: 1 cluster.\nsilent.yaml: warning: nobody is told about the gates of prod: there is no Slack, and nothing receives gate.opened; add notifications.webhooks or notifications.email, or look with "belay status --watch".\n',
      stderr: '',
    },
  ],
  ['a webhook hears of them', ['heard.yaml'], { code: 0, stdout: 'heard.yaml is valid: 1 cluster.\n', stderr: '' }],
  [
    'groups without Slack',
    ['groups.yaml'],
    {
      code: 1,
      stdout: '',
      stderr:
        'groups.yaml:3: approvals.groups: names Slack user groups, and without Slack (no slack.channel in this file) nobody can look up who is in them; name each person under users, with their AWS identities under people, or write slack.channel\n',
    },
  ],
  ['a wrong key', ['wrong.yaml'], { code: 1, stdout: '', stderr: WRONG }],
  [
    'several, to the last',
    ['wrong.yaml', 'belay.yaml', 'broken.yaml', 'nowhere.yaml'],
    {
      code: 1,
      stdout: 'belay.yaml is valid: 1 cluster.\n',
      stderr: `${WRONG}broken.yaml:2: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]\nnowhere.yaml: there is no such file; write one with "belay init", or name another by --config or BELAY_CONFIG\n`,
    },
  ],
])('%s', async (_, args, ran) => {
  expect(await runBelay(['validate', ...args], { cwd })).toEqual(ran);
});

describe('the hook of pre-commit', () => {
  const [hooks] = yamlOf('.pre-commit-hooks.yaml');
  const [hook] = z.array(z.object({ id: z.string(), language: z.string(), entry: z.string(), files: z.string() })).parse(hooks);

  test.each([
    ['belay.yaml', true],
    ['clusters/belay.yml', true],
    ['my-belay.yaml', false],
    ['belay.yaml.md', false],
  ])('is for %s: %s', (path, is) => {
    expect(new RegExp(hook?.files ?? '').test(path)).toBe(is);
  });

  /** As pre-commit does: the entry, split as a shell splits it, with the files that are to be committed. */
  function commit(...files: string[]): { status: number | null; output: string } {
    const words = [...(hook?.entry ?? '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const [program = '', ...args] = words;
    const { status, stdout, stderr } = spawnSync(program, [...args, ...files], { cwd, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  test('says what to install where Belay is missing', () => {
    expect(commit('belay.yaml')).toEqual({
      status: 1,
      output: 'belay is not installed here. Run: npm install --save-dev eks-belay\n',
    });
  });

  test('runs the belay that is installed beside', () => {
    const bin = join(cwd, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'belay'), `#!/bin/sh\nexec "${process.execPath}" --no-warnings "${root}cli/main.ts" "$@"\n`);
    chmodSync(join(bin, 'belay'), 0o755);
    expect(commit('belay.yaml', 'two/belay.yaml')).toEqual({
      status: 0,
      output: 'belay.yaml is valid: 1 cluster.\ntwo/belay.yaml is valid: 2 clusters.\n',
    });
    expect(commit('wrong.yaml')).toEqual({ status: 1, output: WRONG });
  });
});
