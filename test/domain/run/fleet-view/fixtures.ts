/** A fleet of nine clusters on the day on which 1.31 leaves extended support and 1.34 has six days of standard support left. */
import type { FleetMember, FleetReading } from '../../../../domain/run/fleet-view/reading.ts';
import type { SupportType } from '../../../../domain/run/fleet.ts';

export const AT = '2026-11-26T08:30:00.000Z';
export const SHOP = '111122223333';
export const BANK = '444455556666';

/** `where`: "shop eu-west-1", by default. */
export function member(name: string, version?: string, supportType?: SupportType, more: Partial<FleetMember> = {}): FleetMember {
  const cluster = { name, account: SHOP, region: 'eu-west-1' };
  return {
    cluster,
    environment: 'dev',
    ...(version === undefined ? {} : { version }),
    ...(supportType === undefined ? {} : { supportType }),
    ...more,
  };
}

const inBank = (name: string, region = 'us-east-1') => ({ cluster: { name, account: BANK, region }, environment: 'prod' });

export const FLEET: FleetReading = {
  readAt: AT,
  members: [
    member('fresh', '1.35', 'EXTENDED'),
    member('soon', '1.34', 'EXTENDED'),
    member('automatic', '1.34', 'STANDARD'),
    member('no-policy', '1.34'),
    member('pays', '1.32', 'EXTENDED'),
    member('legacy', '1.31', 'EXTENDED', inBank('legacy')),
    member('prod', '1.35', 'STANDARD', inBank('prod')),
    member('prod', undefined, undefined, {
      ...inBank('prod', 'ap-northeast-1'),
      why: 'reading prod: AWS refuses the role arn:aws:iam::444455556666:role/belay',
    }),
    member('newest', '1.38', 'EXTENDED'),
  ],
  offered: [],
  keptFreezes: [
    {
      cluster: { name: 'fresh', account: SHOP, region: 'eu-west-1' },
      target: '1.35',
      startedAt: '2026-11-20T10:00:00.000Z',
      waitsFor: { id: 'lift-freeze@1.35#1', title: 'Lift the freeze', expiresAt: '2026-11-27T10:00:00.000Z' },
    },
  ],
  runs: [
    {
      cluster: { name: 'pays', account: SHOP, region: 'eu-west-1' },
      target: '1.33',
      phase: 'control-plane',
      startedAt: '2026-11-25T09:00:00.000Z',
      waitsFor: {
        id: 'before:node-groups@1.33#1',
        title: 'Replace the nodes',
        progress: 'platform 1 of 2',
        expiresAt: '2026-11-27T09:00:00.000Z',
      },
    },
    // Of a cluster of the same name elsewhere.
    {
      cluster: { name: 'prod', account: BANK, region: 'us-east-1' },
      target: '1.36',
      phase: 'pre-checks',
      startedAt: '2026-11-26T08:00:00.000Z',
    },
  ],
  campaigns: [],
  sources: { versions: { from: 'worker' }, runs: { from: 'temporal' }, campaigns: { from: 'temporal' } },
};
