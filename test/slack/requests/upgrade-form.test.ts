/** `/eks-upgrade` alone: a form that is filled in as the cluster is read, and what comes of it. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { type Upgrades, UpgradesError } from '../../../client/upgrades-client.ts';
import { readySummary } from '../../support/fake-activities.ts';
import { plan } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, CLUSTERS, withApp } from '../support.ts';

const READ_AT = '2026-03-03T12:00:00Z';
const OFFERED = ['1.34', '1.33', '1.32', '1.31'].map((version) => ({ version, status: 'STANDARD_SUPPORT' as const }));

const versions: Upgrades['versions'] = (clusters) =>
  Promise.resolve({ readAt: READ_AT, clusters: clusters.map((name) => ({ name, version: '1.31' })), offered: OFFERED });

/** One channel for all, so that there is something to choose. */
const clusters = { ...CLUSTERS, names: () => ['staging', 'prod'], channelOf: () => '#eks-upgrades' };

async function opened({ slack }: Bench, user = 'U0ALEX'): Promise<View> {
  await slack.submitCommand(user, '/eks-upgrade');
  return await eventually(() => slack.openViews(user).at(-1));
}

/** The form once it shows this. */
const showing = ({ slack }: Bench, text: string): Promise<View> =>
  eventually(() => {
    const view = slack.openViews('U0ALEX').at(-1);
    return view !== undefined && JSON.stringify(view).includes(text) ? view : undefined;
  });

describe('the form', () => {
  test('asks for the cluster, then reads it: versions with their support, and how ready it is', async () => {
    await withApp({ options: { clusters }, upgrades: { versions } }, async (bench) => {
      const first = await opened(bench);
      expect(JSON.stringify(first.blocks)).toContain('"value":"prod"');
      // What runs was looked for first.
      expect(bench.asked).toEqual([{ what: 'list', request: undefined }]);
      await bench.slack.pressInView('U0ALEX', first.id, 'form/cluster', { selected: 'prod' });
      const read = await showing(bench, '*✅ Ready* for 1.32');
      const text = JSON.stringify(read.blocks);
      expect(text).toContain('It runs 1.31 now.');
      expect(text).toContain('1.32 · standard support until 2026-03-23');
      expect(text).toContain('1.34 · standard support until 2026-12-02');
      expect(text).not.toContain('"value":"1.31"');
      expect(text).not.toContain('"value":"1.35"');
      await bench.slack.pressInView('U0ALEX', first.id, 'form/target', { selected: '1.33', filled: { cluster: 'prod' } });
      await showing(bench, '*✅ Ready* for 1.33');
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      expect(bench.asked).toEqual([
        { what: 'list', request: undefined },
        { what: 'versions', request: ['prod'] },
        { what: 'readiness', request: { cluster: 'prod', target: '1.32', requestedBy } },
        { what: 'readiness', request: { cluster: 'prod', target: '1.33', requestedBy } },
      ]);
    });
  });

  test('starts what was chosen, and says so in its place', async () => {
    await withApp({ options: { clusters }, upgrades: { versions } }, async (bench) => {
      const view = await opened(bench);
      await bench.slack.pressInView('U0ALEX', view.id, 'form/cluster', { selected: 'staging' });
      await showing(bench, '*✅ Ready*');
      await bench.slack.submitView('U0ALEX', view.id, { cluster: 'staging', 'target/staging': '1.32', strategy: 'once-at-the-end' });
      await showing(bench, 'Started: staging 1.31 → 1.32.');
      const request = { cluster: 'staging', target: '1.32', strategy: 'once-at-the-end' };
      expect(bench.asked.find(({ what }) => what === 'start')?.request).toMatchObject(request);
    });
  });

  test('a dry run plans and starts nothing; who has closed the form is told below it', async () => {
    let go = (): void => undefined;
    const waiting = new Promise<void>((resolve) => void (go = resolve));
    const planned: Upgrades['plan'] = async () => {
      await waiting;
      return { kind: 'plan', plan: plan() };
    };
    await withApp({ options: { clusters }, upgrades: { versions, plan: planned } }, async (bench) => {
      const view = await opened(bench);
      await bench.slack.pressInView('U0ALEX', view.id, 'form/cluster', { selected: 'staging' });
      await showing(bench, '*✅ Ready*');
      await bench.slack.submitView('U0ALEX', view.id, { cluster: 'staging', 'target/staging': '1.32', 'dry-run': 'yes' });
      await showing(bench, 'Reading cluster staging…');
      await bench.slack.closeView('U0ALEX', view.id);
      go();
      await eventually(() => bench.seenBy('U0ALEX').find((text) => text.includes('1 hop')));
      expect(bench.asked.map(({ what }) => what)).not.toContain('start');
    });
  });

  test('without a target it asks for one', async () => {
    const never: Upgrades['versions'] = () => new Promise(() => undefined);
    await withApp({ options: { clusters }, upgrades: { versions: never } }, async (bench) => {
      const view = await opened(bench);
      await bench.slack.pressInView('U0ALEX', view.id, 'form/cluster', { selected: 'staging' });
      await showing(bench, 'Reading which version staging runs');
      const { errors } = await bench.slack.submitView('U0ALEX', view.id, { cluster: 'staging' });
      expect(errors).toEqual({ cluster: 'The versions of this cluster have not been read yet. Wait a moment, then choose a target.' });
      expect(bench.slack.openViews('U0ALEX')).toHaveLength(1);
    });
  });

  test('what was read of one cluster never shows for another that was chosen meanwhile', async () => {
    const answers = new Map<string, () => void>();
    const slow: Upgrades['versions'] = async ([name = '']) => {
      await new Promise<void>((resolve) => answers.set(name, resolve));
      return { readAt: READ_AT, clusters: [{ name, version: name === 'prod' ? '1.33' : '1.31' }], offered: OFFERED };
    };
    await withApp({ options: { clusters }, upgrades: { versions: slow } }, async (bench) => {
      const view = await opened(bench);
      await bench.slack.pressInView('U0ALEX', view.id, 'form/cluster', { selected: 'prod' });
      await eventually(() => answers.has('prod'));
      await bench.slack.pressInView('U0ALEX', view.id, 'form/cluster', { selected: 'staging' });
      await eventually(() => answers.has('staging'));
      answers.get('prod')?.();
      answers.get('staging')?.();
      const shown = await showing(bench, 'Ready* for 1.32');
      expect(JSON.stringify(shown)).toContain('It runs 1.31 now.');
      expect(bench.asked.filter(({ what }) => what === 'readiness')).toHaveLength(1);
    });
  });

  test.each<[string, Partial<Upgrades>, string]>([
    [
      'a cluster that cannot be read',
      { versions: () => Promise.resolve({ readAt: READ_AT, clusters: [{ name: 'staging', why: 'AccessDenied' }], offered: [] }) },
      '⚠ AccessDenied',
    ],
    ['no worker', { versions: () => Promise.reject(new UpgradesError('no-worker', 'No worker answers.')) }, '⚠ No worker answers.'],
    [
      'a check that fails',
      { versions, readiness: () => Promise.reject(new UpgradesError('failed', 'AWS is away.')) },
      'Could not check whether it is ready: AWS is away.',
    ],
    [
      'nothing newer',
      {
        versions: () => Promise.resolve({ readAt: READ_AT, clusters: [{ name: 'staging', version: '1.34' }], offered: OFFERED }),
      },
      'staging runs 1.34. EKS offers no newer version, so there is nothing to do.',
    ],
    [
      'findings',
      {
        versions,
        readiness: ({ target }) =>
          Promise.resolve(
            readySummary({
              target,
              verdict: 'required-findings',
              counts: { required: 2, recommended: 1, unknown: 0, passed: 9, waived: 0 },
            }),
          ),
      },
      '*❌ Not ready* for 1.32',
    ],
  ])('says so: %s', async (_name, change, text) => {
    const one = { ...clusters, names: () => ['staging'] };
    await withApp({ options: { clusters: one }, upgrades: change }, async (bench) => {
      await opened(bench);
      await showing(bench, text);
    });
  });

  test.each(['expired_trigger_id', 'exchanged_trigger_id', 'invalid_trigger_id'])('S26: %s: asks to do it again', async (error) => {
    await withApp({ options: { clusters } }, async (bench) => {
      bench.slack.failNext('views.open', { error, times: 1 });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade');
      const again = 'The form for an upgrade could not be opened in time. Type /eks-upgrade again, or /eks-upgrade help.';
      await eventually(() => bench.seenBy('U0ALEX').includes(again));
      expect((await opened(bench))['callback_id']).toBe('upgrade-form');
    });
  });

  test('S24: opens only in a channel that belay.yaml names', async () => {
    const away = { ...clusters, channelOf: () => 'C0SOMEWHERE' };
    await withApp({ options: { clusters: away } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade');
      await eventually(() =>
        bench.seenBy('U0ALEX')[0]?.startsWith('Nothing was done: Belay does not use this channel. Type the command in <#C0SOMEWHERE>'),
      );
      expect(bench.slack.openViews('U0ALEX')).toEqual([]);
    });
  });

  test('offers the clusters of its own channel alone', async () => {
    await withApp({ upgrades: { versions } }, async (bench) => {
      await opened(bench);
      const view = await showing(bench, '*✅ Ready* for 1.32');
      expect(JSON.stringify(view)).not.toContain('elsewhere');
      expect(bench.asked[1]).toEqual({ what: 'versions', request: ['staging'] });
    });
  });

  test('RT4: a cluster that belay.yaml has moved to another channel meanwhile is neither read nor started', async () => {
    let moved = false;
    const moving = { ...clusters, channelOf: (name: string) => (moved && name === 'prod' ? 'C0ELSEWHERE' : '#eks-upgrades') };
    await withApp({ options: { clusters: moving }, upgrades: { versions } }, async (bench) => {
      const first = await opened(bench);
      await bench.slack.pressInView('U0ALEX', first.id, 'form/cluster', { selected: 'prod' });
      await showing(bench, '*✅ Ready* for 1.32');
      const second = await opened(bench, 'U0SAM');
      moved = true;
      const before = bench.asked.length;
      await bench.slack.pressInView('U0SAM', second.id, 'form/cluster', { selected: 'prod' });
      await bench.slack.submitView('U0ALEX', first.id, { cluster: 'prod', 'target/prod': '1.32' });
      await showing(bench, 'Nothing was done: upgrades of prod belong in <#C0ELSEWHERE>. Type the command there.');
      // A try from the wrong place is recorded; no more comes of it.
      expect(bench.asked.slice(before).map(({ what }) => what)).toEqual(['refused']);
    });
  });

  test('a refused plan names its rules in the form', async () => {
    const violations = [{ rule: 'one-minor-per-hop', message: 'Too far.', remedy: 'Go by 1.32.' }];
    const start = (): Promise<never> => Promise.reject(new UpgradesError('refused', 'No.', { violations }));
    await withApp({ upgrades: { versions, start } }, async (bench) => {
      const view = await opened(bench);
      await showing(bench, '*✅ Ready*');
      await bench.slack.submitView('U0ALEX', view.id, { cluster: 'staging', 'target/staging': '1.34' });
      await showing(bench, '`one-minor-per-hop`: Too far.');
    });
  });
});
