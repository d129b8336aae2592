/** What counts as a side effect, and what changes by itself. */
import { describe, expect, test } from 'vitest';
import { compareResource } from '../../../../domain/run/side-effects/compare.ts';
import { pathText } from '../../../../domain/run/side-effects/paths.ts';
import { EKS_SELF_CHANGES } from '../../../../domain/run/side-effects/self-changes.ts';
import { type SideEffect, sideEffectOf, valueText } from '../../../../domain/run/side-effects/side-effect.ts';
import { differenceLines, headline, putBackLines } from '../../../../domain/run/side-effects/text.ts';

const addOn = { eks: 'add-on' } as const;
const changed = (...args: Parameters<typeof compareResource>): string[] => compareResource(...args).map(({ path }) => pathText(path));

describe('differences', () => {
  test('what was declared and what EKS changes by itself is none', () => {
    const before = { addonVersion: 'v1', status: 'ACTIVE', modifiedAt: '1', health: { issues: [] }, tags: { 'aws:x': '1' } };
    const after = { addonVersion: 'v2', status: 'UPDATING', modifiedAt: '2', health: { issues: [{}] }, tags: { 'aws:x': '2' } };
    expect(changed(addOn, before, after, [['addonVersion']])).toEqual([]);
    expect(changed(addOn, before, after, [])).toEqual(['addonVersion']);
  });

  test('RA1: a role that is gone, one that has come and one that is another are found', () => {
    const role = { serviceAccountRoleArn: 'arn:aws:iam::111122223333:role/a' };
    expect(compareResource(addOn, role, {}, [])).toEqual([
      { path: ['serviceAccountRoleArn'], at: ['serviceAccountRoleArn'], before: role.serviceAccountRoleArn },
    ]);
    expect(changed(addOn, {}, role, [])).toEqual(['serviceAccountRoleArn']);
    expect(changed(addOn, role, { serviceAccountRoleArn: 'other' }, [])).toEqual(['serviceAccountRoleArn']);
  });

  test('absent, null, and an empty list or map are the same', () => {
    expect(changed(addOn, { tags: {}, podIdentities: [], publisher: null }, {}, [])).toEqual([]);
  });

  test('elements with names are compared by name, others by place', () => {
    const before = {
      spec: {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '1' },
        ],
        args: ['x'],
      },
    };
    const after = {
      spec: {
        containers: [
          { name: 'b', image: '2' },
          { name: 'a', image: '1' },
        ],
        args: ['y'],
      },
    };
    const found = compareResource({ plural: 'cronjobs' }, before, after, []);
    expect(found.map(({ path }) => pathText(path))).toEqual(['spec.containers[b].image', 'spec.args']);
    expect(found[0]?.at).toEqual(['spec', 'containers', 0, 'image']);
  });

  test('replicas of an autoscaler and the size that Cluster Autoscaler sets are no side effects; limits are', () => {
    expect(changed({ plural: 'deployments' }, { spec: { replicas: 2 } }, { spec: { replicas: 3 } }, [])).toEqual([]);
    const size = (desiredSize: number, maxSize: number) => ({ scalingConfig: { desiredSize, maxSize } });
    expect(changed({ eks: 'node-group' }, size(2, 5), size(4, 5), [])).toEqual([]);
    expect(changed({ eks: 'node-group' }, size(2, 5), size(2, 6), [])).toEqual(['scalingConfig.maxSize']);
  });

  test('defaults of the control plane that EKS describes from 1.31 on are no side effect; a value that was there and is another one is', () => {
    const cluster = { eks: 'cluster' } as const;
    const described = (eventTtl: string) => ({
      kubeApiServerConfig: { eventTtl, serviceNodePortRange: { minPort: 30_000, maxPort: 32_767 } },
      kubeSchedulerConfig: { nodeResourcesFit: { scoringStrategy: { type: 'LeastAllocated' } } },
      kubeControllerManagerConfig: { horizontalPodAutoscalerControllerConfig: { horizontalPodAutoscalerSyncPeriod: '15s' } },
    });
    expect(changed(cluster, {}, described('60m'), [])).toEqual([]);
    const podGc = { podGcControllerConfig: { terminatedPodGcThreshold: 12_500 } };
    const { kubeControllerManagerConfig: earlier, ...others } = described('10m');
    expect(changed(cluster, described('10m'), { ...others, kubeControllerManagerConfig: { ...earlier, ...podGc } }, [])).toEqual([]);
    expect(changed(cluster, described('10m'), described('60m'), [])).toEqual(['kubeApiServerConfig.eventTtl']);
    expect(changed(cluster, described('10m'), {}, []).toSorted()).toEqual(Object.keys(described('10m')).toSorted());
  });

  test('a map that came or went with the one key that was declared is declared', () => {
    const declared = [['metadata', 'annotations', 'belay.dev/x']];
    const bare = { metadata: {} };
    expect(changed({ plural: 'nodepools' }, bare, { metadata: { annotations: { 'belay.dev/x': '1' } } }, declared)).toEqual([]);
    expect(changed({ plural: 'nodepools' }, bare, { metadata: { annotations: { 'belay.dev/x': '1', other: '2' } } }, declared)).toEqual([
      'metadata.annotations',
    ]);
    const taken = { metadata: { annotations: { 'belay.dev/x': '1' } } };
    expect(changed({ plural: 'nodepools' }, taken, bare, declared)).toEqual([]);
    expect(changed({ plural: 'nodepools' }, { metadata: { annotations: { other: '2' } } }, bare, declared)).toEqual([
      'metadata.annotations',
    ]);
  });

  test('what came in the place of the declared map, and is none, is not declared', () => {
    const declared = [['spec', 'template', 'labels', 'a']];
    const spec = (template: unknown) => ({ spec: { template } });
    expect(changed({ plural: 'nodepools' }, { spec: {} }, spec('text'), declared)).toEqual(['spec.template']);
    expect(changed({ plural: 'nodepools' }, spec('text'), spec('other'), declared)).toEqual(['spec.template']);
    expect(changed({ plural: 'nodepools' }, { spec: {} }, spec({ labels: ['a'] }), declared)).toEqual(['spec.template']);
  });

  test('what is new in the answer about a node is not known to be new: nodes are seen in part', () => {
    expect(changed({ plural: 'nodes' }, { metadata: {} }, { metadata: {}, spec: { providerID: 'x' } }, [])).toEqual([]);
    expect(changed({ plural: 'nodes' }, { spec: { taints: [{ key: 'a' }] } }, { spec: { taints: [{ key: 'b' }] } }, [])).toEqual([
      'spec.taints[0].key',
    ]);
  });

  test('each self-change says why, and where that is written', () => {
    for (const { why, source } of Object.values(EKS_SELF_CHANGES).flat()) expect([why, source]).not.toContain('');
  });
});

describe('in words', () => {
  const digest = (): string => 'd1g357';
  const effect = (resource: Parameters<typeof sideEffectOf>[0], before: unknown, after: unknown) => {
    const kind = 'eks' in resource ? { eks: resource.eks } : { plural: resource.plural };
    return sideEffectOf(resource, 'a test', compareResource(kind, before, after, []), digest);
  };

  test('RA1: field, old and new value, and the command that puts it back', () => {
    const found = effect(
      { eks: 'add-on', cluster: 'prod', name: 'aws-ebs-csi-driver' },
      { serviceAccountRoleArn: 'arn:aws:iam::1:role/ebs' },
      {},
    );
    if (found === undefined) throw new Error('nothing was found');
    expect(differenceLines([found])).toEqual(['add-on aws-ebs-csi-driver: serviceAccountRoleArn: "arn:aws:iam::1:role/ebs" → absent']);
    expect(putBackLines([found])).toEqual([
      '`aws eks update-addon --cluster-name prod --addon-name aws-ebs-csi-driver --resolve-conflicts PRESERVE --service-account-role-arn arn:aws:iam::1:role/ebs`',
    ]);
  });

  test('an object of Kubernetes is put back by kubectl', () => {
    const pool = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
    const found = effect(pool, { spec: { limits: { cpu: '100' } } }, { spec: { limits: { cpu: '4' } } });
    expect(found?.differences).toEqual([
      {
        path: 'spec.limits.cpu',
        pointer: '/spec/limits/cpu',
        before: '"100"',
        after: '"4"',
        putBack: `kubectl patch nodepools default --type json --patch '[{"op":"replace","path":"/spec/limits/cpu","value":"100"}]'`,
      },
    ]);
  });

  test('an element that is gone has no place any more, and no command', () => {
    const deployment = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop', name: 'web' };
    const of = (...names: string[]) => ({ spec: { containers: names.map((name) => ({ name })) } });
    const found = effect(deployment, of('web', 'proxy'), of('web'));
    expect(found?.differences).toEqual([{ path: 'spec.containers[proxy]', before: '{"name":"proxy"}' }]);
    expect(headline(found as SideEffect)).toBe('deployments shop/web: spec.containers[proxy]');
    expect(putBackLines([found as SideEffect])).toEqual(['spec.containers[proxy]: apply the manifest of deployments shop/web again']);
  });

  test.each<[string, object, object, string]>([
    [
      'an upgrade policy',
      { upgradePolicy: { supportType: 'EXTENDED' } },
      { upgradePolicy: { supportType: 'STANDARD' } },
      `\`aws eks update-cluster-config --name prod --upgrade-policy '{"supportType":"EXTENDED"}'\``,
    ],
    [
      'an upgrade policy that was not there',
      { upgradePolicy: {} },
      { upgradePolicy: { supportType: 'STANDARD' } },
      "upgradePolicy.supportType: put it back in EKS, or where it is kept as code; the run's rollback point has what it was",
    ],
  ])('%s of a cluster', (_what, before, after, line) => {
    const found = effect({ eks: 'cluster', cluster: 'prod', name: 'prod' }, before, after);
    expect(putBackLines([found as SideEffect])).toEqual([line]);
  });

  test('secrets, values of environment variables and user data are hidden, and no command has them', () => {
    const deployment = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop', name: 'web' };
    const of = (value: string) => ({
      spec: { userData: value, password: value, containers: [{ name: 'web', env: [{ name: 'KEY', value }] }] },
    });
    const found = effect(deployment, of('hunter2'), of('hunter3'));
    expect(found?.differences).toHaveLength(3);
    expect(JSON.stringify(found)).not.toMatch(/hunter/);
    expect(found?.differences.every(({ putBack }) => putBack === undefined)).toBe(true);
  });

  test('many and long differences are cut', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 'x'.repeat(5_000)]));
    const found = effect({ eks: 'cluster', cluster: 'prod', name: 'prod' }, { tags: many }, { tags: { other: '1' } });
    expect([found?.differences.length, found?.moreCount]).toEqual([24, 7]);
    expect(JSON.stringify(found).length).toBeLessThan(16_000);
    expect(headline(found as SideEffect)).toMatch(/^cluster prod: (tags\.\w+, ){7}tags\.\w+ and 23 more$/);
    expect(differenceLines([found as SideEffect]).at(-1)).toBe('22 more');
  });

  test('where all that can be looked at is put back, the rest is named by its number', () => {
    const resource = { eks: 'cluster', cluster: 'prod', name: 'prod' } as const;
    const rest: SideEffect = { resource, during: 'update', differences: [], moreCount: 7 };
    expect(headline(rest)).toBe('cluster prod: 7 more, which cannot be looked at again one by one');
    expect(differenceLines([rest])).toEqual(['7 more']);
  });
});

test('a secret in a list is hidden as well, however deep; what is none is shown', () => {
  const containers = [
    { name: 'app', env: [{ name: 'PGPASS', value: 'hunter2' }] },
    { name: 'side', args: [{ apiKey: 'hunter3' }] },
  ];
  expect(valueText('spec.template.spec.containers', containers, () => 'd1')).toBe(
    '[{"name":"app","env":[{"name":"PGPASS","value":"[hidden d1]"}]},{"name":"side","args":[{"apiKey":"[hidden d1]"}]}]',
  );
});
