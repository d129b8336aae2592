/** What a campaign shows in Slack while it runs: a board, a message for each ring that has begun, and lists of rings that are over. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { Notification } from '../../../../domain/run/notifications.ts';
import { eventually } from '../../../support/eventually.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { campaignOf, member, type PlayedCampaign, ringOf, withCampaign } from './support.ts';

let server: DevServer;
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  // Several runs of one campaign.
  server = await startDevServer({ settings: ['limit.historyCount.suggestContinueAsNew=80'] });
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
});
afterAll(async () => {
  await env.teardown();
  await server.stop();
});

type Published = { key: string; notification: Notification }[];

/** A Slack that remembers what it was told; `isAway`: it does not answer. */
function listening(): { told: Published[]; slack: { isAway: boolean }; change: (all: BelayActivities) => Partial<BelayActivities> } {
  const told: Published[] = [];
  const slack = { isAway: false };
  return {
    told,
    slack,
    change: (all) => ({
      publish: async (input) => {
        if (slack.isAway) throw new Error('Slack does not answer');
        told.push(input.messages.map(({ key, notification }) => ({ key, notification })));
        return await all.publish(input);
      },
    }),
  };
}

/** A press that comes while one run goes on in the next is pressed again. */
const approved = async (played: PlayedCampaign, ring: string): Promise<void> => {
  await eventually(`ring ${ring} is approved`, async () => {
    const reply = await played.decide(ring).catch(() => undefined);
    return reply?.accepted === true;
  });
};

const isEdit = ({ notification: { kind } }: Published[number]): boolean => kind === 'campaign' || kind === 'ring';
const keysOf = (told: Published[]): string[] => told.flat().map(({ key }) => key);
/** What a key shows at the end. */
const last = (told: Published[], key: string): unknown => told.flat().findLast((each) => each.key === key)?.notification;

test('each ring that has begun has a message, which shows its last state; one message is edited at a time; lists come once, over all runs of the campaign', async () => {
  const { told, change } = listening();
  const campaign = campaignOf([ringOf('dev', ['a', 'b', 'c']), ringOf('prod', ['d'], { failures: { kind: 'count', value: 0 } })]);
  await withCampaign(
    env,
    campaign,
    ['a', 'b', 'c', 'd'].map((name) => member(name)),
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await eventually('the board is there', () => keysOf(told).includes('board'));
      expect(keysOf(told)).not.toContain('ring/dev');
      await approved(played, 'dev');
      await eventually('two start', () => fleet.open.length === 2);
      fleet.end('a');
      await eventually('the third starts', () => fleet.started.length === 3);
      fleet.end('b');
      fleet.end('c');
      await played.gate('prod');
      await approved(played, 'prod');
      await eventually('the last starts', () => fleet.started.length === 4);
      fleet.end('d', 'failed', 'its nodes did not come up');
      await eventually('the list of ring prod', () => keysOf(told).includes('list/prod/1'));
      await played.command({ verb: 'stop' });
      await played.handle.result();
    },
    { change },
  );
  for (const messages of told) expect(messages.filter(isEdit).length).toBeLessThanOrEqual(1);
  expect(told.flat().at(0)?.key).toBe('board');
  expect(last(told, 'ring/dev')).toMatchObject({ ring: { state: 'complete', line: '3/3 done', doneCount: 3, needs: [], listed: true } });
  expect(last(told, 'ring/prod')).toMatchObject({
    ring: { state: 'stopped', line: '0/1 done · 1 failed (0 allowed: stopped)', needs: ['d: failed: its nodes did not come up'] },
  });
  expect(last(told, 'board')).toMatchObject({ view: { phase: 'stopped', rings: [{ needs: [] }, { needs: [] }] } });
  expect(keysOf(told).filter((key) => key.startsWith('list/'))).toEqual(['list/dev/1', 'list/prod/1']);
  expect(last(told, 'list/dev/1')).toMatchObject({ kind: 'file', below: 'ring/dev', fileName: `${campaign.name}-dev-1.csv` });
  const { content } = last(told, 'list/prod/1') as { content: string };
  expect(content.split('\r\n')[1]).toBe('111122223333,eu-central-1,d,1.31,1.32,failed,failed: its nodes did not come up');
  // A file goes below a message that shows its last state.
  const keys = keysOf(told);
  expect(keys.indexOf('list/dev/1')).toBeGreaterThan(keys.indexOf('ring/dev'));
  // What has not changed is not edited.
  const shown = told
    .flat()
    .filter(isEdit)
    .map(({ key, notification }) => `${key} ${JSON.stringify(notification)}`);
  expect(new Set(shown).size).toBe(shown.length);
});

test('F47: with Slack away board and rings go out once each when it is back, in their last state', async () => {
  const { told, slack, change } = listening();
  slack.isAway = true;
  const campaign = campaignOf([ringOf('dev', ['a', 'b', 'c'], { parallel: { kind: 'count', value: 1 } }), ringOf('prod', ['d'])]);
  await withCampaign(
    env,
    campaign,
    ['a', 'b', 'c', 'd'].map((name) => member(name)),
    async (played) => {
      await played.gate('dev');
      await approved(played, 'dev');
      for (const name of ['a', 'b', 'c']) {
        await eventually(`${name} starts`, () => played.fleet.open.includes(name));
        played.fleet.end(name);
      }
      await played.gate('prod');
      slack.isAway = false;
      await eventually('the list', () => keysOf(told).includes('list/dev/1'));
      expect(last(told, 'ring/dev')).toMatchObject({ ring: { state: 'complete', line: '3/3 done' } });
      const edits = told
        .flat()
        .filter(isEdit)
        .map(({ key }) => key);
      // What was on its way when Slack went away comes first.
      expect(edits.filter((key) => key === 'ring/dev')).toHaveLength(1);
      expect(edits.filter((key) => key === 'board').length).toBeLessThanOrEqual(2);
    },
    { change },
  );
});
