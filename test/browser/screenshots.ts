/** The pictures of the documents, from the twin: `npm run screenshots`; `-- messages` takes those of single messages alone. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Locator } from 'playwright-core';
import { Channel, PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { takeMessages } from './phone-messages.ts';
import { startRehearsal } from './rehearsal.ts';
import { runBelay } from '../cli/run-belay.ts';
import { startWorld } from '../support/world.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const SHOP = fileURLToPath(new URL('../../rehearsal/scenarios/samples/shop.snapshot.gz', import.meta.url));
const MAX_BYTES = 400_000;
/** Board edits coalesce for three seconds. */
const SETTLE_MS = 4_000;

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const only = process.argv[2];
  if (only !== undefined && only !== 'messages') throw new Error(`Unexpected argument: ${only}. Right is "messages", or nothing.`);
  await takeSingleMessages();
  if (only === 'messages') return;
  await takeReport();
  await takeForecast();
  const rehearsal = await startRehearsal({ scenario: 'seed-000', speed: 60 });
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const alex = await Channel.open(browser, rehearsal.pageUrl, 'U0ALEX');
    const sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM');
    await alex.type((await alex.page.locator('#suggestion').textContent()) ?? '');
    await alex.confirm('Start');
    await approve(sam, 'pre-checks');
    const controlPlane = await openGate(sam, 'before:control-plane');
    await takeGate(browser, rehearsal.pageUrl, 'before:control-plane');
    await sam.choose(controlPlane, 'Approve');
    for (const phase of ['node-groups', 'karpenter-drift']) await approve(sam, phase);
    await openGate(sam, 'blocked:');
    await takeChannel(sam);
    await takePhone(browser, rehearsal.pageUrl);
    await takeTemporalUi(browser, sam);
  } finally {
    await browser?.close();
    await rehearsal.stop();
  }
}

async function takeSingleMessages(): Promise<void> {
  const browser = await launchChromium();
  try {
    await takeMessages(browser, (name, element) => take(name, (path) => element.screenshot({ path })));
  } finally {
    await browser.close();
  }
}

/** What `belay check` says of the same cluster before its upgrade. */
async function takeReport(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-screenshots-'));
  const world = await startWorld(directory, 'seed-000');
  const browser = await launchChromium();
  try {
    writeFileSync(join(directory, 'belay.yaml'), `clusters: { staging: { region: ap-northeast-1, account: "111122223333" } }\n`);
    const file = join(directory, 'report.html');
    const env = { AWS_ENDPOINT_URL: world.endpoints.eks, AWS_ACCESS_KEY_ID: 'AKIASCREENSHOTS', AWS_SECRET_ACCESS_KEY: 'none' };
    await runBelay(['check', 'staging', '--target', '1.32', '--format', 'html', '--output', file], { cwd: directory, env });
    const page = await browser.newPage({ viewport: { width: 1280, height: 1160 } });
    await page.goto(pathToFileURL(file).href);
    await take('check.png', (path) => page.screenshot({ path }));
  } finally {
    await browser.close();
    await world.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Of the sample that is in the repository: sixty nodes on which a good deal is in the way. */
async function takeForecast(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-screenshots-'));
  const browser = await launchChromium();
  try {
    const file = join(directory, 'forecast.html');
    await runBelay(['forecast', '--snapshot', SHOP, '--target', '1.34', '--format', 'html', '--output', file], { cwd: directory });
    const page = await browser.newPage({ viewport: { width: 1440, height: 1350 } });
    await page.goto(pathToFileURL(file).href);
    await take('forecast.png', (path) => page.screenshot({ path }));
  } finally {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function openGate(channel: Channel, key: string): Promise<Locator> {
  const gate = channel.openGate(key);
  await gate.waitFor({ timeout: 120_000 });
  return gate;
}

async function approve(channel: Channel, phase: string): Promise<void> {
  await channel.choose(await openGate(channel, `before:${phase}`), 'Approve');
}

/** The whole card, in a window that is high enough for it. */
async function takeGate(browser: Browser, url: string, key: string): Promise<void> {
  const rin = await Channel.open(browser, url, 'U0RIN', { viewport: { width: 1600, height: 1800 }, deviceScaleFactor: 1.5 });
  const gate = await openGate(rin, key);
  await take('gate.png', (path) => gate.locator('.content').screenshot({ path }));
  await rin.close();
}

async function takeChannel(sam: Channel): Promise<void> {
  await sam.page.setViewportSize({ width: 1440, height: 1000 });
  // What only Sam sees is of no interest to others.
  const dismiss = sam.page.getByRole('button', { name: 'Dismiss' });
  while ((await dismiss.count()) > 0) await dismiss.first().click();
  await sam.page.waitForTimeout(SETTLE_MS);
  await scrollDown(sam);
  await sam.page.mouse.move(0, 0);
  await take('channel.png', (path) => sam.page.screenshot({ path }));
}

async function scrollDown({ page }: Channel): Promise<void> {
  await page.locator('#thread-scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
}

async function takePhone(browser: Browser, url: string): Promise<void> {
  const rin = await Channel.open(browser, url, 'U0RIN', PHONE);
  await rin.page.getByRole('button', { name: 'Thread', exact: true }).tap();
  await openGate(rin, 'blocked:');
  await scrollDown(rin);
  await take('channel-phone.png', (path) => rin.page.screenshot({ path }));
  await rin.close();
}

/** The run's own account of itself: summary, details, current details, and a line for each activity, timer and child workflow. */
async function takeTemporalUi(browser: Browser, sam: Channel): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'UTC' });
  const page = await context.newPage();
  await page.goto(`${await sam.temporalUi()}/user-metadata`);
  await page.getByText('Child Workflow').first().waitFor({ timeout: 30_000 });
  await page.waitForTimeout(SETTLE_MS);
  await take('temporal-ui.png', (path) => page.screenshot({ path }));
  await context.close();
}

async function take(name: string, shoot: (path: string) => Promise<unknown>): Promise<void> {
  const path = join(FOLDER, name);
  await shoot(path);
  // A palette of 256 colours is a third of the size; without the tool they stay as they are.
  spawnSync('pngquant', ['--force', '--skip-if-larger', '--strip', '--output', path, path]);
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`docs/images/${name} has ${size} bytes, more than ${MAX_BYTES}: make its window smaller.`);
  process.stdout.write(`docs/images/${name}  ${Math.round(size / 1024)} KiB\n`);
}

await main();
