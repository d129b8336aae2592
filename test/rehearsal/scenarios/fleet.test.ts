/** A fleet out of single clusters: where each is, which one goes bad, and that one AWS can tell them apart. */
import { describe, expect, test } from 'vitest';
import { fleetConfigFile } from '../../../rehearsal/play/config-file.ts';
import { campaignOf as rehearsedCampaign } from '../../../rehearsal/play/fleet/campaign.ts';
import { ownedBy } from '../../../rehearsal/aws/owned.ts';
import { type FleetMember, fleetOf } from '../../../rehearsal/scenarios/fleet.ts';
import { planCampaign } from '../../../domain/plan/campaign/plan-campaign.ts';
import { small } from '../../../rehearsal/scenarios/small.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { campaignOf, policyForStart } from '../../../domain/policy/config/of-cluster.ts';
import { steppedWorld } from '../support.ts';

const shortly = ({ scenario: { cluster, environment }, ends }: FleetMember): string =>
  [cluster.name, environment, cluster.account.slice(0, 4), cluster.region, ends.join(' then ')].join(' ');

test('three clusters: one in each environment, and the one in staging goes bad', () => {
  expect(fleetOf(3).map(shortly)).toEqual([
    'dev-1 dev 1111 eu-central-1 completed',
    'staging-1 staging 1111 eu-central-1 aborted then completed',
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
    'staging-1 staging 1111 eu-central-1 aborted then completed',
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
    expect(fleet.filter(({ ends }) => ends[0] === 'aborted').map(({ scenario }) => scenario.environment)).toEqual(['staging']);
  });

  test('are the same for the same seed', () => {
    expect(fleetOf(count, 7).map(({ scenario }) => scenario.title)).toEqual(fleet.map(({ scenario }) => scenario.title));
  });
});

test('another seed has another cluster go bad, and other shapes', () => {
  const [one, other] = [fleetOf(12, 0), fleetOf(12, 2)];
  const bad = (fleet: readonly FleetMember[]) => fleet.findIndex(({ ends }) => ends[0] === 'aborted');
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

function configText(fleet: ReturnType<typeof fleetOf>, speed: number): string {
  return fleetConfigFile(
    fleet.map(({ scenario }, index) => ({ scenario, prometheusUrl: `http://127.0.0.1:${9000 + index}` })),
    {
      speed,
      channel: 'C0UPGRADES',
      approvers: { users: ['U0SAM'], groups: ['S0PLATFORM'] },
      publicKeys: {},
      campaigns: rehearsedCampaign(fleet, speed).config,
      recordsDirectory: '/tmp/records',
    },
  );
}

test('belay.yaml has all of them as they are: each can be started, and the second account by its role', () => {
  const fleet = fleetOf(12);
  const text = configText(fleet, 600);
  const config = parseConfig(text, 'belay.yaml');
  for (const { scenario } of fleet) {
    const policy = policyForStart(config, scenario.cluster.name);
    expect(policy.cluster).toEqual(scenario.cluster);
    expect(policy.environment).toBe(scenario.environment);
  }
  expect(text.match(/role: arn:aws:iam::444455556666:role\/belay/g)).toHaveLength(6);
  expect(new Set(text.match(/http:\/\/127\.0\.0\.1:90\d\d/g)).size).toBe(12);
});

test.each([3, 12])('its campaign has each of %i clusters in the ring of its environment, and nobody without one', (count) => {
  const fleet = fleetOf(count);
  const { name } = rehearsedCampaign(fleet, 600);
  const campaign = campaignOf(parseConfig(configText(fleet, 600), 'belay.yaml'), name);
  const members = fleet.map(({ scenario: { cluster, environment, from } }) => ({ cluster, environment, version: from, offered: true }));
  const { problems, rings } = planCampaign(campaign, members, small.startsAt);
  expect(problems).toEqual([]);
  for (const ring of rings) expect(ring.members.map(({ environment }) => environment)).toEqual(ring.members.map(() => ring.name));
  expect(rings.map(({ name: ring, members: of }) => `${ring} ${of.length}`)).toEqual(
    ['dev', 'staging', 'production'].map((ring) => `${ring} ${count / 3}`),
  );
});

test.each([1, 60, 600, 1_200, 3_600])('at speed %i a campaign looks six times in a soak, as at speed 1', (speed) => {
  const fleet = fleetOf(3);
  const config = parseConfig(configText(fleet, speed), 'belay.yaml');
  const { pollMaxMs } = policyForStart(config, 'dev-1').timing;
  const soaks = campaignOf(config, rehearsedCampaign(fleet, speed).name).rings.map(({ soakMs }) => soakMs / (10 * pollMaxMs));
  expect(soaks).toEqual([6, 6, 6]);
});
