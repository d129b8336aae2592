/** The App Home, published by two processes: what was read earlier does not take the place of what was read later. */
import { expect, test } from 'vitest';
import { startSlack } from '../../../slack/start.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { CLUSTERS, fakeUpgrades, withApp, fakeCampaigns } from '../support.ts';

test('O31: a Home that another process has published meanwhile is left as it is', async () => {
  const { promise: late, resolve: letGo } = Promise.withResolvers<void>();
  const reading = (version: string) => (clusters: readonly string[]) =>
    Promise.resolve({ readAt: '2026-03-03T12:00:00Z', clusters: clusters.map((name) => ({ name, version })), offered: [] });
  const slow = async (clusters: readonly string[]) => {
    await late;
    return await reading('1.29')(clusters);
  };
  const journal = new Journal(() => new Date());
  await withApp({ upgrades: { versions: slow }, server: { journal } }, async ({ slack, logged }) => {
    const shown = (): string => JSON.stringify(slack.home('U0SAM')?.blocks ?? []);
    expect(await slack.openHome('U0SAM')).toBe('acked');
    await eventually(() => slack.home('U0SAM') !== undefined);
    const log = (): void => undefined;
    const other = await startSlack({
      campaigns: fakeCampaigns([]),
      upgrades: fakeUpgrades([], { versions: reading('1.31') }),
      clusters: CLUSTERS,
      settings: { botToken: WORKSPACE.botToken, appToken: WORKSPACE.appToken, apiUrl: slack.apiUrl },
      log: { info: log, warn: log, error: log },
      keepTryingMs: 0,
    });
    try {
      // Each of the two is given one; the first is still reading, and shows it once.
      for (let turn = 0; turn < 2; turn += 1) expect(await slack.openHome('U0SAM')).toBe('acked');
      await eventually(() => shown().includes('1.31'));
      const before = slack.home('U0SAM')?.hash;
      letGo();
      await eventually(() => journal.mutations.some(({ error }) => error === 'hash_conflict'));
      expect(slack.home('U0SAM')?.hash).toBe(before);
      expect(shown()).not.toContain('1.29');
      expect(logged.filter((line) => line.includes('App Home'))).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});
