/** A ring's own message, and the list of its clusters. */
import { describe, expect, test } from 'vitest';
import { type CampaignState, initialState } from '../../../../domain/run/campaign/state.ts';
import { isRingOver, ringCsv, ringMessage } from '../../../../domain/run/campaign/ring-message.ts';
import { campaignView } from '../../../../domain/run/campaign/view.ts';
import { at, begun, COMPLETED, FAILED, key, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const PLAN = planOf(['dev-1', 'dev-2', 'dev-3', 'prod-1'], { prod: {} });
const message = (state: CampaignState, index = 0) => {
  const view = campaignView({ plan: PLAN, state, workflowId: 'w', requestedBy: { kind: 'slack', id: 'U0ALEX' } });
  return ringMessage(PLAN, state, view, index);
};

describe('the message of a ring', () => {
  test('there is none before it has begun', () => {
    expect(message(initialState(PLAN))).toBeUndefined();
    expect(message(begun(PLAN), 1)).toBeUndefined();
  });

  test('it says how far the ring is, and who needs somebody', () => {
    const running = started(begun(PLAN), { 'dev-1': 'run', 'dev-2': 'run', 'dev-3': { kind: 'waiting', why: 'closed', until: at(13) } });
    const state = seen(running, PLAN, { 'dev-1': COMPLETED, 'dev-2': FAILED });
    expect(message(state)).toEqual({
      name: 'dev',
      state: 'stopped',
      line: '1/3 done · 1 failed (0 allowed: stopped) · 1 waits for its window (next 2026-11-27 01:00 UTC)',
      doneCount: 1,
      clusterCount: 3,
      needs: ['dev-2: failed: node group web did not become ready'],
      moreCount: 0,
      campaign: 'to-1-34',
      target: '1.34',
      place: 1,
      ofCount: 2,
      attempt: 1,
      why: '1 failure, and at most 0 allowed: dev-2 (failed: node group web did not become ready)',
      parallel: 3,
      soak: '24 h',
      startedAt: NOON,
      listed: true,
    });
  });

  test('a ring of a campaign that people stopped is over once nothing of it runs', () => {
    const running = started(begun(PLAN), { 'dev-1': 'run' });
    const stopped: CampaignState = { ...running, phase: 'stopped' };
    expect(isRingOver(running, PLAN, 0)).toBe(false);
    expect(isRingOver(stopped, PLAN, 0)).toBe(false);
    expect(isRingOver({ ...stopped, members: { ...stopped.members, [key('dev-1')]: { kind: 'done', by: 'run' } } }, PLAN, 0)).toBe(true);
    expect(isRingOver(stopped, PLAN, 1)).toBe(false);
  });
});

test('the list has every cluster, and nothing in it runs in a spreadsheet', () => {
  const state = begun(PLAN);
  const evil: CampaignState = {
    ...state,
    members: {
      ...state.members,
      [key('dev-1')]: { kind: 'done', by: 'run' },
      [key('dev-2')]: { kind: 'failed', why: 'said "no", twice' },
    },
  };
  expect(ringCsv(PLAN, evil, 0).split('\r\n')).toEqual([
    'account,region,cluster,from,to,state,detail',
    '111122223333,eu-west-1,dev-1,1.33,1.34,done,done',
    '111122223333,eu-west-1,dev-2,1.33,1.34,failed,"failed: said ""no"", twice"',
    '111122223333,eu-west-1,dev-3,1.33,1.34,planned,planned',
  ]);
  const named = planOf(['dev-1'], {}, { 'dev-1': { cluster: { account: '1', region: 'eu', name: '=HYPERLINK("x")' } } });
  expect(ringCsv(named, begun(named), 0).split('\r\n')[1]).toBe(`1,eu,"'=HYPERLINK(""x"")",1.33,1.34,planned,planned`);
});
