/** Reject in a browser: a form for the reason, the decision on the message, its buttons gone, and the run's end told. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { Channel } from './channel.ts';
import { launchChromium } from './chromium.ts';
import { type RunningRehearsal, startRehearsal } from './rehearsal.ts';
import { PATIENCE } from '../support/eventually.ts';

let rehearsal: RunningRehearsal;
let browser: Browser;

beforeAll(async () => {
  [rehearsal, browser] = await Promise.all([startRehearsal({ scenario: 'small', speed: 600 }), launchChromium()]);
}, 360_000);

afterAll(async () => {
  await browser?.close();
  await rehearsal?.stop();
}, 180_000);

describe('saying no', () => {
  test('Cancel in the form decides nothing; Reject shows who decided, and everything is put back', async () => {
    const rin = await Channel.open(browser, rehearsal.pageUrl, 'U0RIN');
    await rin.type('/eks-upgrade start small 1.32');
    await rin.confirm('Start');
    const first = rin.inThread('gate/before:pre-checks@1.32').last();
    await first.getByRole('button', { name: 'Approve', exact: true }).waitFor({ timeout: 90_000 * PATIENCE });
    await rin.choose(first, 'Approve');
    const gate = rin.inThread('gate/before:control-plane@1.32').last();
    await gate.getByRole('button', { name: 'Reject', exact: true }).click({ timeout: 60_000 * PATIENCE });
    const form = rin.page.locator('dialog.view');
    await form.getByText('Stops the upgrade before this step.').waitFor({ timeout: 30_000 * PATIENCE });
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await gate.getByRole('button', { name: 'Reject', exact: true }).count()).toBe(1);

    await rin.choose(gate, 'Reject', 'The shop has its sale today');
    await gate.getByText('Reject by @Rin Park').waitFor({ timeout: 30_000 * PATIENCE });
    expect(await gate.locator('blockquote').textContent()).toBe('The shop has its sale today');
    expect(await gate.getByRole('button').count()).toBe(0);
    await rin
      .inThread('report')
      .getByText('Nothing was left behind.')
      .waitFor({ timeout: 60_000 * PATIENCE });
    await rin.board
      .getByText('Stopped')
      .first()
      .waitFor({ timeout: 30_000 * PATIENCE });
    expect(await rin.board.textContent()).toContain('The freeze is lifted');
    expect(rin.errors).toEqual([]);
    await rin.close();
  });

  test('the channel can be used for the next upgrade at once: more time for its gate, handed over, and ended by Abort', async () => {
    const sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM');
    await sam.type('/eks-upgrade start small 1.32');
    await sam.confirm('Start');
    const gate = sam.openGates.first();
    await gate.waitFor({ timeout: 60_000 * PATIENCE });
    const form = sam.page.locator('dialog.view');
    const until = await gate.getByText(/decide by/).textContent();
    await gate.getByRole('button', { name: 'More time', exact: true }).click();
    await form.getByLabel('How much longer?').selectOption('1 day');
    await form.getByRole('button', { name: 'Give more time' }).click();
    await form.waitFor({ state: 'detached', timeout: 30_000 * PATIENCE });
    await sam
      .inThread('note/')
      .getByText(/ extended ".+" to /)
      .waitFor({ timeout: 30_000 * PATIENCE });
    await gate.filter({ hasNotText: until ?? '' }).waitFor({ timeout: 30_000 * PATIENCE });

    await sam.board.getByRole('button', { name: 'Hand over', exact: true }).click();
    await form.getByLabel('To whom?').selectOption('Rin Park');
    await form.getByLabel('Why?').fill('Her service moves');
    await form.getByRole('button', { name: 'Hand over', exact: true }).click();
    await form.waitFor({ state: 'detached', timeout: 30_000 * PATIENCE });
    await sam.board.getByText('Requested by @Rin Park').waitFor({ timeout: 30_000 * PATIENCE });
    await sam.board.getByRole('button', { name: 'Abort', exact: true }).click();
    await sam.page.locator('dialog.confirm [data-confirm=yes]').click();
    await sam.board
      .getByText('Aborted')
      .first()
      .waitFor({ timeout: 60_000 * PATIENCE });
    await sam.openGates.first().waitFor({ state: 'detached', timeout: 30_000 * PATIENCE });
    expect(sam.errors).toEqual([]);
    await sam.close();
  });

  test('once the control plane has moved, Reject keeps the freeze; lifting it asks for a reason, which everybody sees', async () => {
    const sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM');
    await sam.type('/eks-upgrade start small 1.32');
    await sam.confirm('Start');
    for (const key of ['pre-checks', 'control-plane']) {
      const gate = sam.openGate(`before:${key}@1.32`);
      await gate.waitFor({ timeout: 60_000 * PATIENCE });
      await sam.choose(gate, 'Approve');
    }
    const nodes = sam.inThread('gate/before:node-groups@1.32').last();
    await nodes.getByText('The freeze stays while nodes lag behind').waitFor({ timeout: 60_000 * PATIENCE });
    await sam.choose(nodes, 'Reject', 'Nodes may roll next week');
    await sam
      .inThread('report')
      .last()
      .getByText('Kept on purpose')
      .waitFor({ timeout: 60_000 * PATIENCE });

    const kept = sam.inThread('gate/kept:freeze-drift@1.32').last();
    await kept.getByRole('button', { name: 'Lift and roll', exact: true }).click({ timeout: 30_000 * PATIENCE });
    const form = sam.page.locator('dialog.view');
    await form.locator('[type=submit]').click();
    await form.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await form.getByLabel('Why?').fill('Nodes may roll during the day');
    await form.locator('[type=submit]').click();
    await form.waitFor({ state: 'detached' });
    await kept.getByText('Lift and roll by @Sam Rivera').waitFor({ timeout: 30_000 * PATIENCE });
    expect(await kept.locator('blockquote').textContent()).toBe('Nodes may roll during the day');
    expect(await kept.getByRole('button').count()).toBe(0);
    expect(sam.errors).toEqual([]);
    await sam.close();
  });
});
