/** Which receivers hear of a campaign: those of its clusters, whichever cluster stands first in belay.yaml. */
import { expect, test } from 'vitest';
import { createFleetActivities } from '../../../../activities/run/campaign/fleet.ts';
import { createProposalActivities } from '../../../../activities/run/proposals/proposals.ts';
import { campaignOf } from '../../../../domain/policy/config/of-cluster.ts';
import { parseConfig } from '../../../../worker/config/config.ts';

const FILE = `clusters:
  dev-1: { region: eu-west-1, account: "111122223333", environment: dev }
  prod-1: { region: us-east-1, account: "111122223333", environment: prod }
approvals: { users: [sam] }
people: { sam: { aws: ["arn:aws:sts::111122223333:assumed-role/Admin/sam"] } }
proposals: { enabled: true }
notifications:
  webhooks:
    - { name: all, url: "https://hooks.example.com/1", secretFrom: ONE }
    - { name: dev, url: "https://hooks.example.com/2", secretFrom: TWO, environments: [dev] }
    - { name: prod, url: "https://hooks.example.com/3", secretFrom: THREE, clusters: [prod-1] }
`;

const nobody = (): never => {
  throw new Error('nothing is asked of AWS');
};

async function hears(campaign: string): Promise<string[]> {
  const config = parseConfig(`${FILE}campaigns: { to-1-34: { target: "1.34", ${campaign} } }\n`, 'belay.yaml');
  const policies = [...config.clusters.values()].map(({ policy }) => policy);
  const { loadCampaign } = createFleetActivities({
    aws: nobody,
    campaignOf: (name) => ({ campaign: campaignOf(config, name), policies }),
    store: { newest: nobody },
    runs: { owners: nobody },
  });
  const { policy } = await loadCampaign({ campaign: 'to-1-34' });
  return (policy.deliveries ?? []).map(({ name }) => name);
}

test.each<[string, string[]]>([
  ['rings: [{ name: all }]', ['all', 'dev', 'prod']],
  ['select: { environments: [prod] }, rings: [{ name: all }]', ['all', 'prod']],
  ['rings: [{ name: one, select: { clusters: [dev-1] } }], rest: exclude', ['all', 'dev']],
  // Tags are EKS's to say: either may be meant.
  ['select: { tags: { team: a } }, rings: [{ name: all }]', ['all', 'dev', 'prod']],
  ['select: { regions: [eu-north-1] }, rings: [{ name: all, optional: true }]', []],
])('of %s: %j', async (campaign, names) => {
  expect(await hears(campaign)).toEqual(names);
});

test("its gates and messages go by what holds for all, and not by one cluster's own timing and hours", async () => {
  const own = FILE.replace(
    'environment: dev }',
    'environment: dev, timing: { gateDeadline: 1h }, windows: { quietHours: [{ days: [sat], start: "18:00", end: "24:00", timeZone: UTC }] } }',
  );
  const config = parseConfig(
    `timing: { gateDeadline: 3d }\n${own}campaigns: { to-1-34: { target: "1.34", rings: [{ name: all }] } }\n`,
    'belay.yaml',
  );
  const { loadCampaign } = createFleetActivities({
    aws: nobody,
    campaignOf: (name) => ({ campaign: campaignOf(config, name), policies: [...config.clusters.values()].map((of) => of.policy) }),
    store: { newest: nobody },
    runs: { owners: nobody },
  });
  const { policy } = await loadCampaign({ campaign: 'to-1-34' });
  expect(policy.timing.gateDeadlineMs).toBe(3 * 24 * 3_600_000);
  expect(policy.windows?.quietHours).toEqual([]);
  expect(config.clusters.get('dev-1')?.policy.windows?.quietHours).toHaveLength(1);
});

test('a proposal is about the clusters of the file', async () => {
  const config = parseConfig(FILE, 'belay.yaml');
  const policies = [...config.clusters.values()].map(({ policy }) => policy);
  const { proposals = nobody() } = config;
  const { loadProposals } = createProposalActivities({ file: () => ({ proposals, campaigns: [], policies }), runs: { owners: nobody } });
  const loaded = await loadProposals({});
  expect(loaded.proposals?.policy.deliveries?.map(({ name }) => name)).toEqual(['all', 'dev', 'prod']);
  const silent = policies.map(({ deliveries: _none, ...policy }) => policy);
  const { loadProposals: without } = createProposalActivities({
    file: () => ({ proposals, campaigns: [], policies: silent }),
    runs: { owners: nobody },
  });
  expect((await without({})).proposals?.policy).not.toHaveProperty('deliveries');
});
