/** The fleet's page in a browser: filters, and what of it a phone shows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { fleetView } from '../../domain/run/fleet-view/view.ts';
import { renderFleetHtml } from '../../render/fleet/html.ts';
import { CONFIGURED, OPEN, SOAKING, withCampaigns } from '../domain/run/fleet-view/campaign.ts';
import { launchChromium } from './chromium.ts';
import { faintTexts } from './contrast.ts';

let directory: string;
let url: string;
let browser: Browser;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'belay-fleet-page-'));
  const file = join(directory, 'fleet.html');
  const soaking = { kind: 'open', name: 'soaks', said: SOAKING } as const;
  const quiet = { kind: 'unread', name: 'quiet', why: 'no worker answers' } as const;
  writeFileSync(file, renderFleetHtml(fleetView(withCampaigns(OPEN, soaking, CONFIGURED, quiet), 60)));
  url = pathToFileURL(file).href;
  browser = await launchChromium();
}, 180_000);
afterAll(async () => {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
});

async function opened(width: number, run: (page: Page, errors: string[]) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => errors.push(message.text()));
  await page.goto(url);
  await run(page, errors);
  expect(errors).toEqual([]);
  await page.close();
}

const shown = (page: Page) => page.locator('#clusters tbody tr:visible th').allInnerTexts();

test('filters narrow the table, are in the address, and survive a reload', async () => {
  await opened(1440, async (page) => {
    await page.getByLabel('Environment').selectOption('prod');
    await page.getByLabel('Outcome').selectOption({ label: 'could not be read' });
    expect(await shown(page)).toEqual(['prod\n444455556666 · ap-northeast-1']);
    expect(await page.locator('#shown').textContent()).toBe('1 of 9 shown');
    expect(new URL(page.url()).hash).toBe('#outcome=unread&environment=prod');
    // As the served page does.
    await Promise.all([page.waitForEvent('load'), page.evaluate('location.reload()')]);
    expect(await shown(page)).toEqual(['prod\n444455556666 · ap-northeast-1']);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('Words').fill('AT ANY TIME');
    expect(await shown(page)).toEqual(['legacy\n444455556666 · us-east-1']);
  });
});

test.each([1440, 390])('at %i pixels nothing sticks out of the page, and every cluster says what happens to it', async (width) => {
  await opened(width, async (page) => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const right = await page
      .locator('#clusters tbody tr td:last-child')
      .evaluateAll((cells) => Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)));
    expect(right).toBeLessThanOrEqual(width);
    expect(await page.locator('.ring').count()).toBe(4 + 4 + 1);
    const cards = await page.locator('.ring').evaluateAll((all) => Math.max(...all.map((card) => card.getBoundingClientRect().right)));
    expect(cards).toBeLessThanOrEqual(width);
  });
});

test.each([1440, 390])(
  'at %i pixels a campaign shows who needs somebody at once, all others on a press, and its forecast with what it rests on',
  async (width) => {
    await opened(width, async (page) => {
      const prod = page.locator('.ring', { has: page.getByRole('heading', { name: 'prod' }) }).first();
      expect(await prod.locator('> ul.members b').allInnerTexts()).toEqual([
        'prod-failed',
        'prod-rolled-back',
        'prod-stuck',
        'prod-needs-people',
        'prod-unknown',
        'prod-held',
      ]);
      expect(await prod.locator('details b').first().isVisible()).toBe(false);
      await prod.getByText('All: 26 clusters').click();
      expect(await prod.locator('details b:visible').count()).toBe(26);
      const campaign = page.locator('.campaign').first();
      const now = await campaign.locator('svg line.now').boundingBox();
      const limit = await campaign.locator('svg line.limit').boundingBox();
      expect(limit?.x).toBeGreaterThan(now?.x ?? Infinity);
      // What has happened ends by now, what is to come begins there; with room for the corners.
      const sides = async (kind: string, side: 'left' | 'right') =>
        await campaign.locator(kind).evaluateAll((bars, of) => bars.map((bar) => bar.getBoundingClientRect()[of]), side);
      expect(Math.max(...(await sides('svg rect.past', 'right')))).toBeLessThanOrEqual((now?.x ?? 0) + 2);
      expect(Math.min(...(await sides('svg rect.run:not(.past)', 'left')))).toBeGreaterThanOrEqual((now?.x ?? Infinity) - 2);
      expect(await campaign.locator('table').innerText()).toContain('assumed 3 h each');
    });
  },
);

test.each(['light', 'dark'] as const)('by %s every text has contrast enough', async (colorScheme) => {
  await opened(1440, async (page) => {
    await page.emulateMedia({ colorScheme });
    expect(await faintTexts(page)).toEqual([]);
  });
});
