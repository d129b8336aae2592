/** Clusters and offers as tests of proposals want them. */
import type { FleetMember } from '../../../../domain/run/fleet-view/reading.ts';
import type { SupportedVersion } from '../../../../domain/facts/facts.ts';
import type { LookInput, Offer } from '../../../../domain/run/proposals/due.ts';

export const SHOP = '111122223333';
export const BANK = '444455556666';
/** 1.34 leaves standard support four days later. */
export const AT = '2026-11-28T07:00:00.000Z';

export const member = (name: string, version: string | undefined, more: Partial<FleetMember> = {}): FleetMember => ({
  cluster: { name, account: SHOP, region: 'eu-west-1' },
  environment: name.split('-')[0] ?? name,
  supportType: 'EXTENDED',
  ...(version === undefined ? { why: 'AWS refuses the role' } : { version }),
  ...more,
});

export const inBank = (name: string, version: string | undefined, more: Partial<FleetMember> = {}): FleetMember =>
  member(name, version, { cluster: { name, account: BANK, region: 'us-east-1' }, ...more });

const ENDS: Record<string, string> = { '1.33': '2026-07-29', '1.34': '2026-12-02', '1.35': '2027-03-27', '1.36': '2027-08-02' };

export const versions = (...minors: string[]): SupportedVersion[] =>
  minors.map((version) => ({
    version,
    endOfStandardSupport: ENDS[version] ?? '2028-01-01',
    endOfExtendedSupport: (ENDS[version] ?? '2029-01-01').replace(/^\d+/, (year) => String(Number(year) + 1)),
    status: 'STANDARD_SUPPORT',
  }));

export const offer = (account: string, region: string, offered: SupportedVersion[], why?: string): Offer => ({
  account,
  region,
  offered,
  ...(why === undefined ? {} : { why }),
});

export const EVERYWHERE = [
  offer(SHOP, 'eu-west-1', versions('1.33', '1.34', '1.35')),
  offer(BANK, 'us-east-1', versions('1.33', '1.34', '1.35')),
];

export const look = (members: FleetMember[], change: Partial<LookInput> = {}): LookInput => ({
  readAt: AT,
  withinDays: 90,
  members,
  offers: EVERYWHERE,
  order: ['dev', 'prod'],
  owners: {},
  ...change,
});
