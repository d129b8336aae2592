/** `/eks-upgrade reconcile`: shown to the channel, put back by a button, told in its thread. */
import { describe, expect, test } from 'vitest';
import type { ReconcileReport } from '../../../domain/run/leftovers.ts';
import { type Upgrades, UpgradesError } from '../../../client/upgrades-client.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, CHANNEL, withApp } from '../support.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };
const FROZEN = 'NodePool default, frozen by eks-upgrade/1/eu-west-1/staging/freeze-drift@1.32';
const LEFT: ReconcileReport['items'][number] = { what: 'NodePool <!here>', outcome: 'left', why: 'only people can say' };

/** As long as nobody has put it back. */
function leftovers(change: Partial<ReconcileReport> = {}): Pick<Upgrades, 'reconcile'> {
  return {
    reconcile: ({ apply }) =>
      Promise.resolve({
        applied: apply,
        items: [{ what: FROZEN, outcome: apply ? 'restored' : 'to-restore' }, LEFT],
        unseen: [{ what: 'Auto Scaling groups', why: 'AccessDenied' }],
        merges: [{ object: 'EC2NodeClass default', state: 'not-merged', why: 'last applied as al2023@old' }],
        ...(apply ? change : {}),
      }),
  };
}

async function offered(bench: Bench, command = '/eks-upgrade reconcile staging'): Promise<string> {
  await bench.slack.submitCommand('U0ALEX', command);
  return (await eventually(() => inChannel(bench)[0])).ts;
}

const inChannel = ({ slack }: Bench) =>
  slack.messages().filter(({ channel, ephemeralTo }) => channel === CHANNEL && ephemeralTo === undefined);
const shown = (message: { blocks: unknown } | undefined): string => JSON.stringify(message?.blocks);

describe('/eks-upgrade reconcile', () => {
  test('what would be put back is shown to the channel; the press does it, tells it in the thread, and takes the button away', async () => {
    await withApp({ upgrades: leftovers() }, async (bench) => {
      const ts = await offered(bench);
      const offer = shown(inChannel(bench)[0]);
      expect(offer).toContain(`would restore: ${FROZEN}`);
      expect(offer).toContain('LEFT: NodePool &lt;!here&gt; (only people can say)');
      expect(offer).toContain('UNKNOWN: Auto Scaling groups cannot be seen (AccessDenied)');
      expect(offer).toContain('NOT MERGED: EC2NodeClass default (last applied as al2023@old)');
      expect(offer).toContain('Nothing has been changed yet');
      await bench.slack.click('U0SAM', ts, 'reconcile/apply');
      const reply = await eventually(() => inChannel(bench).find((message) => message.thread_ts === ts && message.ts !== ts));
      expect(shown(reply)).toContain(`• restored: ${FROZEN}`);
      const taken = await eventually(() => inChannel(bench).find((message) => message.ts === ts && !shown(message).includes('"actions"')));
      expect(shown(taken)).toContain('Restore requested by <@U0SAM>');
      expect(shown(taken)).toContain(`would restore: ${FROZEN}`);
      expect(bench.asked).toEqual([
        {
          what: 'reconcile',
          request: { cluster: 'staging', requestedBy: { kind: 'slack', id: 'U0ALEX', name: 'alex' }, apply: false, roll: false },
        },
        { what: 'reconcile', request: { cluster: 'staging', requestedBy: SAM, apply: true, roll: false } },
      ]);
    });
  });

  test('in a channel without the app, whoever asks is told to invite it', async () => {
    await withApp({ upgrades: leftovers() }, async (bench) => {
      bench.slack.failNext('chat.postMessage', { error: 'not_in_channel', times: 1 });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade reconcile staging');
      await eventually(() =>
        bench.seenBy('U0ALEX').includes('Slack answered not_in_channel. Invite the app to the channel: /invite @Belay.'),
      );
    });
  });

  test('what was restored is told to whoever pressed where the thread does not take it', async () => {
    await withApp({ upgrades: leftovers() }, async (bench) => {
      const ts = await offered(bench);
      bench.slack.failNext('chat.postMessage', { error: 'internal_error', times: 1 });
      await bench.slack.click('U0SAM', ts, 'reconcile/apply');
      await eventually(() => bench.seenBy('U0SAM').includes('Left behind on staging by earlier runs:'));
    });
  });

  test('--dry-run only shows it, to the one who asks; so does a cluster on which nothing is left', async () => {
    await withApp({ upgrades: leftovers() }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade reconcile staging --dry-run');
      await eventually(() => bench.seenBy('U0ALEX').includes('Left behind on staging by earlier runs:'));
      expect(inChannel(bench)).toEqual([]);
    });
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade reconcile staging');
      await eventually(() => bench.seenBy('U0ALEX').includes('Runs have left nothing behind on staging.'));
      expect(inChannel(bench)).toEqual([]);
    });
  });

  test('--roll is in the button, which says what it means', async () => {
    await withApp({ upgrades: leftovers() }, async (bench) => {
      const ts = await offered(bench, '/eks-upgrade reconcile staging --roll');
      expect(shown(inChannel(bench)[0])).toContain(
        'This also lifts a freeze: Karpenter then replaces every node that lags behind the control plane, limited only by the budgets of each NodePool.',
      );
      await bench.slack.click('U0SAM', ts, 'reconcile/apply');
      await eventually(() => bench.asked.some(({ request }) => (request as { apply?: boolean }).apply === true));
      expect(bench.asked.at(-1)).toMatchObject({ request: { apply: true, roll: true } });
    });
  });

  test('who may not is told so, and the button stays for those who may; a run that is at work is named', async () => {
    const may = { applied: false, items: [], unseen: [], refused: 'sam is in none of the groups that approve here.' };
    await withApp({ upgrades: leftovers(may) }, async (bench) => {
      const ts = await offered(bench);
      await bench.slack.click('U0SAM', ts, 'reconcile/apply');
      await eventually(() => bench.seenBy('U0SAM').includes('sam is in none of the groups that approve here.'));
      expect(inChannel(bench)).toHaveLength(1);
      expect(shown(inChannel(bench)[0])).toContain('reconcile/apply');
    });
    const busy = new UpgradesError('already-running', 'staging is already being upgraded to 1.32.');
    const first = leftovers();
    const upgrades = {
      reconcile: (request: Parameters<Upgrades['reconcile']>[0]) => (request.apply ? Promise.reject(busy) : first.reconcile(request)),
    };
    await withApp({ upgrades }, async (bench) => {
      const ts = await offered(bench);
      await bench.slack.click('U0SAM', ts, 'reconcile/apply');
      await eventually(() => bench.seenBy('U0SAM').includes('staging is already being upgraded to 1.32.'));
      expect(inChannel(bench)).toHaveLength(1);
    });
  });
});
