/** The form of `/eks-upgrade` and the App Home in a browser, on a phone: from an empty channel to a run that waits for somebody. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { Channel, PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type RunningRehearsal, startRehearsal } from './rehearsal.ts';
import { PATIENCE } from '../support/eventually.ts';

const PICTURES = process.env['BELAY_TEST_PICTURES'];

let rehearsal: RunningRehearsal;
let browser: Browser;

beforeAll(async () => {
  [rehearsal, browser] = await Promise.all([startRehearsal({ scenario: 'small', speed: 60 }), launchChromium()]);
  // A namespace that no worker has ever seen knows no search attributes.
  while (!rehearsal.printed().includes('Belay is ready')) await new Promise((resolve) => setTimeout(resolve, 100));
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await rehearsal?.stop();
}, 180_000);

/** Nothing is cut off at the side of a phone. */
const widths = (channel: Channel): Promise<number[]> =>
  channel.page.locator('html').evaluate((html: { scrollWidth: number; clientWidth: number }) => [html.scrollWidth, html.clientWidth]);

/** Kept where `BELAY_TEST_PICTURES` names a directory. */
async function picture({ page }: Channel, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `home-${name}.png`) });
}

/** As a person: a machine that is busy may take longer than the three seconds that Slack allows, and then Belay asks to type it again. */
async function askForForm(channel: Channel): Promise<void> {
  const { page } = channel;
  // As long as a form is open nothing behind it can be typed into.
  await page.locator('dialog.view').waitFor({ state: 'detached' });
  const tooLate = page.getByText('The form for an upgrade could not be opened in time.');
  for (let tries = 1; ; tries += 1) {
    const lateBefore = await tooLate.count();
    await channel.type('/eks-upgrade');
    await page
      .locator('dialog.view')
      .or(tooLate.nth(lateBefore))
      .first()
      .waitFor({ timeout: 30_000 * PATIENCE });
    if ((await page.locator('dialog.view').count()) > 0) return;
    if (tries === 5) throw new Error('Belay could not open its form in time five times');
  }
}

test('a form, a dry run, a start; then the Home says who has to decide', async () => {
  const alex = await Channel.open(browser, rehearsal.pageUrl, 'U0ALEX', PHONE);
  const form = alex.page.locator('dialog.view');
  await askForForm(alex);
  // The only cluster is chosen already; what is read of it comes after the form stands.
  await form.getByText(/(Ready|Not ready|Unknown) for 1\.32/).waitFor({ timeout: 90_000 * PATIENCE });
  expect(await form.getByLabel('Target').locator('option:checked').textContent()).toMatch(/^1\.32 · (standard|extended) support until /);
  await form.getByText('Only show the plan').click();
  await form.getByRole('button', { name: 'Continue' }).click();
  await form.getByText('Plan: small 1.31 → 1.32').waitFor({ timeout: 60_000 * PATIENCE });
  const [wide, shown] = await widths(alex);
  expect(wide).toBeLessThanOrEqual(shown ?? 0);
  await form.getByRole('button', { name: 'Close' }).click();
  expect(await alex.page.locator('#messages [data-key="board"]').count()).toBe(0);

  await askForForm(alex);
  await form.getByText(/(Ready|Not ready|Unknown) for 1\.32/).waitFor({ timeout: 90_000 * PATIENCE });
  await form.getByRole('button', { name: 'Continue' }).click();
  await form.getByText('Started: small 1.31 → 1.32.').waitFor({ timeout: 60_000 * PATIENCE });
  await form.getByRole('button', { name: 'Close' }).click();

  const sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM', PHONE);
  await sam.openGates.first().waitFor({ timeout: 60_000 * PATIENCE, state: 'attached' });
  await sam.page.getByRole('button', { name: 'App Home' }).click();
  const home = sam.page.locator('#home');
  await home.getByText('Waiting for you (1)').waitFor({ timeout: 60_000 * PATIENCE });
  await home.getByRole('link', { name: 'Open the thread' }).first().waitFor();
  await home.getByText(/small.*1\.31.*support until/).waitFor({ timeout: 60_000 * PATIENCE });
  const [homeWide, homeShown] = await widths(sam);
  expect(homeWide).toBeLessThanOrEqual(homeShown ?? 0);

  // U3: the gate with its evidence and its choices, without a word in the channel.
  await picture(sam, 'home');
  await home.getByRole('button', { name: 'Review' }).click();
  const gate = sam.page.locator('dialog.view');
  await gate.getByText('What can be undone').waitFor({ timeout: 30_000 * PATIENCE });
  const [gateWide, gateShown] = await widths(sam);
  expect(gateWide).toBeLessThanOrEqual(gateShown ?? 0);
  await picture(sam, 'review');
  await gate.getByRole('button', { name: 'Approve', exact: true }).scrollIntoViewIfNeeded();
  await picture(sam, 'review-choices');

  // Who has asked for it does not decide about it.
  await alex.page.getByRole('button', { name: 'App Home' }).click();
  await alex.page
    .locator('#home')
    .getByText('Waiting for others (1)')
    .waitFor({ timeout: 60_000 * PATIENCE });
  await gate.getByRole('button', { name: 'Approve', exact: true }).click();
  await sam.page.locator('dialog.confirm [data-confirm=yes]').click();
  await gate.getByText('Recorded: Approve.').waitFor({ timeout: 30_000 * PATIENCE });
  await picture(sam, 'recorded');
  await gate.getByRole('button', { name: 'Close' }).click();
  await home.getByText('Nothing is waiting for you.').waitFor({ timeout: 60_000 * PATIENCE });
  expect([...alex.errors, ...sam.errors]).toEqual([]);
  await Promise.all([alex.close(), sam.close()]);
});
