/** A fleet out of the scenarios of single clusters: three environments, two accounts, two regions, and one cluster that goes bad. */
import { giveOwnIds } from '../aws/owned.ts';
import { autoMode } from './nodes/auto-mode.ts';
import { budgetOfOne } from './accidents.ts';
import { fargate } from './nodes/fargate.ts';
import { FLEET_SIZES } from './fleet-size.ts';
import { karpenterCanary, karpenterFlux } from './karpenter/karpenter-gitops.ts';
import type { Scenario } from './scenario.ts';
import { seed000 } from './seeds/seed-000.ts';
import { seed001 } from './seeds/seed-001.ts';
import { small } from './small.ts';

export interface FleetMember {
  scenario: Scenario;
  /** How its runs are to end, one after the other: where it goes bad people abort the first, mend the cause, and retry its ring. */
  ends: readonly ('completed' | 'aborted')[];
}

/** From where failures cost least to where they cost most. */
export const FLEET_ENVIRONMENTS = ['dev', 'staging', 'production'] as const;

/** Belay runs in the first; in the other one it assumes a role. */
const ACCOUNTS = ['111122223333', '444455556666'] as const;
const REGIONS = ['eu-central-1', 'eu-west-1'] as const;

/** All from 1.31 to 1.32; the largest is in production. */
const SHAPES = [small, karpenterFlux, fargate, seed001, karpenterCanary, autoMode, budgetOfOne];
const LARGEST = seed000;

/** EKS gives its control plane up, once: people abort, find the cluster as it was, and have free addresses again when they retry. */
const GOES_BAD = ['eks:update-failed=InsufficientFreeAddresses@control-plane'];

/**
 * `count` clusters in the order of their environments, the same for the same seed; the one that goes bad is in staging. Production is in the second
 * account, half of staging too. The first of development and of production are both "main" to EKS.
 */
export function fleetOf(count: number, seed = 0): [FleetMember, ...FleetMember[]] {
  const { least, most } = FLEET_SIZES;
  if (!Number.isInteger(count) || count < least || count > most)
    throw new RangeError(`a fleet has ${least} to ${most} clusters, not ${count}`);
  const places = FLEET_ENVIRONMENTS.flatMap((environment, ring) => {
    // What does not divide by three goes to production.
    const size = Math.floor((count + ring) / FLEET_ENVIRONMENTS.length);
    return Array.from({ length: size }, (_, index) => ({ environment, index, size }));
  });
  const [first, ...others] = places.map((place, at) => member(place, at, seed));
  if (first === undefined) throw new RangeError('a fleet has no cluster');
  return [first, ...others];
}

interface Place {
  environment: (typeof FLEET_ENVIRONMENTS)[number];
  /** In the environment. */
  index: number;
  size: number;
}

function member({ environment, index, size }: Place, at: number, seed: number): FleetMember {
  const bad = environment === 'staging' && index === seed % size;
  const largest = environment === 'production' && index === 1;
  const shape = bad ? small : largest ? LARGEST : (SHAPES[(at + seed) % SHAPES.length] ?? small);
  const second = environment === 'production' || (environment === 'staging' && index % 2 === 1);
  const account = ACCOUNTS[second ? 1 : 0];
  const name = `${environment}-${index + 1}`;
  const main = index === 0 && environment !== 'staging' ? { eksName: 'main' } : {};
  return {
    ends: bad ? ['aborted', 'completed'] : ['completed'],
    scenario: {
      ...shape,
      name,
      title: `${name}: ${shape.title}`,
      cluster: { name, ...main, account, region: REGIONS[index % REGIONS.length] ?? REGIONS[0] },
      environment,
      startsAt: small.startsAt,
      faults: [...(shape.faults ?? []), ...(bad ? GOES_BAD : [])],
      settings: { ...shape.settings, ...(second ? { role: `arn:aws:iam::${account}:role/belay` } : {}) },
      build(world) {
        giveOwnIds(world, at);
        shape.build(world);
      },
    },
  };
}
