/** A campaign with a member in every state, and forecasts for it. */
import { type CampaignBoard, type CampaignForecast, MEMBER_STATES } from '../../../../domain/run/fleet-view/board.ts';
import { AT, BANK, SHOP } from './fixtures.ts';

const many = (count: number, state: 'planned' | 'done', prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ cluster: { name: `${prefix}-${index + 1}`, account: SHOP, region: 'eu-west-1' }, state }));

export const BOARD: CampaignBoard = {
  name: '1-34-q4',
  target: '1.34',
  state: 'running',
  at: AT,
  finishBy: '2026-11-30',
  rings: [
    { name: 'canary', state: 'complete', members: many(2, 'done', 'canary') },
    { name: 'dev', state: 'soaking', soakUntil: '2026-11-27T08:00:00.000Z', members: many(8, 'done', 'dev') },
    {
      name: 'prod',
      state: 'running',
      note: '2 in parallel, 1 for each account; 1 may fail',
      members: [
        ...MEMBER_STATES.map((state, index) => ({
          cluster: { name: `prod-${state}`, account: index % 2 === 0 ? SHOP : BANK, region: 'us-east-1' },
          state,
          ...(state === 'done' ? {} : { note: `what ${state} is about` }),
        })),
        ...many(14, 'planned', 'prod'),
      ],
    },
    { name: 'late', state: 'pending', members: [] },
  ],
};

const assumed = { kind: 'assumed', hoursEach: 3 } as const;

export const FORECAST: CampaignForecast = {
  rings: [
    {
      name: 'canary',
      from: '2026-11-24T08:00:00.000Z',
      until: '2026-11-24T14:00:00.000Z',
      soakUntil: '2026-11-25T14:00:00.000Z',
      basis: { kind: 'records', runCount: 12 },
    },
    {
      name: 'dev',
      from: '2026-11-25T15:00:00.000Z',
      until: '2026-11-26T08:00:00.000Z',
      soakUntil: '2026-11-27T08:00:00.000Z',
      basis: assumed,
    },
    {
      name: 'prod',
      from: '2026-11-27T09:00:00.000Z',
      until: '2026-12-01T18:00:00.000Z',
      soakUntil: '2026-12-04T18:00:00.000Z',
      basis: assumed,
    },
    { name: 'late', from: '2026-12-04T20:00:00.000Z', until: '2026-12-04T23:00:00.000Z', basis: { kind: 'records', runCount: 1 } },
  ],
};
