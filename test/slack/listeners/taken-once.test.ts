/** What another Slack process has taken is left to it; what Temporal does not say is not done. */
import { describe, expect, test } from 'vitest';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { interaction, send, withHttp } from '../signed.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, type BenchOptions, withApp } from '../support.ts';

const TAKEN: BenchOptions = { upgrades: { claim: () => Promise.resolve(false) } };
const AWAY = 'Temporal at 127.0.0.1:7233 does not answer.';
const UNSAID: BenchOptions = { upgrades: { claim: () => Promise.reject(new UpgradesError('unreachable', AWAY)) } };

const REPLAYED = { what: 'A request that was delivered before: a replay, or Slack sending it again' };
const whatOf = ({ asked }: Bench): string[] => asked.map(({ what }) => what);

const ACTS = ['start staging 1.32', 'rollback staging', 'check staging 1.32', 'forecast staging 1.32', 'reconcile staging'];

describe('a command that starts or posts something', () => {
  test.each(ACTS)('S11: %s does nothing where it was taken before, and the audit record says so', async (text) => {
    await withApp(TAKEN, async (bench) => {
      expect(await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`)).toBe('acked');
      await eventually(() => bench.asked.length > 0);
      expect(bench.asked).toEqual([{ what: 'refused', request: { ...REPLAYED, actor: { kind: 'slack', id: 'U0ALEX', name: 'alex' } } }]);
      expect(bench.slack.messages()).toEqual([]);
    });
  });

  test.each(ACTS)('%s does nothing where Temporal does not say whether it was taken', async (text) => {
    await withApp(UNSAID, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      expect(await eventually(() => bench.seenBy('U0ALEX')[0])).toBe(AWAY);
      expect(whatOf(bench)).toEqual([]);
    });
  });

  test.each([
    ['plan staging 1.32', 'plan'],
    ['status staging', 'status'],
    ['pause staging', 'pause'],
  ])('%s is asked again: it shows something, or is one update by its id', async (text, what) => {
    await withApp(TAKEN, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      await eventually(() => bench.asked.length > 0);
      expect(whatOf(bench)).toEqual([what]);
    });
  });
});

test.each([
  ['check/again', { cluster: 'staging', target: '1.32', run: '' }],
  ['back/plan', { cluster: 'staging', target: '1.32', run: '' }],
  ['reconcile/apply', { cluster: 'staging' }],
])('S11: the button %s does nothing where its press was taken before', async (actionId, value) => {
  await withHttp(async (bench) => {
    const actions = [{ type: 'button', action_id: actionId, block_id: 'b', value: JSON.stringify(value) }];
    await send(bench, interaction('U0SAM', { type: 'block_actions', actions, container: { type: 'message' } }));
    await eventually(() => bench.asked.length > 0);
    expect(whatOf(bench)).toEqual(['refused']);
    expect(bench.slack.messages()).toEqual([]);
  }, TAKEN);
});
