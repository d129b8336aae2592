/** Interactive shells on a terminal of their own, made by util-linux's `script`: keys in, the screen out. */
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from '../support/eventually.ts';

/** Without anybody's configuration. */
const COMMANDS = { bash: 'bash --norc --noprofile -i', zsh: 'zsh -f -i', fish: 'fish --no-config --private -i' } as const;
export type Shell = keyof typeof COMMANDS;

/** Tab, and where the line begins. */
const [TAB, BEGINNING] = ['\t', '\u0001'];

export interface Session {
  /** Runs a line, and waits until it has. */
  run(line: string): Promise<void>;
  /** What the line is after Tab, as the shell would run it. */
  tab(line: string): Promise<string>;
  /** What Tab offers below the line: one of `words` at least is awaited. */
  listed(line: string, word: string): Promise<string>;
  end(): Promise<void>;
}

export function openShell(shell: Shell, { cwd, env }: { cwd: string; env: Record<string, string> }): Session {
  const child = spawn('script', ['-q', '-e', '-c', COMMANDS[shell], '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (screen += chunk));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const text = (): string => stripVTControlCharacters(screen).replaceAll('\r', '').replaceAll('\b', '');
  let marks = 0;
  /** Everything that the shell prints from here to a mark of its own. */
  const until = async (keys: string): Promise<string> => {
    marks += 1;
    const mark = `done-${marks}-`;
    screen = '';
    // Written in two parts, so that what is typed is not what is printed.
    child.stdin.write(`${keys}; echo 'done-'${marks}'-'\r`);
    return await eventually(`${shell} runs ${keys}`, () => {
      const at = text().lastIndexOf(`\n${mark}`);
      return at < 0 ? undefined : text().slice(0, at);
    });
  };
  return {
    run: async (line) => void (await until(line)),
    async tab(line) {
      const printed = await until(`${line}${TAB}${BEGINNING}echo '=>' \u0005`);
      return printed.slice(printed.lastIndexOf('\n=> ') + '\n=> '.length).trim();
    },
    async listed(line, word) {
      screen = '';
      child.stdin.write(`${line}${TAB}${TAB}`);
      const shown = await eventually(`${shell} lists ${word}`, () => (text().includes(word) ? text() : undefined));
      // Gives the line up.
      child.stdin.write('\u0003');
      await until('true');
      return shown;
    },
    async end() {
      child.stdin.end('\u0003exit\r');
      const limit = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(limit);
    },
  };
}
