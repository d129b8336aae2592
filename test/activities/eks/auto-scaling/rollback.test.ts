/** Groups of one's own against the twin's Auto Scaling and EC2: what may be refreshed, that a lost answer makes nothing twice, and drains. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SelfManagedActivities } from '../../../../activities/contract/self-managed.ts';
import { createRefreshActivities } from '../../../../activities/eks/auto-scaling/index.ts';
import type { AutoScalingGroup, LaunchTemplate } from '../../../../rehearsal/aws/network.ts';
import { latestAmi } from '../../../../rehearsal/aws/eks/nodes/amis.ts';
import { awsRights } from '../../../../rehearsal/world/core/rights.ts';
import { nodesOfOwnGroup } from '../../../../rehearsal/controllers/instance-refresh.ts';
import { kubeletMinor } from '../../../../rehearsal/controllers/nodes.ts';
import { policy } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;
let activities: SelfManagedActivities;
let group: AutoScalingGroup;
let template: LaunchTemplate;
let fresh: string;
const at = () => ({ cluster: twin.ref, group: 'batch' });

beforeAll(async () => {
  twin = await startTwin('instance-refresh');
  const { clients, built } = twin;
  activities = createRefreshActivities({ ...clients, policyOf: () => policy() });
  const { network } = built.world.eks;
  group = network.autoScalingGroups.find(({ name }) => name === 'batch') as AutoScalingGroup;
  template = network.launchTemplates.find(({ id }) => id === group.launchTemplate.id) as LaunchTemplate;
  fresh = JSON.stringify([group, template]);
});
afterAll(() => twin.close());

beforeEach(() => {
  const [as, lt] = JSON.parse(fresh) as [AutoScalingGroup, LaunchTemplate];
  Object.assign(group, { tags: {}, hooks: [] }, as);
  Object.assign(template, { tags: {} }, lt);
});

const examined = () => activities.examineGroup({ ...at(), to: '1.32' });

describe('what may be refreshed', () => {
  test('an image of Amazon’s by its id: the newest of the same family and architecture', async () => {
    expect(await examined()).toMatchObject({
      kind: 'refreshable',
      source: '1',
      followsLatest: false,
      before: expect.stringMatching(/^amazon-eks-node-al2023-x86_64-standard-1\.31-v\d+ \(ami-/),
      after: expect.stringMatching(/^amazon-eks-node-al2023-x86_64-standard-1\.32-v\d+ \(ami-/),
      size: 3,
      hooks: [],
      running: false,
    });
  });

  test('back to an older minor: the very image that the template had before; where that is gone, the newest that Amazon has', async () => {
    const wanted = { ...at(), to: '1.31', back: true as const };
    const of = (minor: string, at: string): string => latestAmi('al2023', minor, new Date(at))?.id ?? '';
    const { clock } = twin.built.world;
    const [before, older, newer] = [of('1.31', '2024-12-20'), of('1.30', '2024-12-20'), of('1.32', clock.now().toISOString())];
    template.versions = [before, older, newer].map((imageId, index) => ({ number: index + 1, imageId }));
    group.launchTemplate = { id: template.id, version: '3' };
    expect(await activities.examineGroup(wanted)).toMatchObject({ kind: 'refreshable', source: '3', image: before });
    template.versions = template.versions.slice(1);
    const newest = of('1.31', clock.now().toISOString());
    expect(newest).not.toBe(before);
    expect(await activities.examineGroup(wanted)).toMatchObject({ source: '3', image: newest });
  });

  test('a parameter stays one; hooks of others drain', async () => {
    const parameter = (minor: string) => `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/recommended/image_id`;
    template.versions = [{ number: 1, imageId: `resolve:ssm:${parameter('1.31')}` }];
    group.hooks = [{ name: 'nth', transition: 'autoscaling:EC2_INSTANCE_TERMINATING', heartbeatSeconds: 300, defaultResult: 'CONTINUE' }];
    group.launchTemplate = { id: template.id, version: '$Latest' };
    expect(await examined()).toMatchObject({ image: `resolve:ssm:${parameter('1.32')}`, hooks: ['nth'], followsLatest: true });
  });

  test.each<[string, () => void]>([
    ['Terraform keeps it or its launch template', () => (group.tags = { 'managed-by': 'Terraform' })],
    ['Terraform keeps it or its launch template', () => (template.tags = { terraform: 'true' })],
    [
      'CloudFormation stack eksctl-prod-nodegroup-batch keeps it or its launch template',
      () => (template.tags = { 'aws:cloudformation:stack-name': 'eksctl-prod-nodegroup-batch' }),
    ],
    ['its launch template names no image', () => (template.versions = [{ number: 1 }])],
    ['its image ami-0123 is gone, or of another account', () => (template.versions = [{ number: 1, imageId: 'ami-0123' }])],
    [
      'it follows $Default of its launch template, which Belay does not set',
      () => (group.launchTemplate = { id: template.id, version: '$Default' }),
    ],
  ])('asked for, since %s', async (why, change) => {
    change();
    expect(await examined()).toEqual({ kind: 'ask', why });
  });
});

describe('made once', () => {
  test('a version, a hook and a refresh whose answers were lost; drained within budgets; nothing is left', async () => {
    const { world } = twin.built;
    const seen = await examined();
    if (seen.kind === 'ask') throw new Error(seen.why);
    const add = () =>
      activities.addTemplateVersion({
        cluster: twin.ref,
        templateId: template.id,
        source: '1',
        image: seen.image,
        to: '1.32',
        token: 't-1',
      });
    expect([await add(), await add()]).toEqual([
      { version: '2', adopted: false },
      { version: '2', adopted: true },
    ]);
    await activities.holdTerminating(at());
    await activities.holdTerminating(at());
    expect(group.hooks).toHaveLength(1);
    const start = (version: string) =>
      activities.startInstanceRefresh({
        ...at(),
        size: 3,
        template: { id: template.id, version },
        minHealthyPercent: 100,
        checkpointDelayMs: 0,
      });
    const first = await start('2');
    expect([first.adopted, await start('2')]).toEqual([false, { refreshId: first.refreshId, adopted: true }]);
    await expect(start('1')).rejects.toThrow(/another one is (Pending|InProgress), to version 2 of its launch template/);
    const watch = (told: number) =>
      activities.watchInstanceRefresh({
        ...at(),
        timing: QUICK,
        refreshId: first.refreshId,
        drain: true,
        template: { id: template.id, version: '2' },
        told,
        ownerKeys: [],
        timeoutMs: 30_000,
      });
    const outcomes: string[] = [];
    for (let told = 0; outcomes.at(-1) !== 'done' && outcomes.length < 9; ) {
      const outcome = await watch(told);
      outcomes.push(outcome.kind);
      if (outcome.kind === 'progress') told = outcome.percent;
      else if (outcome.kind !== 'blocked') expect(outcome).toEqual({ kind: 'done' });
    }
    expect(outcomes).toContain('progress');
    expect(nodesOfOwnGroup(world, 'batch').map(kubeletMinor)).toEqual(['1.32', '1.32', '1.32']);
    expect(group.launchTemplate.version).toBe('2');
    const times = (operation: string) => world.journal.mutations.filter((one) => one.accepted && one.operation === operation).length;
    expect([times('CreateLaunchTemplateVersion'), times('StartInstanceRefresh'), times('CompleteLifecycleAction')]).toEqual([1, 1, 3]);
    expect(times('create pods/eviction')).toBeGreaterThan(2);
    await activities.releaseTerminating(at());
    await activities.releaseTerminating(at());
    expect([group.hooks, times('DeleteLifecycleHook')]).toEqual([[], 1]);
    // One that has ended needs no stop.
    await activities.stopInstanceRefresh({ ...at(), how: 'cancel' });
  }, 180_000);
});

describe('with the rights of deploy/, and no others', () => {
  const parameter = (minor: string) =>
    `resolve:ssm:/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/recommended/image_id`;
  const refused = awsRights();

  beforeEach(() => {
    twin.grant({ aws: (action) => !refused(action) });
    return () => {
      twin.grant({});
      group.refreshes = [];
      delete group.maxHealthyPercent;
    };
  });

  test.each([
    ['an id', (image: string) => image],
    ['a parameter, which is read on behalf of whoever uses the template', () => parameter('1.32')],
  ])('a refresh starts where the template names its image by %s; it rests at the first instance for two days at most', async (_how, of) => {
    const { version } = await activities.addTemplateVersion({
      cluster: twin.ref,
      templateId: template.id,
      source: '1',
      image: of(template.versions[0]?.imageId ?? ''),
      to: '1.32',
      token: 't-rights',
    });
    const days = (count: number) => count * 86_400_000;
    const { refreshId } = await activities.startInstanceRefresh({
      ...at(),
      size: 3,
      template: { id: template.id, version },
      minHealthyPercent: 100,
      checkpointDelayMs: days(3),
    });
    const found = group.refreshes?.find(({ id }) => id === refreshId);
    expect(found?.preferences).toMatchObject({ checkpoints: [33, 100], checkpointDelaySeconds: days(2) / 1_000 });
  });

  test.each([
    [100, 110],
    [50, 100],
    [0, 100],
  ])(
    'of a hundred at least %i in service and at most %i at a time, whatever the group allows otherwise',
    async (minHealthyPercent, maxHealthyPercent) => {
      group.maxHealthyPercent = 200;
      await activities.startInstanceRefresh({ ...at(), size: 3, minHealthyPercent, checkpointDelayMs: 0 });
      expect(group.refreshes?.at(-1)?.preferences).toMatchObject({ minHealthyPercent, maxHealthyPercent });
    },
  );
});
