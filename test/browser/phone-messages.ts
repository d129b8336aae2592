/** The messages that people see most in Slack, each by itself and as wide as on a phone: from a small rehearsal whose worker is killed. */
import type { Browser, Locator } from 'playwright-core';
import { PATIENCE } from '../support/eventually.ts';
import { Channel, PHONE } from './channel.ts';
import { startRehearse } from './rehearsal.ts';

/** Room for what comes late on a busy machine. */
const LIMIT_MS = 300_000 * PATIENCE;

/** Shoots each into the file of that name. */
export async function takeMessages(browser: Browser, take: (name: string, element: Locator) => Promise<void>): Promise<void> {
  const rehearsal = await startRehearse('--scenario', 'small', '--auto', 'ask', '--kill', 'worker@control-plane');
  try {
    const sam = await Channel.open(browser, rehearsal.pageUrl, 'U0SAM');
    const rin = await Channel.open(browser, rehearsal.pageUrl, 'U0RIN', {
      ...PHONE,
      viewport: { width: 390, height: 2400 },
      deviceScaleFactor: 1.5,
    });
    const alex = await Channel.open(browser, rehearsal.pageUrl, 'U0ALEX');
    const inThread = (text: string | RegExp): Locator => rin.page.locator('#replies .message').filter({ hasText: text }).last();
    const shoot = async (name: string, element: Locator): Promise<void> => {
      await element.waitFor({ timeout: LIMIT_MS });
      await take(`message-${name}.png`, element);
    };
    const gate = async (name: string, key: string): Promise<void> => {
      const open = sam.openGate(key);
      await open.waitFor({ timeout: LIMIT_MS });
      await shoot(name, rin.openGate(key));
      await sam.choose(open, 'Approve');
    };
    await alex.type((await alex.page.locator('#suggestion').textContent()) ?? '');
    await alex.confirm('Start');
    await rin.page.getByRole('button', { name: 'Thread', exact: true }).tap();
    await shoot('plan', rin.inThread('plan'));
    await gate('start', 'before:pre-checks');
    await shoot('frozen', inThread('Drift is frozen on NodePool'));
    await gate('control-plane', 'before:control-plane');
    await shoot('adopted', inThread('was already running'));
    await shoot('decided', rin.inThread('gate/before:control-plane').last());
    await gate('node-groups', 'before:node-groups');
    await gate('karpenter', 'before:karpenter-drift');
    await shoot('lifted', inThread('budgets are as before'));
    await shoot('report', rin.inThread('report'));
    await rin.page.getByRole('button', { name: 'Channel', exact: true }).tap();
    await rin.board.getByText('Completed').first().waitFor({ timeout: LIMIT_MS });
    await shoot('board', rin.board);
  } finally {
    await rehearsal.stop();
  }
}
