/** The documents as a site: built as it is published, below a path, and read on a desk and on a phone. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PATIENCE } from '../support/eventually.ts';
import { PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type ServedFolder, serveFolder } from './serve-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BASE = '/below/';
const REPOSITORY = 'https://git.example/owner/belay';
const DESK = { width: 1440, height: 900 };
const SIZES = [
  ['desk', DESK],
  ['phone', PHONE.viewport],
] as const;
const SCREENS: [string, BrowserContextOptions][] = [
  ['desk', { viewport: DESK }],
  ['phone', PHONE],
];
/** Pictures are kept where this says, to be looked at. */
const PICTURES = process.env['BELAY_TEST_PICTURES'];

let directory: string;
let site: ServedFolder;
let browser: Browser;
/** Addresses below the base: `operate/gates.html`. */
let pages: string[];
const html = (page: string): string => readFileSync(join(directory, page), 'utf8');

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'belay-site-'));
  const built = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'site', '--outDir', directory],
    {
      cwd: ROOT,
      env: { ...process.env, BELAY_SITE_BASE: BASE, BELAY_SITE_REPOSITORY: REPOSITORY },
      encoding: 'utf8',
    },
  );
  // Links to no page fail the build.
  if (built.status !== 0) throw new Error(`the site was not built:\n${built.stdout}${built.stderr}`);
  pages = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html') && name !== '404.html');
  [site, browser] = await Promise.all([serveFolder(directory, BASE), launchChromium()]);
}, 300_000 * PATIENCE);
afterAll(async () => {
  await browser?.close();
  await site?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  // A menu that slides away is where it ends.
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}

/** A window that keeps what goes wrong: errors on the console and requests to elsewhere. */
async function open(options: BrowserContextOptions): Promise<{ page: Page; wrong: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && wrong.push(`console: ${message.text()}`)));
  page.on('pageerror', (error) => void wrong.push(`threw: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url())) wrong.push(`request: ${request.url()}`);
  });
  page.on('response', (response) => void (response.status() >= 400 && wrong.push(`${response.status()}: ${response.url()}`)));
  return { page, wrong };
}

const widthOf = (page: Page): Promise<number> => page.locator('html').evaluate((element) => element.scrollWidth);

describe('links', () => {
  test('every link inside leads to a page, and every anchor to a heading of it', () => {
    const ids = new Map(pages.map((page) => [page, new Set([...html(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]));
    const broken = pages.flatMap((page) =>
      [...html(page).matchAll(/<a [^>]*href="([^"]+)"/g)]
        .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `${site.url}${page}`))
        .filter(({ origin }) => origin === new URL(site.url).origin)
        .filter(({ pathname, hash }) => {
          const place = decodeURI(pathname.slice(BASE.length)).replace(/(^|\/)$/, '$1index.html');
          const there = ids.get(place);
          if (!pathname.startsWith(BASE) || there === undefined) return true;
          return hash.length > 1 && !there.has(decodeURIComponent(hash.slice(1)));
        })
        .map(({ pathname, hash }) => `${page}: ${pathname}${hash}`),
    );
    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(90);
  });

  test('what is no page leads to the repository, and each page says where it is edited', () => {
    expect(html('messages.html')).toContain(`href="${REPOSITORY}/blob/HEAD/workflows/messages/gates.ts"`);
    expect(html('operate/gates.html')).toContain(`href="${REPOSITORY}/edit/HEAD/docs/operate/gates.md"`);
    expect(html('index.html')).toContain(`href="${REPOSITORY}/edit/HEAD/README.md"`);
  });
});

test(
  'no page is wider than the screen, throws, or asks anything of elsewhere, on a desk and on a phone',
  async () => {
    const wide: string[] = [];
    const { page, wrong } = await open({});
    for (const path of pages) {
      await page.setViewportSize(DESK);
      await page.goto(`${site.url}${path}`);
      // Set by Vue once the page is alive.
      await page.waitForFunction(`document.querySelector('#app').__vue_app__ !== undefined`);
      for (const [screen, size] of SIZES) {
        await page.setViewportSize(size);
        const width = await widthOf(page);
        if (width > size.width) wide.push(`${path} on a ${screen}: ${width}`);
        await picture(page, `${path.replaceAll('/', '-').replace(/\.html$/, '')}-${screen}`);
      }
    }
    expect([wide, wrong]).toEqual([[], []]);
    await page.context().close();
  },
  300_000 * PATIENCE,
);

describe.each(SCREENS)('on a %s', (screen, options) => {
  test('search finds a word, dark mode is a switch, and the menu leads on', async () => {
    const { page, wrong } = await open(options);
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('freeze');
    const found = page.locator('#localsearch-list a');
    await found.first().waitFor({ timeout: 30_000 * PATIENCE });
    expect((await found.allInnerTexts()).join('\n')).toContain('Freeze');
    await picture(page, `search-${screen}`);
    await found.first().click();
    await page.waitForURL((url) => url.pathname !== BASE);

    await page.goto(`${site.url}check.html`);
    const dark = (): Promise<boolean> => page.locator('html').evaluate((element) => element.classList.contains('dark'));
    expect(await dark()).toBe(false);
    if (screen === 'phone') await page.getByRole('button', { name: 'mobile navigation' }).click();
    await page.getByRole('switch').filter({ visible: true }).first().click();
    expect(await dark()).toBe(true);
    await picture(page, `dark-${screen}`);
    if (screen === 'phone') {
      await page.getByRole('button', { name: 'mobile navigation' }).click();
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
    }
    await page.locator('.VPSidebar').getByRole('link', { name: 'Gates', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Gates' }).waitFor();
    expect(page.url()).toBe(`${site.url}operate/gates.html`);

    await page.goto(`${site.url}gallery.html`);
    await page.locator('.recording .ap-overlay-start').click({ timeout: 30_000 * PATIENCE });
    await page.locator('.recording .ap-overlay-start').waitFor({ state: 'detached', timeout: 30_000 * PATIENCE });
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});
