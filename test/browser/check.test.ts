/** A readiness check in a browser: the summary in the channel, the report in the thread as a file that loads, and the buttons. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { Channel } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type RunningRehearsal, startRehearsal } from './rehearsal.ts';
import { PATIENCE } from '../support/eventually.ts';

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

test('the check that a command starts shows its report; again says what has changed; the plan is one press away', async () => {
  const alex = await Channel.open(browser, rehearsal.pageUrl, 'U0ALEX');
  const { page } = alex;
  await alex.type('/eks-upgrade check small 1.32');
  await alex.board.getByText('The whole report is attached in the thread').waitFor({ timeout: 90_000 * PATIENCE });
  expect(await alex.board.getByRole('heading').textContent()).toMatch(/: small 1\.31 → 1\.32$/);

  const attachment = page.locator('#replies .attachment');
  expect(await attachment.textContent()).toMatch(/^Is small ready for 1\.32\?HTML · \d+ kB$/);
  const [download] = await Promise.all([page.waitForEvent('download'), attachment.click()]);
  expect(download.suggestedFilename()).toBe('small-1.32-readiness.html');
  expect(readFileSync(await download.path(), 'utf8')).toContain('<title>small: ready for 1.32?</title>');

  await alex.board.getByRole('button', { name: 'Check again' }).click();
  await alex.board.getByText('as before').waitFor({ timeout: 90_000 * PATIENCE });
  expect(await page.locator('#messages [data-key="board"]').count()).toBe(2);

  await alex.board.getByRole('button', { name: 'Plan the upgrade' }).click();
  await alex.whispers.getByText('Plan: small 1.31 → 1.32').waitFor({ timeout: 60_000 * PATIENCE });
  expect(alex.errors).toEqual([]);
  await alex.close();
});
