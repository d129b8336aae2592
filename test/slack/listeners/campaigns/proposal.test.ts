/** Buttons of a proposed campaign, through the real app. */
import { expect, test } from 'vitest';
import { interaction, send, withHttp } from '../../signed.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Bench } from '../../support.ts';

const RUN = '0198c0de-0000-7000-8000-00000000000a';

async function press(bench: Bench, actionId: string, value: object): Promise<void> {
  const actions = [{ type: 'button', action_id: actionId, block_id: 'b', value: JSON.stringify(value) }];
  await send(bench, interaction('U0SAM', { type: 'block_actions', actions, container: { type: 'message' } }));
}

test('F36: Dismiss is sent in the name of whoever pressed it, for the workflow that proposed', async () => {
  await withHttp(async (bench) => {
    await press(bench, 'proposal/dismiss', { target: '1.35', run: RUN });
    const [dismissed] = await eventually(() => bench.asked.length > 0 && bench.asked);
    expect(dismissed).toEqual({
      what: 'proposal dismiss',
      request: { target: '1.35', run: RUN, requestId: expect.any(String), actor: expect.objectContaining({ kind: 'slack', id: 'U0SAM' }) },
    });
  });
});

test('F36: Plan shows the plan and starts nothing', async () => {
  await withHttp(async (bench) => {
    await press(bench, 'proposal/start/0', { target: '1.35', run: RUN, campaign: 'to-1-34' });
    await eventually(() => bench.asked.some(({ what }) => what === 'campaign plan'));
    expect(bench.asked.filter(({ what }) => what === 'campaign start')).toEqual([]);
  });
});

test.each([
  [{ target: '1.35', run: RUN }, /To start a campaign to 1\.35: add it to the worker's belay\.yaml/],
  [{ target: 'latest', run: RUN }, /button/],
])('without a campaign it says how; a value that Belay has not made is refused', async (value, said) => {
  await withHttp(async (bench) => {
    await press(bench, 'proposal/start/0', value);
    expect(await eventually(() => bench.seenBy('U0SAM')[0])).toMatch(said);
    expect(bench.asked).toEqual([]);
  });
});
