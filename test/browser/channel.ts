/** The channel's page as people use it: by what stands on it, with keyboard and mouse. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { PATIENCE } from '../support/eventually.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DESKTOP = { width: 1440, height: 900 };
const GATE_BUTTON = '[data-action-id^="gate/"]';

export class Channel {
  readonly page: Page;
  /** What the page's own scripts threw. */
  readonly errors: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => void this.errors.push(error.message));
  }

  /** In a window of its own, so that several people can be played at once. */
  static async open(browser: Browser, url: string, user: string, options: BrowserContextOptions = {}): Promise<Channel> {
    const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', timezoneId: 'UTC', ...options });
    const channel = new Channel(await context.newPage());
    await channel.page.goto(`${url}?user=${user}`);
    await channel.page.getByText('Belay is connected').waitFor({ timeout: 90_000 * PATIENCE, state: 'attached' });
    return channel;
  }

  async type(line: string): Promise<void> {
    await this.page.getByLabel('Message or command').fill(line);
    await this.page.keyboard.press('Enter');
  }

  /** Presses the button of a command's question. */
  async confirm(label: string): Promise<void> {
    await this.whispers
      .getByRole('button', { name: label, exact: true })
      .last()
      .click({ timeout: 30_000 * PATIENCE });
  }

  get board(): Locator {
    return this.page.locator('#messages [data-key="board"]').last();
  }

  /** Messages in the thread that begin with a key such as `gate/before:control-plane`. */
  inThread(key: string): Locator {
    return this.page.locator(`#replies [data-key^="${key}"]`);
  }

  /** Gates that still have buttons. */
  get openGates(): Locator {
    return this.page.locator('#replies .message').filter({ has: this.page.locator(GATE_BUTTON) });
  }

  /** The open one of those whose id has this in it, such as `before:node-groups@1.32`. */
  openGate(id: string): Locator {
    return this.openGates.filter({ has: this.page.locator(`[data-value*="${id}"]`) });
  }

  /** Address of the run that the board shows. */
  async temporalUi(): Promise<string> {
    return (await this.board.getByRole('link', { name: 'Open in Temporal UI' }).getAttribute('href')) ?? '';
  }

  /** Messages that only this person sees. */
  get whispers(): Locator {
    return this.page.locator('.message.ephemeral');
  }

  /** Presses a gate's button, and goes on through the confirmation or the form for a reason that it may open. */
  async choose(gate: Locator, label: string, reason?: string): Promise<void> {
    await gate.getByRole('button', { name: label, exact: true }).click();
    if (reason !== undefined) {
      const form = this.page.locator('dialog.view');
      await form.getByLabel('Why?').fill(reason);
      await form.locator('[type=submit]').click();
      await form.waitFor({ state: 'detached' });
      return;
    }
    const confirmation = this.page.locator('dialog.confirm [data-confirm=yes]');
    if (await confirmation.isVisible()) await confirmation.click();
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
