/** The HTML report in a browser: it loads nothing, can be read by day and by night, and a thousand findings can be narrowed down. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { renderCheckHtml } from '../../render/readiness/html.ts';
import { diffReports } from '../../domain/readiness/report.ts';
import { PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { faintTexts } from './contrast.ts';
import { FINDING_COUNT, largeReport, ODD_NAME } from './large-report.ts';

let directory: string;
let address: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Whatever the page asked for or complained about. */
let requested: string[];
let complaints: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'belay-report-'));
  const file = join(directory, 'report.html');
  const report = largeReport();
  const before = { ...report, findings: report.findings.slice(2) };
  writeFileSync(file, renderCheckHtml(report, diffReports(before, report)));
  expect(statSync(file).size).toBeLessThan(3_000_000);
  address = pathToFileURL(file).href;
  browser = await launchChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function open(options: BrowserContextOptions = {}): Promise<void> {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  page = await context.newPage();
  requested = [];
  complaints = [];
  page.on('request', (request) => void requested.push(request.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('dialog', (dialog) => void complaints.push(`dialog: ${dialog.message()}`));
  await page.goto(address);
}
afterEach(async () => {
  expect(requested).toEqual([address]);
  expect(complaints).toEqual([]);
  await context.close();
});

const cards = (): Locator => page.locator('article:visible');
const shown = (): Promise<string> => page.locator('#shown').innerText();

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  beforeEach(() => open({ colorScheme }));

  test('verdict, both pictures, areas, changes and namespaces are in sight, and no text is faint', async () => {
    for (const text of ['Not ready', '3 hops of the control plane', 'Changes since the older report', 'By namespace'])
      expect(await page.getByText(text, { exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('img', { name: 'Hops of the control plane: 1.31, 1.32, 1.33, 1.34' }).isVisible()).toBe(true);
    const nodes = page.getByRole('img', { name: 'Nodes: 12 self-managed at 1.30, 4800 karpenter at 1.31, 188 node-group at 1.31' });
    expect(await nodes.locator('rect').count()).toBe(3);
    expect(await page.getByRole('row', { name: /^Kubernetes/ }).isVisible()).toBe(true);
    expect(await page.getByText('The waiver of K8S012 for team-01/* by kim ended on 2026-01-31.').isVisible()).toBe(true);
    // What is passed is hidden at first: its texts have to be seen as well.
    await page.getByLabel('passed').check();
    expect(await faintTexts(page)).toEqual([]);
  });

  test('on paper it is dark on white, without filters, with every list unfolded, and as before afterwards', async () => {
    const folded = page.locator('details:not([open])');
    const foldedBefore = await folded.count();
    expect(foldedBefore).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await folded.count()).toBe(0);
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await faintTexts(page)).toEqual([]);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await folded.count()).toBe(foldedBefore);
  });
});

describe('a thousand findings', () => {
  beforeEach(() => open());

  test('are in sections, worst first; what passes is hidden; one card stands for all unknowns of a cause', async () => {
    expect(await page.locator('section.findings h2').allTextContents()).toEqual([
      'required 50',
      'unknown 100',
      'recommended 400',
      'waived 50',
      'passed 400',
    ]);
    expect(await shown()).toBe(`600 of ${FINDING_COUNT} shown`);
    expect(await page.locator('section[data-standing=passed]').isVisible()).toBe(false);
    expect(await page.locator('article.unknown').count()).toBe(2);
  });

  test('by standing', async () => {
    for (const label of ['unknown', 'recommended', 'waived']) await page.getByLabel(label).uncheck();
    expect(await cards().count()).toBe(50);
    expect(await shown()).toBe('50 of 1000 shown');
    expect(await page.getByRole('heading', { name: /^recommended/ }).isVisible()).toBe(false);
  });

  test('by area', async () => {
    await page.getByLabel('Area').selectOption('Istio');
    const areas = await cards().locator('.area').allTextContents();
    expect(areas.length).toBeGreaterThan(50);
    expect(areas.filter((area) => !area.includes('Istio'))).toEqual([]);
  });

  test('by namespace: its button shows what its team has to do, and nothing of others', async () => {
    await page.getByRole('button', { name: 'team-07' }).click();
    expect(await page.getByLabel('Namespace').inputValue()).toBe('team-07');
    const groups = await page.locator('article:visible .resources > li:visible > b').allTextContents();
    expect(groups.length).toBeGreaterThan(100);
    expect(new Set(groups)).toEqual(new Set(['team-07']));
    await page.getByLabel('Namespace').selectOption('all');
    expect(await page.locator('article:visible details:not([open])').count()).toBeGreaterThan(100);
  });

  test('by words, in any case; with the other filters; and back', async () => {
    const words = page.getByLabel('Words');
    await words.fill('SERVICE-203-0');
    expect(await cards().count()).toBe(1);
    expect(await cards().first().getByText('Deployment team-03/service-203-0').isVisible()).toBe(true);
    await page.getByLabel('required').uncheck();
    expect(await page.getByText('Nothing matches these filters.').isVisible()).toBe(true);
    expect(await shown()).toBe('0 of 1000 shown');
    await page.getByLabel('required').check();
    await words.fill('');
    expect(await shown()).toBe('600 of 1000 shown');
  });

  test('a name that is markup is shown as it is', async () => {
    expect(await page.getByText(`Deployment team-00/${ODD_NAME}`).isVisible()).toBe(true);
    expect(await page.locator('img').count()).toBe(0);
  });
});

test('on a phone nothing is wider than the screen', async () => {
  await open(PHONE);
  expect(await page.locator('body').evaluate((body) => body.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);
});

test('without scripts everything is there', async () => {
  await open({ javaScriptEnabled: false });
  expect(await page.locator('section.findings').count()).toBe(5);
  expect(await page.getByRole('heading', { name: /number 60$/ }).isVisible()).toBe(true);
});
