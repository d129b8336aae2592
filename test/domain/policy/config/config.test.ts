import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../domain/policy/config/config.ts';
import { DEFAULT_TIMING } from '../../../../domain/policy/config/defaults.ts';
import { formatDuration, parseDurationMs } from '../../../../domain/core/parse-duration.ts';
import { configJsonSchema } from '../../../../domain/policy/config/schema.ts';
import { loadConfig, parseConfig } from '../../../../worker/config/config.ts';
import { PHASES } from '../../../../domain/core/phases.ts';
import { NO_SLACK } from '../../../../domain/policy/policy.ts';
import { failure } from '../../../support/thrown.ts';
import { isSamePerson } from '../../../../domain/gates/actor.ts';
import { placeOf } from '../../../../domain/policy/permissions/use.ts';
import { accessOf, policyForStart, policyOf } from '../../../../domain/policy/config/of-cluster.ts';

const good = `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

const read = (yaml: string): Config => parseConfig(yaml, 'belay.yaml');

describe('karpenter.promoteFrom', () => {
  const fleet = (promoteFrom: string): string => `clusters:
  prod: { region: eu-west-1, account: "123456789012", environment: production, karpenter: { promoteFrom: ${promoteFrom} } }
  stage-a: { region: eu-west-1, account: "111122223333", environment: staging }
  stage-b: { region: eu-north-1, account: "111122223333", environment: staging }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

  test('is resolved to the clusters that bake', () => {
    const from = (text: string) => policyOf(read(fleet(text)), 'prod').karpenter.promoteFrom;
    expect(from('{ cluster: stage-b, bakedDays: 7 }')).toEqual({
      clusters: [{ name: 'stage-b', account: '111122223333', region: 'eu-north-1' }],
      bakedDays: 7,
    });
    expect(from('{ environment: staging, bakedDays: 3 }')?.clusters.map(({ name }) => name)).toEqual(['stage-a', 'stage-b']);
    expect(policyOf(read(fleet('{ cluster: stage-b, bakedDays: 7 }')), 'stage-a').karpenter.promoteFrom).toBeUndefined();
  });

  test('finds by its own name a cluster that names no environment', () => {
    const alone = fleet('{ environment: stage-b, bakedDays: 3 }').replace(/(stage-b: .*), environment: staging/, '$1');
    expect(policyOf(read(alone), 'prod').karpenter.promoteFrom?.clusters.map(({ name }) => name)).toEqual(['stage-b']);
  });

  test.each([
    ['{ cluster: stage-c, bakedDays: 7 }', /promoteFrom: names cluster "stage-c", which is not in this file; did you mean "stage-[ab]"\?/],
    ['{ cluster: prod, bakedDays: 7 }', /names the cluster itself/],
    ['{ environment: test, bakedDays: 7 }', /names environment "test", and no other cluster of this file is in it/],
    ['{ bakedDays: 7 }', /write either cluster or environment/],
    ['{ cluster: stage-a, bakedDays: 0 }', /write a whole number of days from 1/],
  ])('%s', (text, message) => {
    expect(failure(() => read(fleet(text)))).toMatch(message);
  });
});

describe('clusters of one name in EKS', () => {
  const main = (account: string): string => `{ name: main, region: eu-west-1, account: "${account}" }`;
  const two = good.replace(/ {2}prod: .*\n/, `  shop: ${main('123456789012')}\n  bank: ${main('210987654321')}\n`);

  test('F38: each has a key of its own, by which everything finds it, and its name for AWS', () => {
    const config = read(two);
    expect(config.clusterNames).toEqual(['shop', 'bank']);
    expect(accessOf(config, 'bank')).toMatchObject({ name: 'bank', account: '210987654321', eksName: 'main' });
    expect(policyOf(config, 'bank').cluster).toEqual({ name: 'bank', eksName: 'main', account: '210987654321', region: 'eu-west-1' });
    expect(placeOf(config, 'bank')).toEqual({ name: 'main', account: '210987654321', region: 'eu-west-1' });
  });

  test('a name that is the key says nothing, and none holds for all clusters', () => {
    const config = read(good.replace('{ region', '{ name: prod, region'));
    // Plans are hashed with their cluster.
    expect(policyOf(config, 'prod').cluster).toEqual(policyOf(read(good), 'prod').cluster);
    expect(accessOf(config, 'prod')).not.toHaveProperty('eksName');
    expect(failure(() => read(`${good}defaults:\n  name: main\n`))).toMatch(/^belay\.yaml:\d: defaults\.name: unknown key/);
  });
});

describe('a password in an address is refused, and the error does not repeat it', () => {
  const TOKEN = 'name a variable of the environment with a bearer token under bearerTokenFrom';
  const CHART =
    'log in by helm registry login, or write NAME/CHART of a repository that was added by helm repo add; the worker finds both by HELM_REGISTRY_CONFIG and HELM_REPOSITORY_CONFIG';

  test.each([
    ['defaults.prometheus.url', 'defaults: { prometheus: { url: URL } }', TOKEN],
    ['defaults.prometheus.alertmanager.url', 'defaults: { prometheus: { url: "http://prom:9090", alertmanager: { url: URL } } }', TOKEN],
    ['grafana.url', 'grafana: { url: URL }', 'name a variable of the environment under bearerTokenFrom'],
    ['temporal.ui', 'temporal: { ui: URL }', 'leave them out of the link'],
    [
      'records.s3.endpoint',
      'records: { s3: { bucket: belay, region: eu-west-1, endpoint: URL } }',
      'leave them out: requests are signed with AWS credentials',
    ],
    ['defaults.karpenter.chart', 'defaults: { karpenter: { chart: URL } }', CHART],
    ['defaults.karpenter.crdChart', 'defaults: { karpenter: { crdChart: URL } }', CHART],
    ['defaults.istio.chart', 'defaults: { istio: { chart: URL } }', CHART],
  ])('%s', (path, line, instead) => {
    const message = `belay.yaml:5: ${path}: holds credentials, and no secret belongs into this file; ${instead}`;
    for (const url of ['https://belay:hunter2@example.com/x', 'http://hunter2@example.com'])
      expect(failure(() => read(`${good}${line.replace('URL', `"${url}"`)}\n`))).toBe(message);
    expect(failure(() => read(`${good}${line.replace('URL', '"https://example.com/@team"')}\n`))).toBe('(nothing was thrown)');
  });

  test('a chart is refused by any scheme, and not for its digest', () => {
    const chart = (value: string) => failure(() => read(`${good}defaults: { karpenter: { chart: "${value}" } }\n`));
    expect(chart('oci://belay:hunter2@registry.example/karpenter')).toContain('holds credentials');
    expect(chart(`oci://registry.example/karpenter@sha256:${'0'.repeat(64)}`)).toBe('(nothing was thrown)');
    expect(chart('ours/karpenter')).toBe('(nothing was thrown)');
  });
});

describe('bad files say where, what, and what would be right', () => {
  test('a cluster or campaign without settings is named, never left out beside others', () => {
    expect(failure(() => read('clusters:\n  prod:\n')).split('\n')).toEqual([
      'belay.yaml:2: clusters.prod.region: is missing; write an AWS region such as eu-west-1',
      'belay.yaml:2: clusters.prod.account: is missing; write the 12 digits of the account in quotes',
    ]);
    expect(failure(() => read(good.replace('approvals', '  staging:\napprovals')))).toContain(
      'belay.yaml:3: clusters.staging.region: is missing',
    );
    expect(failure(() => read(`${good}campaigns:\n  to-1-34:\n`))).toContain('campaigns.to-1-34');
  });

  test('a folder is not a file', () => {
    expect(failure(() => loadConfig('test'))).toBe('test: is a folder; name the file in it');
  });

  test('merge keys are read', () => {
    const config = read(good.replace('prod: {', 'prod: &prod {').replace('approvals', '  staging: { <<: *prod, name: other }\napprovals'));
    expect(accessOf(config, 'staging')).toMatchObject({ region: 'eu-west-1', account: '123456789012', eksName: 'other' });
  });

  test('a cluster without settings of its own is what defaults say', () => {
    const config = read('defaults:\n  region: eu-west-1\n  account: "123456789012"\nclusters:\n  prod:\n');
    expect(config.clusterNames).toEqual(['prod']);
  });

  test.each<[string, string, string]>([
    ['empty', '', 'belay.yaml: the file is empty; write at least clusters, approvals and slack.channel, or people without Slack'],
    [
      'broken YAML',
      'clusters: {\n',
      'belay.yaml:2: not valid YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    ['duplicate key', 'slack: {channel: a}\nslack: {channel: b}\n', 'belay.yaml:2: not valid YAML: Map keys must be unique'],
    ['second document', `${good}---\n`, 'belay.yaml:5: a second document begins here; belay.yaml is one document, so remove the line ---'],
    ['no cluster', 'clusters: {}\n', 'belay.yaml:1: clusters: name at least one cluster'],
    [
      'unknown key',
      'clusters:\n  prod:\n    regoin: eu-west-1\n    account: "123456789012"\n',
      'belay.yaml:3: clusters.prod.regoin: unknown key; did you mean "region"?',
    ],
    [
      'unknown key, nothing near',
      `${good}colour: red\n`,
      'belay.yaml:5: colour: unknown key; there are clusters, defaults, environments, campaigns, proposals, approvals, windows, health, people, signing, slack, notifications, temporal, records, grafana, timing',
    ],
    [
      'missing region',
      'clusters:\n  prod:\n    account: "123456789012"\n',
      'belay.yaml:2: clusters.prod.region: is missing; write an AWS region such as eu-west-1',
    ],
    [
      'short account',
      'clusters:\n  prod:\n    region: eu-west-1\n    account: "1234"\n',
      'belay.yaml:4: clusters.prod.account: "1234" is not valid; write the 12 digits of the account in quotes',
    ],
    [
      'account that lost its zero',
      'clusters:\n  prod:\n    region: eu-west-1\n    account: 012345678901\n',
      'belay.yaml:4: clusters.prod.account: 12345678901 is not valid; write the 12 digits of the account in quotes',
    ],
    [
      'region',
      'clusters:\n  prod:\n    region: Ireland\n    account: "123456789012"\n',
      'belay.yaml:3: clusters.prod.region: "Ireland" is not valid; write an AWS region such as eu-west-1',
    ],
    [
      'duration',
      `${good}timing:\n  bake: ten minutes\n`,
      'belay.yaml:6: timing.bake: "ten minutes" is not valid; write a duration with its unit, such as "30s", "10m" or "24h"',
    ],
    [
      'duration without its unit',
      `${good}timing:\n  bake: 5\n`,
      'belay.yaml:6: timing.bake: 5 is not valid; write a duration with its unit, such as "30s", "10m" or "24h"',
    ],
    [
      'owner',
      'clusters:\n  prod:\n    region: eu-west-1\n    account: "123456789012"\n    managedBy:\n      karpenter: argo\n',
      'belay.yaml:6: clusters.prod.managedBy.karpenter: "argo" is not valid; write one of helm, flux, argocd, terraform, manual',
    ],
    [
      'user',
      good.replace('U012AB3CD', '"@sam"'),
      'belay.yaml:3: approvals.users[0]: "@sam" is not valid; write a Slack user id such as U012AB3CD, or without Slack a name such as sam',
    ],
    [
      'text for a group of settings',
      'clusters:\n  prod: yes please\n',
      'belay.yaml:2: clusters.prod: "yes please" is not a group of settings; write key: value lines below it',
    ],
    [
      'several at once',
      'clusters:\n  prod:\n    region: eu-west-1\n    account: "1"\napprovals:\n  quorum: 0\n',
      'belay.yaml:4: clusters.prod.account: "1" is not valid; write the 12 digits of the account in quotes\nbelay.yaml:6: approvals.quorum: 0 is not valid; write a whole number from 1',
    ],
    [
      'a rule that names nobody',
      good.replace('users: [U012AB3CD]', 'users: [U012AB3CD], rules: { owners: { quorum: 1 } }'),
      'belay.yaml:3: approvals.rules.owners: name somebody under users or groups',
    ],
    [
      'an unknown phase',
      good.replace('users: [U012AB3CD]', 'users: [U012AB3CD], phases: { reboot: { quorum: 2 } }'),
      `belay.yaml:3: approvals.phases.reboot: unknown key; there are ${PHASES.join(', ')}`,
    ],
    [
      'waves without the rest',
      `${good}defaults:\n  istio:\n    waves: [0.25]\n`,
      'belay.yaml:7: defaults.istio.waves: the last wave has to be 1 (the rest)',
    ],
    [
      'one cluster under two keys',
      good.replace('approvals:', '  again: { name: prod, region: eu-west-1, account: "123456789012" }\napprovals:'),
      'belay.yaml:3: clusters.again: is the same cluster as prod: prod of account 123456789012 in eu-west-1; leave out one of the two, or correct its name, account or region',
    ],
    [
      'a name that EKS does not give',
      good.replace('{ region', '{ name: "cluster/prod", region'),
      'belay.yaml:2: clusters.prod.name: "cluster/prod" is not valid; write the name that EKS has for the cluster, such as main',
    ],
    ...['150%', '1.5', '123456'].map((pace): [string, string, string] => [
      `a pace that Karpenter refuses: ${pace}`,
      `${good}defaults:\n  karpenter:\n    paces: ["1", "${pace}"]\n`,
      `belay.yaml:7: defaults.karpenter.paces[1]: "${pace}" is not valid; write a budget such as "1" or "10%"`,
    ]),
    ...['0', '0%'].map((pace): [string, string, string] => [
      `a pace that replaces nothing: ${pace}`,
      `${good}defaults:\n  karpenter:\n    paces: ["${pace}"]\n`,
      `belay.yaml:7: defaults.karpenter.paces[0]: "${pace}" is not valid; write a budget above 0: with 0 Karpenter replaces no node`,
    ]),
    [
      'freeze without drift',
      `${good}defaults:\n  karpenter:\n    freezeReasons: [Empty]\n`,
      'belay.yaml:7: defaults.karpenter.freezeReasons: the list has to contain Drifted: it is what the freeze is for',
    ],
  ])('%s', (_name, yaml, message) => {
    expect(failure(() => read(yaml))).toBe(message);
  });

  test('P6: a file that is not there', () => {
    expect(failure(() => loadConfig('/nowhere/belay.yaml'))).toBe(
      '/nowhere/belay.yaml: there is no such file; write one with "belay init", or name another by --config or BELAY_CONFIG',
    );
  });
});

describe('policy of a cluster', () => {
  test('silence means the production defaults', () => {
    const policy = policyOf(read(good), 'prod');
    expect(policy.cluster).toEqual({ name: 'prod', account: '123456789012', region: 'eu-west-1' });
    expect(policy.timing).toEqual(DEFAULT_TIMING);
    expect(policy.approvals).toEqual({
      users: ['U012AB3CD'],
      groups: [],
      quorum: 1,
      allowRequester: false,
      allowUnverifiedCli: false,
      reasonsFor: ['reject'],
    });
    expect(policy.managedBy.controlPlane).toBe('eks');
  });

  test('a cluster overrides defaults, defaults override the file, key by key', () => {
    const config = read(`clusters:
  prod: { account: 123456789012, managedBy: { karpenter: flux }, approvals: { quorum: 2 }, timing: { bake: 1h } }
  staging: {}
defaults:
  region: eu-west-1
  account: "210987654321"
  managedBy: { karpenter: argocd, istio: helm }
  timing: { bake: 20m, pollMax: 10s }
approvals: { users: [U0SAM, U0RIN], quorum: 1 }
timing: { pollMax: 20s, gateDeadline: 2h }
`);
    const prod = policyOf(config, 'prod');
    const staging = policyOf(config, 'staging');
    expect([prod.cluster.account, staging.cluster.account]).toEqual(['123456789012', '210987654321']);
    expect([prod.managedBy.karpenter, staging.managedBy.karpenter, prod.managedBy.istio]).toEqual(['flux', 'argocd', 'helm']);
    expect([prod.timing.bakeMs, staging.timing.bakeMs]).toEqual([3_600_000, 1_200_000]);
    expect([prod.timing.pollMaxMs, prod.timing.gateDeadlineMs]).toEqual([10_000, 7_200_000]);
    expect([prod.approvals.quorum, staging.approvals.quorum, prod.approvals.users]).toEqual([2, 1, ['U0SAM', 'U0RIN']]);
  });

  test('what things usually take can be told, one by one; the rest stays as usual', () => {
    const config = read(`${good}timing: { expected: { nodeGroup: 40m, addOn: 1m } }\ndefaults: { timing: { expected: { addOn: 3m } } }\n`);
    const { expected } = policyOf(config, 'prod').timing;
    expect(expected).toEqual({ nodeGroupMs: 2_400_000, addOnMs: 180_000 });
  });

  test('a group whose lines are all commented out counts as absent', () => {
    expect(policyOf(read(`${good.replace('slack: { channel: C012AB3CD }', 'slack:\n  # channel: C1')}\ntiming:\n`), 'prod').channel).toBe(
      NO_SLACK,
    );
  });

  test('an unknown cluster is answered with the known ones', () => {
    expect(failure(() => policyOf(read(good), 'prd'))).toBe('belay.yaml: no cluster "prd"; did you mean "prod"? There are: prod');
    expect(failure(() => accessOf(read(good), 'toString'))).toBe('belay.yaml: no cluster "toString"; there are: prod');
  });
});

describe('command lines that nobody verifies', () => {
  const unverified = (more: string): string =>
    good.replace('users: [U012AB3CD]', `users: [U012AB3CD, U0B, U0C], allowUnverifiedCli: true${more}`);

  test.each([
    ['a quorum of two', ', quorum: 2'],
    ['a rule', ', rules: { owners: { users: [U0OWNER] } }'],
    ['a phase that needs two', ', phases: { control-plane: { quorum: 2 } }'],
  ])('RS15: are refused with %s', (_what, more) => {
    expect(failure(() => read(unverified(more)))).toMatch(
      /^belay\.yaml: clusters\.prod\.approvals\.allowUnverifiedCli: is for one approver and no rules: all command lines .+ count as one voter\./,
    );
  });

  test('RS15: are one voter for one approver', () => {
    expect(policyOf(read(unverified('')), 'prod').approvals.allowUnverifiedCli).toBe(true);
    expect(isSamePerson({ kind: 'cli', id: 'sam@laptop' }, { kind: 'cli', id: 'sam@other' })).toBe(true);
  });
});

describe('starting needs people and a place', () => {
  test.each<[string, string, string]>([
    [
      'no approvers',
      good.replace('users: [U012AB3CD]', 'quorum: 1'),
      'belay.yaml: approvals: names nobody who may decide, so no upgrade is started; add Slack user ids under users or group ids under groups',
    ],
    [
      'a quorum that cannot be reached',
      good.replace('users: [U012AB3CD]', 'users: [U012AB3CD], quorum: 2'),
      'belay.yaml: approvals.quorum: 2 people have to approve but users names only 1, so no gate could pass; add users or groups, or lower it',
    ],
    [
      'a rule that cannot be met in one phase',
      good.replace(
        'users: [U012AB3CD]',
        'users: [U012AB3CD], phases: { control-plane: { rules: { service-owners: { users: [U0OWNER], quorum: 2 } } } }',
      ),
      'belay.yaml: approvals.quorum: 2 people have to approve as service-owners but users names only 1, so no gate could pass; add users or groups, or lower it',
    ],
    [
      'two rules that need the same person',
      good.replace('users: [U012AB3CD]', 'users: [U012AB3CD, U0B], quorum: 2, rules: { owners: { users: [U012AB3CD] } }'),
      'belay.yaml: approvals.quorum: 3 people have to approve, 2 as approvers and 1 as owners, but users names only 2, so no gate could pass; add users or groups, or lower it',
    ],
    [
      'two rules of one person beside a third that can be met',
      good.replace(
        'users: [U012AB3CD]',
        'users: [U0A, U0B, U0C, U0D], rules: { owners: { users: [U0OWNER] }, network: { users: [U0OWNER] } }',
      ),
      'belay.yaml: approvals.quorum: 2 people have to approve, 1 as owners and 1 as network, but users names only 1, so no gate could pass; add users or groups, or lower it',
    ],
    [
      'one phase whose quorum leaves nobody for a rule',
      good.replace(
        'users: [U012AB3CD]',
        'users: [U0A, U0B], rules: { owners: { users: [U0A, U0B] } }, phases: { control-plane: { quorum: 2 } }',
      ),
      'belay.yaml: approvals.quorum: 3 people have to approve, 2 as approvers and 1 as owners, but users names only 2, so no gate could pass; add users or groups, or lower it',
    ],
    [
      'no channel',
      good.replace('channel: C012AB3CD', 'stakeholders: C034CD5EF'),
      'belay.yaml: slack.channel: is missing, so nobody would see the upgrade and none is started; write a channel id such as C012AB3CD',
    ],
  ])('%s: reading works, starting is refused', (_name, yaml, message) => {
    expect(policyOf(read(yaml), 'prod').cluster.name).toBe('prod');
    expect(failure(() => policyForStart(read(yaml), 'prod'))).toBe(message);
  });

  test.each([
    ['rules of different people', 'users: [U0A, U0B], quorum: 2, rules: { owners: { users: [U0A, U0C] } }'],
    [
      'somebody who is asked later and may stand for any rule',
      'users: [U0A], escalation: { users: [U0B] }, rules: { owners: { users: [U0A] } }',
    ],
    ['a rule of a group, whose members only Slack knows', 'users: [U0A], rules: { owners: { users: [U0A], groups: [S012AB3CD] } }'],
    ['a group that is asked later', 'users: [U0A], quorum: 2, escalation: { groups: [S012AB3CD] }'],
  ])('%s can be met', (_name, approvals) => {
    expect(policyForStart(read(good.replace('users: [U012AB3CD]', approvals)), 'prod').cluster.name).toBe('prod');
  });
});

describe('durations', () => {
  test.each<[string | number, number | undefined]>([
    ['500ms', 500],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['0.5h', 1_800_000],
    [250, 250],
    ['10', undefined],
    ['-1s', undefined],
    ['', undefined],
    [-1, undefined],
  ])('%s', (written, expectedMs) => expect(parseDurationMs(written)).toBe(expectedMs));

  test('are written so that they read back', () => {
    for (const durationMs of [0, 1, 1_500, 90_000, 5_400_000, 604_800_000])
      expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
  });
});

test('the example is valid and shows the defaults it claims', () => {
  const config = loadConfig(new URL('../../../../belay.example.yaml', import.meta.url).pathname);
  expect(policyForStart(config, 'prod').timing).toEqual(DEFAULT_TIMING);
  expect(policyOf(config, 'prod').approvals.quorum).toBe(2);
  expect(accessOf(config, 'staging')).toMatchObject({ kubeconfig: './kubeconfig-staging', context: 'staging' });
});

test('the JSON Schema that editors use is the one in the repository', () => {
  const written: unknown = JSON.parse(readFileSync(new URL('../../../../docs/belay.schema.json', import.meta.url), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
});
