/** The campaign that is measured: its rings, which clusters fail, and what must have come of it. */
import { randomUUID } from 'node:crypto';
import type { FleetMember } from '../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import type { CampaignStatus } from '../../../workflows/contract/campaign.ts';
import { quickPolicy } from '../../support/fake-activities.ts';
import type { FakeFleet } from '../../support/fake-campaign.ts';

const TARGET = '1.32';
/** What a run of a small cluster takes: overhead is a share of it. */
export const REAL_RUN_MS = 3_600_000;
/** Of every third ring one cluster fails, which its budget allows. */
const FAILS_EACH = 3;
const ACCOUNTS = 20;

export interface Size {
  clusters: number;
  rings: number;
  parallel: number;
  runMs: number;
}

const nameOf = (index: number): string => `cluster-${String(index).padStart(4, '0')}`;
const ringName = (index: number): string => `ring-${String(index + 1).padStart(2, '0')}`;

/** Names of each ring's clusters, as even as they come. */
export const ringsOf = ({ clusters, rings }: Size): string[][] =>
  Array.from({ length: rings }, (_, ring) =>
    Array.from({ length: clusters }, (__, index) => index).flatMap((index) => (index % rings === ring ? [nameOf(index)] : [])),
  );

const failingIn = (ring: number, names: readonly string[]): string | undefined =>
  (ring + 1) % FAILS_EACH === 0 && names.length > 1 ? names[0] : undefined;

/** In the order of their rings. */
export const failingClusters = (size: Size): Set<string> =>
  new Set(ringsOf(size).flatMap((clusters, ring) => failingIn(ring, clusters) ?? []));

export function campaignOf(size: Size): CampaignPolicy {
  return {
    name: `bench-${randomUUID().slice(0, 8)}`,
    target: TARGET,
    select: {},
    exclude: [],
    rings: ringsOf(size).map((clusters, ring) => ({
      name: ringName(ring),
      select: { clusters },
      optional: false,
      canary: false,
      parallel: { kind: 'count', value: size.parallel },
      failures: { kind: 'count', value: 1 },
      soakMs: 0,
      soakOnRed: 'restart',
      promotion: 'ask',
      coversStart: false,
    })),
    rest: 'refuse',
    hops: 'refuse',
    stuckAfterMs: REAL_RUN_MS,
    approvals: quickPolicy().approvals,
  };
}

export const fleetOf = ({ clusters }: Size): FleetMember[] =>
  Array.from({ length: clusters }, (_, index) => ({
    cluster: { account: String(111_122_223_000 + (index % ACCOUNTS)), region: 'eu-central-1', name: nameOf(index) },
    environment: 'bench',
    version: '1.31',
    offered: true,
  }));

/** Each cluster was started once, and has come to what it was to come to. */
export function whatIsWrong({ state }: CampaignStatus, size: Size, { started }: FakeFleet): string[] {
  const wrong: string[] = state.phase === 'complete' ? [] : [`the campaign is ${state.phase}`];
  const byName = new Map(Object.entries(state.members).map(([key, is]) => [key.split('/').at(-1) ?? key, is.kind]));
  const starts = Map.groupBy(started, ({ name }) => name);
  for (const [ring, clusters] of ringsOf(size).entries()) {
    const failing = failingIn(ring, clusters);
    const expected = failing === undefined ? 'complete' : 'complete-with-exceptions';
    if (state.rings[ring]?.state !== expected) wrong.push(`${ringName(ring)} is ${state.rings[ring]?.state}, not ${expected}`);
    for (const name of clusters) {
      const kind = name === failing ? 'failed' : 'done';
      if (byName.get(name) !== kind) wrong.push(`${name} is ${byName.get(name)}, not ${kind}`);
      if (starts.get(name)?.length !== 1) wrong.push(`${name} was started ${starts.get(name)?.length ?? 0} times`);
    }
  }
  return wrong;
}
