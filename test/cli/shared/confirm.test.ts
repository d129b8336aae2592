/** What is asked on a terminal before a command acts, and which answers let it. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { wholeProgram } from '../../../cli/program.ts';
import { askYes, confirmFirst } from '../../../cli/shared/confirm.ts';

/** A terminal on which `typed` is entered; undefined: the input ends, as by Ctrl-D. */
function terminalWith(typed: string | undefined) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  if (typed === undefined) input.end();
  else input.write(`${typed}\n`);
  const shown: string[] = [];
  output.setEncoding('utf8').on('data', (chunk: string) => void shown.push(chunk));
  return { terminal: { input, output }, shown };
}

const QUESTION = {
  lines: ['No further step starts.', 'EKS can roll back until 2026-03-10 12:00 UTC.'],
  asks: 'Abort the upgrade of staging?',
};

test.each(['y', 'Y', 'yes', ' YES '])('"%s" is a yes', async (typed) => {
  const { terminal, shown } = terminalWith(typed);
  await confirmFirst({}, () => QUESTION, terminal);
  expect(shown.join('')).toMatch(
    /^No further step starts\.\nEKS can roll back until 2026-03-1\d \d\d:\d\d \S+\.\n[^]*Abort the upgrade of staging\? \[y\/N\] /,
  );
});

test.each(['', 'n', 'no', 'yep', 'y y', undefined])('%j is none: nothing is sent', async (typed) => {
  await expect(confirmFirst({}, () => QUESTION, terminalWith(typed).terminal)).rejects.toMatchObject({
    message: 'Nothing was sent.',
    exitCode: 2,
  });
  await expect(askYes('Send? [y/N] ', terminalWith(typed).terminal)).rejects.toThrow('Nothing was sent.');
});

test('with --yes nothing is read and nothing shown', async () => {
  const { terminal, shown } = terminalWith('n');
  await confirmFirst({ yes: true }, () => Promise.reject(new Error('read')), terminal);
  expect(shown).toEqual([]);
});

test('each command that asks has --yes, and says what it does without a terminal; the others have neither', async () => {
  const program = await wholeProgram();
  const campaign = program.commands.find((command) => command.name() === 'campaign');
  const named = (commands: readonly (typeof program)[], prefix: string) =>
    commands.map((command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
      return { name: `${prefix}${command.name()}`, help };
    });
  const asking = [...named(program.commands, ''), ...named(campaign?.commands ?? [], 'campaign ')].filter(({ help }) =>
    help.includes(
      'On a terminal it shows what it is about to do and asks for confirmation; --yes skips the question. Without a terminal, as in a script, it acts at once.',
    ),
  );
  expect(asking.map(({ name }) => name)).toEqual([
    'start',
    'rollback',
    'abort',
    'skip',
    'campaign start',
    'campaign rollback',
    'campaign stop',
  ]);
  for (const { help } of asking) expect(help).toMatch(/-y, --yes +do not ask for confirmation/);
});
