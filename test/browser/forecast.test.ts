/** A forecast's page in a browser: readable on a desk and on a phone, by day and by night. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { renderComparisonHtml, renderForecastHtml } from '../../render/forecast/html.ts';
import { comparison, largeForecast } from '../support/forecasts.ts';
import { launchChromium } from './chromium.ts';
import { faintTexts } from './contrast.ts';

let directory: string;
let browser: Browser;
/** As long as SHA-256 is. */
const planHash = 'fd6ea3c810b32be87d679f2b02dbe21e9e015c63769f7d19a3f6c0cf37697a0c';
const PAGES = { forecast: renderForecastHtml({ ...largeForecast(), planHash }), comparison: renderComparisonHtml(comparison()) };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'belay-forecast-page-'));
  for (const [name, html] of Object.entries(PAGES)) writeFileSync(join(directory, `${name}.html`), html);
  browser = await launchChromium();
}, 180_000);
afterAll(async () => {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
});

async function opened(name: keyof typeof PAGES, width: number, run: (page: Page) => Promise<void>, hash = ''): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => errors.push(message.text()));
  await page.goto(`${pathToFileURL(join(directory, `${name}.html`)).href}${hash}`);
  await run(page);
  expect(errors).toEqual([]);
  await page.close();
}

test.each([
  ['forecast', 1440],
  ['forecast', 700],
  ['forecast', 390],
  ['forecast', 320],
  ['comparison', 1440],
  ['comparison', 390],
] as const)('%s at %i pixels: nothing sticks out of the page, and no bar out of its track', async (name, width) => {
  await opened(name, width, async (page) => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const right = (selector: string) =>
      page.locator(selector).evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
    expect(await right('.track i, .chart svg, .ticks span, .words td')).toBeLessThanOrEqual(width);
    const starts = await page.locator('.gantt li .half').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
    expect(Math.max(...starts)).toBeGreaterThan(width / 2);
  });
});

test.each(['light', 'dark'] as const)('by %s every text has contrast enough', async (colorScheme) => {
  await opened('forecast', 1440, async (page) => {
    await page.emulateMedia({ colorScheme });
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    expect(await faintTexts(page)).toEqual([]);
  });
});

test('a link leads to the card of a team, which names what blocks and what goes down', async () => {
  await opened(
    'forecast',
    390,
    async (page) => {
      const card = page.locator('#team-2-data-ml');
      expect((await card.boundingBox())?.y).toBeLessThan(900);
      expect(await card.locator('tbody th:visible').count()).toBe(15 + 14);
    },
    '#team-2-data-ml',
  );
});
