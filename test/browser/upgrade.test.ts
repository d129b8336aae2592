/** A whole upgrade in a browser: typed, decided by clicking, watched on the board, and read in Temporal UI. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { Channel, PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type RunningRehearsal, startRehearsal } from './rehearsal.ts';
import { PATIENCE } from '../support/eventually.ts';

const START = '/eks-upgrade start staging 1.32';
const STEPS = [
  'Pre-checks for 1.32',
  'Karpenter 1.1.1 → 1.2',
  'Add-ons for 1.31 and 1.32',
  'Freeze Karpenter',
  'Control plane 1.31 → 1.32',
  'Verify and watch 1.32',
  'Node groups → 1.32',
  'Karpenter nodes → 1.32',
  'Add-ons to the defaults of 1.32',
  'Validate 1.32',
];
const PHASES = [
  'pre-checks',
  'karpenter-controller',
  'add-ons-bridge',
  'freeze-drift',
  'control-plane',
  'bake',
  'node-groups',
  'karpenter-drift',
  'add-ons-target',
  'validation',
];

let rehearsal: RunningRehearsal;
let browser: Browser;
let alex: Channel;
let sam: Channel;

beforeAll(async () => {
  [rehearsal, browser] = await Promise.all([startRehearsal({ scenario: 'seed-000', speed: 240 }), launchChromium()]);
  alex = await Channel.open(browser, rehearsal.pageUrl, 'U0ALEX');
  sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM');
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await rehearsal?.stop();
}, 180_000);

/** The message of a gate, open or closed. */
const gate = (channel: Channel, key: string): Locator => channel.inThread(`gate/${key}`).last();

/** Waits for a gate, presses, and waits until it shows the decision and its buttons are gone. */
async function decide(channel: Channel, key: string, label: string, expected: string, reason?: string): Promise<void> {
  const message = gate(channel, key);
  await message.getByRole('button', { name: label, exact: true }).waitFor({ timeout: 90_000 * PATIENCE });
  await channel.choose(message, label, reason);
  await message.getByText(expected).waitFor({ timeout: 30_000 * PATIENCE });
  expect(await message.getByRole('button').count()).toBe(0);
}

describe('an upgrade in the browser', () => {
  test('the empty channel proposes the command; typing it opens a thread with the plan and its gate', async () => {
    expect(await alex.page.locator('#suggestion').textContent()).toBe(START);
    await alex.type(START);
    await alex.confirm('Start');
    await alex.whispers.getByText('Started: staging 1.31 → 1.32').waitFor({ timeout: 60_000 * PATIENCE });
    const plan = alex.inThread('plan');
    await plan.waitFor({ timeout: 30_000 * PATIENCE });
    for (const step of STEPS) expect(await plan.textContent()).toContain(step);
    const first = gate(alex, 'before:pre-checks@1.32');
    await first.waitFor();
    const text = await first.textContent();
    expect(text).toContain('Start the upgrade of staging, 1.31 → 1.32?');
    expect(text).toContain('What happens next');
    expect(text).toContain('What can be undone');
    expect(text).not.toMatch(/[{}]|undefined|\[object/);
  });

  test('a stranger’s click is answered to her alone, and decides nothing', async () => {
    const eve = await Channel.open(browser, rehearsal.pageUrl, 'U0EVE');
    const first = gate(eve, 'before:pre-checks@1.32');
    await eve.choose(first, 'Approve');
    const answer = eve.page.locator('#replies .ephemeral');
    await answer.getByText(/may not|not .* approver|not among|cannot decide/i).waitFor({ timeout: 30_000 * PATIENCE });
    expect(await first.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(1);
    expect(await sam.page.locator('#replies .ephemeral').count()).toBe(0);
    expect(eve.errors).toEqual([]);
    await eve.close();
  });

  test('Alex pauses and resumes from the board; Sam approves; the board follows', async () => {
    await alex.board.getByRole('button', { name: 'Pause', exact: true }).click();
    await alex.board.getByRole('button', { name: 'Resume', exact: true }).waitFor({ timeout: 30_000 * PATIENCE });
    await alex.board.getByRole('button', { name: 'Resume', exact: true }).click();
    await alex.board.getByRole('button', { name: 'Pause', exact: true }).waitFor({ timeout: 30_000 * PATIENCE });
    await decide(sam, 'before:pre-checks@1.32', 'Approve', 'Approve by @Sam Rivera');
    await alex.board
      .getByText('Waiting for a decision (in the thread): Move the control plane to 1.32?')
      .waitFor({ timeout: 90_000 * PATIENCE });
  });

  test('the next gates are decided on a phone: nothing is wider than the screen, and the buttons are in sight', async () => {
    const phone = await Channel.open(browser, rehearsal.pageUrl, 'U0RIN', PHONE);
    await phone.page.getByRole('button', { name: 'Thread', exact: true }).tap();
    const message = gate(phone, 'before:control-plane@1.32');
    const approve = message.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor({ timeout: 30_000 * PATIENCE });
    expect(await isInSight(approve)).toBe(true);
    expect(await widest(phone.page)).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(await screensOf(message)).toBeLessThanOrEqual(2);
    await decide(phone, 'before:control-plane@1.32', 'Approve', 'Approve by @Rin Park');
    const nodes = gate(phone, 'before:node-groups@1.32');
    await nodes.getByRole('button', { name: 'Approve', exact: true }).waitFor({ timeout: 90_000 * PATIENCE });
    expect(await screensOf(nodes)).toBeLessThanOrEqual(2);
    await decide(phone, 'before:node-groups@1.32', 'Approve', 'Approve by @Rin Park');
    await phone.page.getByRole('button', { name: 'Channel', exact: true }).tap();
    expect(await phone.board.textContent()).toContain('staging 1.31 → 1.32');
    expect(await widest(phone.page)).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(phone.errors).toEqual([]);
    await phone.close();
  });

  test('the blocked node is let go by scaling its service by one and back, and the board reaches the end', async () => {
    await decide(sam, 'before:karpenter-drift@1.32', 'Approve', 'Approve by @Sam Rivera');
    const blocked = 'blocked:karpenter-drift@1.32';
    await gate(sam, blocked)
      .getByText('internal/license-server has 1 replica')
      .waitFor({ timeout: 90_000 * PATIENCE });
    await decide(sam, blocked, 'Scale by one and back', 'Scale by one and back by @Sam Rivera');
    await sam
      .inThread('report')
      .getByText('Nothing was left behind.')
      .waitFor({ timeout: 90_000 * PATIENCE });
    await sam.board.getByText('Completed – staging is at 1.32').waitFor({ timeout: 30_000 * PATIENCE });
    const board = (await sam.board.textContent()) ?? '';
    for (const step of STEPS) expect(board).toContain(step);
    expect(board).toContain('10 of 10 steps done');
    expect(await sam.board.getByRole('button').count()).toBe(1); // the thread's link
    expect([...sam.errors, ...alex.errors]).toEqual([]);
  });

  test('Temporal UI tells the same story: the linked page has the phases, the list has their workflows', async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    const page = await context.newPage();
    const address = await sam.temporalUi();
    await page.goto(`${address}/user-metadata`);
    for (const step of STEPS)
      await page
        .getByText(step)
        .first()
        .waitFor({ timeout: 30_000 * PATIENCE });
    // Summary, details and current details are Markdown in frames of their own.
    for (const text of ['Upgrade staging from 1.31 to 1.32', 'completed. staging is at 1.32', 'Karpenter runs 1.2.8'])
      await inAnyFrame(page, text);
    await page.goto(`${address}/relationships`);
    for (const phase of PHASES)
      await page
        .getByText(`staging/${phase}@1.32`)
        .first()
        .waitFor({ timeout: 30_000 * PATIENCE });
    await page.goto((await sam.page.getByRole('link', { name: /Temporal UI ↗/ }).getAttribute('href')) ?? '');
    for (const phase of PHASES)
      await page
        .getByText(`staging/${phase}@1.32`)
        .first()
        .waitFor({ timeout: 30_000 * PATIENCE });
    await context.close();
  });

  test('the terminal followed along, and tells how it ended', () => {
    const printed = rehearsal.printed();
    expect(printed).toContain(`Type there:   ${START}`);
    expect(printed).toContain('Belay is ready: type the command.');
    expect(printed).toContain('press      Sam Rivera: gate/scale');
    expect(printed).toMatch(/outcome +completed: staging is at 1\.32/);
    expect(printed).toMatch(/left behind +nothing/);
    expect(printed).not.toMatch(/<[@!]/);
  });

  test('Ctrl-C ends it: everything it started is gone, and the exit code tells that the upgrade went well', async () => {
    expect(await rehearsal.stop()).toBe(0);
    for (const url of [rehearsal.pageUrl, rehearsal.temporalUi]) await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

async function isInSight(button: Locator): Promise<boolean> {
  const box = await button.boundingBox();
  const { width, height } = PHONE.viewport;
  return box !== null && box.y >= 0 && box.y + box.height <= height && box.x >= 0 && box.x + box.width <= width;
}

/** Height of a message, in screens of a phone. */
async function screensOf(message: Locator): Promise<number> {
  return ((await message.boundingBox())?.height ?? Number.POSITIVE_INFINITY) / PHONE.viewport.height;
}

async function inAnyFrame(page: Page, text: string): Promise<void> {
  await Promise.any(
    (await page.locator('iframe').all()).map((frame) =>
      frame
        .contentFrame()
        .getByText(text)
        .first()
        .waitFor({ timeout: 20_000 * PATIENCE }),
    ),
  );
}

/** Pixels: more than the viewport means sideways scrolling. */
async function widest(page: Page): Promise<number> {
  return await page.locator('body').evaluate((body) => body.scrollWidth);
}
