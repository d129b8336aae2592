/** Completion in real shells, as people have them: the script is sourced, a line is typed, Tab is pressed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionScript } from '../../../cli/render/completion/scripts.ts';
import { describeWith } from '../../support/tools.ts';
import { openShell, type Session, type Shell } from '../shells.ts';
import { PROGRAM } from '../../support/program.ts';

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const PATIENT_MS = 300_000;

/** A folder with a belay.yaml, and `belay` on the PATH: of gates it answers as it does where they are open. */
function folder(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-shells-'));
  const cluster = '{ region: eu-west-1, account: "123456789012" }';
  writeFileSync(join(cwd, 'belay.yaml'), `clusters:\n  prod: ${cluster}\n  staging: ${cluster}\ntemporal: { address: "127.0.0.1:1" }\n`);
  writeFileSync(join(cwd, 'other.yaml'), `clusters:\n  lab-1: ${cluster}\ntemporal: { address: "127.0.0.1:1" }\n`);
  writeFileSync(
    join(cwd, 'belay'),
    `#!/bin/sh
case "$*" in
  "__complete -- decide prod before"*) echo before:control-plane@1.34#1; echo before:node-groups@1.34#1; exit ;;
  "__complete -- decide prod failed"*) echo failed:node-groups@1.34#2; exit ;;
esac
exec '${process.execPath}' --no-warnings '${PROGRAM}' "$@"
`,
  );
  chmodSync(join(cwd, 'belay'), 0o755);
  return cwd;
}

const SHELLS: { shell: Shell; install: string; before: (cwd: string) => string[] }[] = [
  { shell: 'bash', install: 'no bash here; apt-get install bash', before: () => [] },
  {
    shell: 'zsh',
    install: 'no zsh here; apt-get install zsh',
    before: (cwd) => ["PS1='> '", `autoload -Uz compinit; compinit -u -d ${join(cwd, 'dump')}`],
  },
  { shell: 'fish', install: 'no fish here; apt-get install fish', before: () => [] },
];

for (const { shell, install, before } of SHELLS) {
  describeWith({ found: has(shell) && has('script'), install }, shell, () => {
    let cwd: string;
    let session: Session;
    beforeAll(async () => {
      cwd = folder();
      session = openShell(shell, { cwd, env: { PATH: `${cwd}:${process.env['PATH'] ?? ''}` } });
      await session.run('stty cols 200');
      for (const line of before(cwd)) await session.run(line);
      writeFileSync(join(cwd, 'completion'), completionScript(shell));
      await session.run('source ./completion');
    }, PATIENT_MS);
    afterAll(async () => {
      await session.end();
      rmSync(cwd, { recursive: true, force: true });
    });

    test.each([
      ['a command', 'belay stat', 'belay status'],
      ['a command of a command', 'belay campaign promo', 'belay campaign promote'],
      ['an option', 'belay start prod --targ', 'belay start prod --target'],
      ['a word of an option', 'belay report prod --format p', 'belay report prod --format png'],
      ['a word behind =', 'belay report prod --format=p', 'belay report prod --format=png'],
      ['a cluster of the belay.yaml that is there', 'belay status st', 'belay status staging'],
      ['a cluster of another file', 'belay status --config other.yaml l', 'belay status --config other.yaml lab-1'],
      ['a gate, with its colon and its hash', 'belay decide prod failed:n', 'belay decide prod failed:node-groups@1.34#2'],
      ['a file, where Belay has no words of its own', 'belay status --config oth', 'belay status --config other.yaml'],
    ])('%s', async (_what, typed, completed) => expect(await session.tab(typed)).toBe(completed), PATIENT_MS);

    test(
      'what is not clear yet is listed',
      async () => {
        expect(await session.listed('belay status ', 'staging')).toContain('prod');
        // bash breaks words at colons, and lists what follows.
        const shown = await session.listed('belay decide prod before:', 'node-groups@1.34');
        expect(shown).toContain('control-plane@1.34');
      },
      PATIENT_MS,
    );
  });
}

describeWith(
  { found: has('zsh') && has('script'), install: 'no zsh here; apt-get install zsh' },
  'zsh, with the script in a folder of fpath',
  () => {
    test(
      'it completes from the first Tab on',
      async () => {
        const cwd = folder();
        const session = openShell('zsh', { cwd, env: { PATH: `${cwd}:${process.env['PATH'] ?? ''}` } });
        try {
          mkdirSync(join(cwd, 'functions'));
          writeFileSync(join(cwd, 'functions', '_belay'), completionScript('zsh'));
          await session.run(`fpath=(${join(cwd, 'functions')} $fpath); autoload -Uz compinit; compinit -u -d ${join(cwd, 'dump')}`);
          expect(await session.tab('belay status st')).toBe('belay status staging');
          expect(await session.tab('belay report prod --format p')).toBe('belay report prod --format png');
        } finally {
          await session.end();
          rmSync(cwd, { recursive: true, force: true });
        }
      },
      PATIENT_MS,
    );
  },
);
