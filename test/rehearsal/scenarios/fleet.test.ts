/** A fleet out of single clusters: where each is, which one goes bad, and that one AWS can tell them apart. */
import { describe, expect, test } from '@jest/globals';
import { fleetConfigFile } from '../../../rehearsal/play/config-file.ts';
import { ownedBy } from '../../../rehearsal/aws/owned.ts';
import { type FleetMember, fleetOf } from '../../../rehearsal/scenarios/fleet.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { policyForStart } from '../../../domain/policy/config/of-cluster.ts';
import { steppedWorld } from '../support.ts';

const shortly = ({ scenario: { cluster, environment }, ends }: FleetMember): string =>
  [cluster.name, environment, cluster.account.slice(0, 4), cluster.region, ends].join(' ');

test('three clusters: one in each environment, and the one in staging goes bad', () => {
  expect(fleetOf(3).map(shortly)).toEqual([
    'dev-1 dev 1111 eu-central-1 completed',
    'staging-1 staging 1111 eu-central-1 aborted',
    'production-1 production 4444 eu-central-1 completed',
  ]);
});

test('twelve are of different shape, in two accounts and two regions', () => {
  const fleet = fleetOf(12);
  expect(fleet.map(shortly)).toEqual([
    'dev-1 dev 1111 eu-central-1 completed',
    'dev-2 dev 1111 eu-west-1 completed',
    'dev-3 dev 1111 eu-central-1 completed',
    'dev-4 dev 1111 eu-west-1 completed',
    'staging-1 staging 1111 eu-central-1 aborted',
    'staging-2 staging 4444 eu-west-1 completed',
    'staging-3 staging 1111 eu-central-1 completed',
    'staging-4 staging 4444 eu-west-1 completed',
    'production-1 production 4444 eu-central-1 completed',
    'production-2 production 4444 eu-west-1 completed',
    'production-3 production 4444 eu-central-1 completed',
    'production-4 production 4444 eu-west-1 completed',
  ]);
  expect(new Set(fleet.map(({ scenario }) => scenario.description)).size).toBe(8);
});

describe.each([3, 4, 5, 12, 25, 60])('%d clusters', (count) => {
  const fleet = fleetOf(count, 7);

  test('have names of their own, all three environments, one minor to go, and one in staging that goes bad', () => {
    expect(fleet).toHaveLength(count);
    expect(new Set(fleet.map(({ scenario }) => scenario.cluster.name)).size).toBe(count);
    expect([...new Set(fleet.map(({ scenario }) => scenario.environment))]).toEqual(['dev', 'staging', 'production']);
    expect(new Set(fleet.map(({ scenario: { from, to, startsAt } }) => `${from} ${to} ${startsAt}`)).size).toBe(1);
    expect(fleet.filter(({ ends }) => ends === 'aborted').map(({ scenario }) => scenario.environment)).toEqual(['staging']);
  });

  test('are the same for the same seed', () => {
    expect(fleetOf(count, 7).map(({ scenario }) => scenario.title)).toEqual(fleet.map(({ scenario }) => scenario.title));
  });
});

test('another seed has another cluster go bad, and other shapes', () => {
  const [one, other] = [fleetOf(12, 0), fleetOf(12, 2)];
  const bad = (fleet: readonly FleetMember[]) => fleet.findIndex(({ ends }) => ends === 'aborted');
  expect([bad(one), bad(other)]).toEqual([4, 6]);
  expect(one[0].scenario.description).not.toBe(other[0].scenario.description);
});

test.each([2, 61, 3.5, Number.NaN])('%d clusters are refused', (count) => {
  expect(() => fleetOf(count)).toThrow(new RangeError(`a fleet has 3 to 60 clusters, not ${count}`));
});

test('no two clusters of one account and region have anything of the same id or name', () => {
  const owned = fleetOf(12).map(({ scenario }) => {
    const { account, region, name } = scenario.cluster;
    return { place: `${account} ${region}`, name, owned: ownedBy(steppedWorld(scenario).world) };
  });
  const shared = owned.flatMap((one, index) =>
    owned
      .slice(index + 1)
      .filter(({ place }) => place === one.place)
      .flatMap((other) => [...one.owned].filter((id) => other.owned.has(id)).map((id) => `${one.name} and ${other.name}: ${id}`)),
  );
  expect(shared).toEqual([]);
});

test('belay.yaml has all of them as they are: each can be started, and the second account by its role', () => {
  const fleet = fleetOf(12);
  const text = fleetConfigFile(
    fleet.map(({ scenario }, index) => ({ scenario, prometheusUrl: `http://127.0.0.1:${9000 + index}` })),
    {
      speed: 600,
      channel: 'C0UPGRADES',
      approvers: { users: ['U0SAM'], groups: ['S0PLATFORM'] },
      publicKeys: {},
      recordsDirectory: '/tmp/records',
    },
  );
  const config = parseConfig(text, 'belay.yaml');
  for (const { scenario } of fleet) {
    const policy = policyForStart(config, scenario.cluster.name);
    expect(policy.cluster).toEqual(scenario.cluster);
    expect(policy.environment).toBe(scenario.environment);
  }
  expect(text.match(/role: arn:aws:iam::444455556666:role\/belay/g)).toHaveLength(6);
  expect(new Set(text.match(/http:\/\/127\.0\.0\.1:90\d\d/g)).size).toBe(12);
});
