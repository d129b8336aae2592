/** docs/tutorial.md, followed word for word: its commands run, its buttons are pressed, and what it promises is seen. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { runBelay } from '../cli/run-belay.ts';
import { PATIENCE } from '../support/eventually.ts';
import { Channel } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type RunningRehearsal, startRehearse } from './rehearsal.ts';
import { patternOf, stepsOf, type TutorialStep } from './tutorial-steps.ts';

const TUTORIAL = readFileSync(fileURLToPath(new URL('../../docs/tutorial.md', import.meta.url)), 'utf8');
const USERS: Readonly<Record<string, string>> = { Alex: 'U0ALEX', Sam: 'U0SAM' };
const LIMIT_MS = 120_000 * PATIENCE;

let rehearsal: RunningRehearsal | undefined;
let browser: Browser;
const channels = new Map<string, Channel>();
/** What the second terminal has set and shown. */
const environment: Record<string, string> = {};
let shown = '';

beforeAll(async () => void (browser = await launchChromium()), LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await rehearsal?.stop();
}, 180_000);

const started = (): RunningRehearsal => {
  if (rehearsal === undefined) throw new Error('the tutorial does not start a rehearsal first');
  return rehearsal;
};

async function channelOf(person: string): Promise<Channel> {
  const known = channels.get(person) ?? (await Channel.open(browser, started().pageUrl, USERS[person] ?? person));
  channels.set(person, known);
  return known;
}

/** Commands as people type them. */
async function run(line: string): Promise<void> {
  const [, flags] = /^npm run rehearse -- (.+)$/.exec(line) ?? [];
  const [, command] = /^npm run belay -- (.+)$/.exec(line) ?? [];
  if (flags !== undefined) rehearsal = await startRehearse(...flags.split(' '));
  else if (command !== undefined) {
    const ran = await runBelay(command.split(' '), { cwd: started().directory, env: environment, limitMs: 60_000 });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    shown += ran.stdout;
  } else if (line.startsWith('export ')) {
    const [, address = '', config = ''] = /From a shell: TEMPORAL_ADDRESS=(\S+) .* --config (\S+)/.exec(started().printed()) ?? [];
    expect(line).toBe('export TEMPORAL_ADDRESS=… BELAY_CONFIG=…');
    Object.assign(environment, { TEMPORAL_ADDRESS: address, BELAY_CONFIG: config });
  } else throw new Error(`The test does not know how to run this line of the tutorial: ${line}`);
}

async function follow(step: TutorialStep): Promise<void> {
  switch (step.kind) {
    case 'run':
      for (const line of step.lines) await run(line);
      return;
    case 'shows': {
      const text = (): string => (step.terminal === 'rehearsal' ? started().printed() : shown);
      for (const line of step.lines) await expect.poll(text, { timeout: LIMIT_MS }).toMatch(patternOf(line));
      return;
    }
    case 'type': {
      const channel = await channelOf(step.person);
      for (const line of step.lines) await channel.type(line);
      return;
    }
    case 'confirm': {
      const channel = await channelOf(step.person);
      for (const line of step.lines) await channel.whispers.getByText(line).last().waitFor({ timeout: LIMIT_MS });
      await channel.confirm(step.label);
      return;
    }
    case 'thread': {
      const channel = await channelOf('Alex');
      const within = step.key === 'plan' ? channel.inThread('plan') : channel.page.locator('#replies .message');
      for (const line of step.lines) await within.getByText(line).first().waitFor({ timeout: LIMIT_MS });
      return;
    }
    case 'press': {
      const channel = await channelOf(step.person);
      const gate = channel.openGate(step.gate);
      await gate.waitFor({ timeout: LIMIT_MS });
      const text = await gate.innerText();
      for (const line of step.lines) expect(text).toMatch(patternOf(line));
      await channel.choose(gate, step.label);
    }
  }
}

test(
  'the tutorial holds what it promises',
  async () => {
    const steps = stepsOf(TUTORIAL);
    expect(steps.map(({ kind }) => kind).filter((kind) => kind === 'press')).toHaveLength(4);
    for (const step of steps) await follow(step);
    for (const { errors } of channels.values()) expect(errors).toEqual([]);
    expect(await started().stop()).toBe(0);
  },
  600_000 * PATIENCE,
);

test('a block that does not say what to do with it, and a promise that is not kept, are noticed', () => {
  expect(() => stepsOf('```sh\nnpm run belay -- status small\n```')).toThrow('does not say what to do with it');
  expect('gates        4 approve').toMatch(patternOf('gates        4 approve'));
  expect('back after 16.8 s').toMatch(patternOf('back after …'));
  expect('gates 3 approve').not.toMatch(patternOf('gates        4 approve'));
});
