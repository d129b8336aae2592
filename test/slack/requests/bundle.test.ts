/** Equal gates in Slack: a message with a list behind it, approved with one form. */
import { expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { type Bundle, bundleView } from '../../../domain/run/campaign/bundles.ts';
import { bundleBlocks } from '../../../slack/blocks/campaigns/bundle.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, post, withApp } from '../support.ts';

const bundleOf = (count: number): Bundle => ({
  id: 'to-1-34/prod#1/before:node-groups@1.34#1/0123456789ab',
  campaign: 'to-1-34',
  ring: 'prod',
  attempt: 1,
  gate: 'before:node-groups@1.34#1',
  step: 'Node groups → 1.34',
  verdict: 'clear',
  rules: 'approvers 1',
  undo: 'From here going back to 1.33 means moving nodes first.',
  key: 'k',
  decideBy: '2026-11-27T09:00:00.000Z',
  members: Array.from({ length: count }, (_, index) => ({
    cluster: { account: '111122223333', region: 'eu-central-1', name: `prod-${index + 1}` },
    runId: `run-${index + 1}`,
    title: `Replace the ${index + 1} nodes?`,
    revision: 1,
  })),
});

const messageOf = (bundle: Bundle, dropped: string[] = [], closed = false) => bundleBlocks(bundleView(bundle, dropped, closed));
const textOf = (view: View | undefined): string => JSON.stringify(view?.blocks ?? []);
const modal = ({ slack }: Bench, text: string, user = 'U0SAM'): Promise<View> =>
  eventually(text, () => slack.openViews(user).find((view) => textOf(view).includes(text)));

test('its message says how many, what can be undone, who has dropped out; closed, it has no button', () => {
  const shown = JSON.stringify(messageOf(bundleOf(12), ['prod-13 dropped out: the cluster has a problem: <!here>']));
  expect(shown).toContain('Node groups → 1.34: 12 identical gates');
  expect(shown).toContain('*What can be undone*\\nFrom here going back to 1.33 means moving nodes first.');
  expect(shown).toContain('prod-1, prod-2, prod-3, prod-4, prod-5, prod-6, prod-7, prod-8, prod-9, prod-10 and 2 more');
  expect(shown).toContain('prod-13 dropped out: the cluster has a problem: &lt;!here&gt;');
  expect(shown).toContain(
    'Evidence: clear · needs approvers 1 at each gate · decide by <!date^1795770000^{time} {date_short_pretty}|2026-11-27 09:00 UTC>',
  );
  expect(shown).toContain('Approve 12');
  expect(JSON.stringify(messageOf(bundleOf(2), [], true))).not.toContain('bundle/approve');
});

test('F32: three hundred clusters are read page by page, and approved with one form', async () => {
  const bundle = bundleOf(300);
  await withApp(
    {
      campaigns: {
        bundles: async () => ({ open: [bundle], earlier: [] }),
        approveBundle: async ({ bundle: id, actor, campaign, onProgress }) => {
          onProgress?.(150, 300);
          return {
            bundle,
            results: bundle.members.map(({ cluster: { name } }, index) => ({
              cluster: name,
              result:
                index === 6
                  ? { kind: 'dropped', why: `its plan has changed (${id.slice(0, 7)}, ${actor.id}, ${campaign})` }
                  : index === 7
                    ? { kind: 'unreached', why: 'Temporal does not answer.' }
                    : { kind: 'voted' },
            })),
          };
        },
      },
    },
    async (bench) => {
      const { slack } = bench;
      const root = await post(bench, { text: 'board', blocks: [] });
      await slack.click('U0SAM', await post(bench, messageOf(bundle), root), 'bundle/approve');
      const first = await modal(bench, 'Page 1 of 8');
      expect(textOf(first)).toContain('*prod-40* Replace the 40 nodes?');
      expect(textOf(first)).not.toContain('prod-41*');
      await slack.pressInView('U0SAM', first.id, 'bundle/page/on');
      expect(textOf(await modal(bench, 'Page 2 of 8'))).toContain('*prod-41* Replace the 41 nodes?');
      await slack.submitView('U0SAM', first.id, {});
      const answered = textOf(await modal(bench, 'is recorded for 298 of 300 clusters'));
      expect(answered).toContain('1 dropped out: prod-7 (its plan has changed (to-1-34, U0SAM, to-1-34)).');
      expect(answered).toContain('1 could not be reached, and may or may not be approved: prod-8 (Temporal does not answer).');
    },
  );
});

test('a form that was taken before approves nothing', async () => {
  const bundle = bundleOf(2);
  await withApp(
    { upgrades: { claim: async () => false }, campaigns: { bundles: async () => ({ open: [bundle], earlier: [] }) } },
    async (bench) => {
      await bench.slack.click('U0SAM', await post(bench, messageOf(bundle)), 'bundle/approve');
      await bench.slack.submitView('U0SAM', (await modal(bench, 'prod-2')).id, {});
      await eventually(() => bench.logged.some((line) => line.includes('received before')));
      expect(bench.asked.filter(({ what }) => what === 'campaign approve')).toEqual([]);
    },
  );
});

test('closed meanwhile, the list gives its answer in the thread', async () => {
  const bundle = bundleOf(2);
  let answer = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (answer = resolve));
  await withApp(
    {
      campaigns: {
        bundles: async () => ({ open: [], earlier: [bundle] }),
        approveBundle: async () => {
          await waiting;
          return { bundle, results: [{ cluster: 'prod-1', result: { kind: 'kept' } }] };
        },
      },
    },
    async (bench) => {
      const root = await post(bench, { text: 'board', blocks: [] });
      await bench.slack.click('U0SAM', await post(bench, messageOf(bundle), root), 'bundle/approve');
      const form = await modal(bench, 'prod-2');
      await bench.slack.submitView('U0SAM', form.id, {});
      await bench.slack.closeView('U0SAM', form.id);
      answer();
      await eventually(() =>
        bench
          .seenBy('U0SAM')
          .includes(
            'Your approval of Node groups → 1.34 is recorded for 0 of 1 cluster.\n1 kept until a worker answers, and not counted yet: prod-1.',
          ),
      );
      expect(bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM')?.thread_ts).toBe(root);
    },
  );
});

test('Show list has nothing to send; a list that is over says so', async () => {
  const bundle = bundleOf(2);
  let open = [bundle];
  await withApp({ campaigns: { bundles: async () => ({ open, earlier: [] }) } }, async (bench) => {
    const message = await post(bench, messageOf(bundle));
    await bench.slack.click('U0SAM', message, 'bundle/list');
    expect((await modal(bench, 'prod-2')).submit ?? null).toBeNull();
    open = [];
    await bench.slack.click('U0RIN', message, 'bundle/approve');
    await modal(bench, 'This list has changed since it was shown', 'U0RIN');
    expect(bench.asked.filter(({ what }) => what === 'campaign approve')).toEqual([]);
  });
});

test('a guest is refused before the campaign is asked; a campaign that cannot be read is said', async () => {
  const bundle = bundleOf(2);
  const people = [
    ...WORKSPACE.people,
    { id: 'U0GUEST', name: 'kim', realName: 'Kim', role: 'elsewhere', standing: { guest: 'multi-channel' as const } },
  ];
  const bundles = () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.'));
  await withApp({ server: { workspace: { ...WORKSPACE, people } }, campaigns: { bundles } }, async (bench) => {
    const message = await post(bench, messageOf(bundle));
    await bench.slack.click('U0GUEST', message, 'bundle/approve');
    await eventually(() => bench.seenBy('U0GUEST').some((text) => text.includes('Guests of')));
    expect(bench.slack.openViews('U0GUEST')).toEqual([]);
    await bench.slack.click('U0SAM', message, 'bundle/approve');
    await modal(bench, 'Temporal does not answer.');
  });
});
