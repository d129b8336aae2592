/** A campaign over twelve clusters, rehearsed by the command that people type, and seen in a browser while it runs: its board in the channel, and the fleet's page. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { AttemptReport, FleetReport } from '../../rehearsal/play/fleet/options.ts';
import { runBelay } from '../cli/run-belay.ts';
import { PATIENCE } from '../support/eventually.ts';
import { processesOf } from '../support/processes.ts';
import { Channel, PHONE } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { faintTexts } from './contrast.ts';
import { type RunningRehearsal, startRehearse } from './rehearsal.ts';

const BAD = 'staging-1';
const SCREENS: [number, BrowserContextOptions][] = [
  [1440, {}],
  [PHONE.viewport.width, PHONE],
];
/** Pictures are kept where this says, to be looked at. */
const PICTURES = process.env['BELAY_TEST_PICTURES'];

let rehearsal: RunningRehearsal;
let browser: Browser;

beforeAll(async () => {
  const play = startRehearse('--fleet', '12', '--auto', 'approve', '--speed', '1200', '--json', 'out.json');
  [rehearsal, browser] = await Promise.all([play, launchChromium()]);
}, 120_000 * PATIENCE);
afterAll(async () => {
  await browser?.close();
  await rehearsal?.stop();
}, 180_000);

const boardOf = ({ page }: Channel): Locator => page.locator('#messages [data-key="board"]').filter({ hasText: 'Campaign to-1-32' });
const widthOf = (page: Page): Promise<number> => page.locator('body').evaluate((body) => body.scrollWidth);

async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage });
}

describe('while it runs', () => {
  test(
    'the board says which cluster has gone bad and that its ring stopped, on a desk and on a phone',
    async () => {
      const channels = await Promise.all(SCREENS.map(([, options]) => Channel.open(browser, rehearsal.pageUrl, 'U0ALEX', options)));
      // On all at once: the board is edited every ten seconds at most, and the ring is retried as soon as that is there to be read.
      await Promise.all(
        channels.map((channel) =>
          boardOf(channel)
            .getByText(`${BAD} (failed: `)
            .waitFor({ timeout: 300_000 * PATIENCE }),
        ),
      );
      for (const [index, channel] of channels.entries()) {
        const [width = 0] = SCREENS[index] ?? [];
        const board = boardOf(channel);
        // At once: an edit draws it anew.
        await board.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        await picture(channel.page, `board-${width}`);
        const text = await board.innerText();
        for (const ring of ['dev', 'staging', 'production']) expect(text).toContain(ring);
        expect(text).not.toMatch(/[{}]|undefined|\[object/);
        expect(await widthOf(channel.page)).toBeLessThanOrEqual(width);
        const box = await board.boundingBox();
        expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? Infinity) <= width).toBe(true);
        await board.locator('.thread-link').dispatchEvent('click');
        await channel.page.locator('#replies').getByText('Ring staging of campaign to-1-32 stopped: 1 failure').waitFor();
        await picture(channel.page, `thread-${width}`);
        expect(channel.errors).toEqual([]);
      }
      await Promise.all(channels.map((channel) => channel.close()));
    },
    400_000 * PATIENCE,
  );

  test(
    'belay fleet --html reads all twelve meanwhile, and its page fits both screens',
    async () => {
      const [, address = '', config = ''] = /TEMPORAL_ADDRESS=(\S+) belay fleet .* --config (\S+)/.exec(rehearsal.printed()) ?? [];
      const file = join(rehearsal.directory, 'fleet.html');
      const ran = await runBelay(['fleet', '--html', file, '--config', config], {
        cwd: rehearsal.directory,
        env: { TEMPORAL_ADDRESS: address },
        limitMs: 60_000,
      });
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Written to ') });
      for (const [width, options] of SCREENS) {
        const context = await browser.newContext({ viewport: { width, height: 900 }, ...options });
        const page = await context.newPage();
        await page.goto(pathToFileURL(file).href);
        await picture(page, `fleet-${width}`, true);
        expect(await page.locator('#clusters tbody tr').count()).toBe(12);
        expect(await page.locator('#clusters tbody').innerText()).not.toMatch(/could not be read|undefined|\[object/);
        expect(await widthOf(page)).toBeLessThanOrEqual(width);
        expect(await faintTexts(page)).toEqual([]);
        await context.close();
      }
    },
    120_000 * PATIENCE,
  );
});

describe('when it has ended', () => {
  let report: FleetReport;

  test(
    'it went as its scenarios say, and nothing of it is left on this machine',
    async () => {
      const code = await rehearsal.ended;
      expect([code, rehearsal.printed().split('\n').at(-2)]).toEqual([
        0,
        expect.stringMatching(/^12 clusters in [\d.]+ s, all as they should be\.$/),
      ]);
      expect(processesOf(rehearsal.directory)).toEqual([]);
      expect(readdirSync(rehearsal.directory).toSorted()).toEqual(['fleet.html', 'out.json']);
      report = JSON.parse(readFileSync(join(rehearsal.directory, 'out.json'), 'utf8'));
    },
    400_000 * PATIENCE,
  );

  test('one run was started for each cluster, and for the bad one a run for each attempt of its ring; each changed its own cluster once', () => {
    const outcomes = report.clusters.map(({ cluster, runs }) => `${cluster} ${runs.map(({ outcome }) => outcome).join(', ')}`);
    expect(outcomes).toEqual([
      ...['dev-1', 'dev-2', 'dev-3', 'dev-4'].map((name) => `${name} completed`),
      `${BAD} aborted, completed`,
      ...['staging-2', 'staging-3', 'staging-4'].map((name) => `${name} completed`),
      ...['production-1', 'production-2', 'production-3', 'production-4'].map((name) => `${name} completed`),
    ]);
    for (const { cluster, mutations, runs } of report.clusters) {
      const moves = mutations.filter(({ operation, accepted }) => operation === 'UpdateClusterVersion' && accepted);
      expect([cluster, moves.length]).toEqual([cluster, runs.length]);
    }
    expect(new Set(report.clusters.map(({ account }) => account)).size).toBe(2);
  });

  test('the ring of the bad cluster stopped and was asked for anew; each ring began only after its approval, by somebody else than who asked', () => {
    const { campaign, clusters } = report;
    expect(campaign).toMatchObject({ name: 'to-1-32', state: 'complete' });
    const gates = campaign.rings.flatMap(({ attempts }) => attempts.map(({ gate, choice, by }) => `${gate} ${choice} ${by}`));
    expect(gates).toEqual(
      ['dev@1.32#1', 'staging@1.32#1', 'staging@1.32#2', 'production@1.32#1'].map((gate) => `ring:${gate} approve U0SAM`),
    );
    const [, staging] = campaign.rings;
    const [first, second] = staging?.attempts ?? [];
    for (const { name, attempts } of campaign.rings) {
      const begun = clusters
        .filter(({ environment }) => environment === name)
        .flatMap(({ runs }) => runs.map(({ startedAt }) => startedAt));
      expect(begun.toSorted()[0]?.localeCompare(decided(attempts[0]))).toBe(1);
    }
    // Between the stop and the second approval nothing started, whatever the ring had not come to by then.
    const bad = clusters.find(({ cluster }) => cluster === BAD);
    expect(bad?.runs.map(({ startedAt }) => startedAt > decided(second))).toEqual([false, true]);
    const begunFirst = clusters.filter(
      ({ environment, runs }) => environment === 'staging' && (runs[0]?.startedAt ?? '') < decided(second),
    );
    expect(begunFirst.map(({ cluster }) => cluster)).toContain(BAD);
    expect(begunFirst.length).toBeLessThan(4);
    expect(decided(first) < decided(second)).toBe(true);
    const lines = rehearsal
      .printed()
      .split('\n')
      .map((line) => line.replace(/^\[[\d:]+\] /, ''));
    expect(lines.filter((line) => line.startsWith('ring '))).toEqual([
      'ring dev: 4 completed of 4 clusters; complete',
      expect.stringMatching(
        /^ring staging: 1 aborted, \d completed of 4 clusters; stopped: 1 failure, and at most 0 allowed: staging-1 \(failed: Aborted by sam/,
      ),
      'ring staging: 4 completed of 4 clusters; complete',
      'ring production: 4 completed of 4 clusters; complete',
    ]);
  });
});

const decided = (attempt: AttemptReport | undefined): string => attempt?.decidedAt ?? 'never';
