/** What the doctor says after a restore, and after the loss of a namespace. */
import { describe, expect, test } from 'vitest';
import { createKarpenterActivities } from '../../../activities/karpenter/index.ts';
import { createLeftoverActivities } from '../../../activities/run/planning/leftovers.ts';
import { judgeLeft, judgeRuns, type Known, type RecordedRun } from '../../../worker/doctor/after-restore.ts';
import { upgradeWorkflowId } from '../../../workflows/contract/ids.ts';
import { CLUSTER } from '../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../support/fake-kubernetes.ts';
import { nodeObject, nodePoolObject } from '../../support/kubernetes-objects.ts';
import { oneOfEach } from '../../support/leftovers.ts';

const RUN: RecordedRun = { cluster: CLUSTER, runId: 'run-1', lastAt: '2026-03-03T12:00:00.000Z', ended: true };
const { name } = CLUSTER;

describe('O17: recorded runs', () => {
  test.each<[string, RecordedRun, Known, string, string]>([
    ['closed and ended', RUN, 'closed', 'ok it knows the recorded run, as its record describes it', ''],
    ['open and under way', { ...RUN, ended: false }, 'open', 'ok it knows the recorded run, as its record describes it', ''],
    [
      'forgotten after its end',
      RUN,
      'unknown',
      `failed run run-1 of ${name} is not known to Temporal; it ended at ${RUN.lastAt} according to its record`,
      `read what it did: belay audit ${name}`,
    ],
    [
      'forgotten while it was under way',
      { ...RUN, ended: false },
      'unknown',
      `failed run run-1 of ${name} is not known to Temporal; it was under way at ${RUN.lastAt}`,
      `read what it did: belay audit ${name}; then have its changes restored, or guarded again: belay adopt ${name}`,
    ],
    [
      'open again',
      RUN,
      'open',
      `failed run run-1 of ${name} ended at ${RUN.lastAt} according to its record, but Temporal takes it for open`,
      `end it: belay abort ${name}; it asks before it changes anything`,
    ],
  ])('%s', async (_what, run, known, words, fix) => {
    const [found] = await judgeRuns([run], async () => known);
    expect([`${found?.status} ${found?.message}`, found?.fix ?? '']).toEqual([words, fix]);
  });

  test('where Temporal cannot be asked, nothing is called well', async () => {
    await expect(judgeRuns([RUN], async () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});

describe('O20: the namespace is lost', () => {
  const store = {
    write: async () => ({ location: '' }),
    upgradesOf: async () => [],
    newest: async () => [],
    read: async () => undefined,
    find: async () => undefined,
  };
  const account = () => ({
    autoScaling: async () => ({
      describeAutoScalingGroups: async () => ({ AutoScalingGroups: [] }),
      describeLifecycleHooks: async () => ({ LifecycleHooks: [] }),
    }),
  });

  test('a freeze on the NodePools is found by its mark, names its guard, and is restored by the command that the doctor names', async () => {
    const guard = `${upgradeWorkflowId(CLUSTER)}/freeze-drift@1.32`;
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'nodepools.karpenter.sh' },
      spec: { versions: [{ name: 'v1', storage: true }] },
    };
    const port = new FakeKubernetes()
      .put('apiextensions.k8s.io/v1', 'customresourcedefinitions', definition)
      .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }))
      .put('v1', 'nodes', nodeObject('a', '1.31'));
    const before = structuredClone((await port.get({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' }))?.spec);
    const karpenter = createKarpenterActivities(depsOf(port));
    await karpenter.freezeDrift({ cluster: CLUSTER, guard, reasons: ['Drifted'] });
    const find = () => createLeftoverActivities({ ...depsOf(port), account: account as never, store }).findLeftovers({ cluster: CLUSTER });
    const { leftovers, unseen } = await find();
    expect(unseen.filter(({ what }) => what === 'NodePools and Nodes')).toEqual([]);
    expect(await judgeLeft(CLUSTER, leftovers, async () => 'unknown')).toEqual([
      {
        area: 'Kubernetes',
        status: 'failed',
        message: `${name}: NodePool default, frozen by ${guard}: nobody guards it`,
        fix: `belay adopt ${name}`,
      },
    ]);
    // Its guard lives: nothing is wrong.
    expect(await judgeLeft(CLUSTER, leftovers, async () => 'open')).toMatchObject([{ status: 'ok' }]);
    await karpenter.restoreBudgets({ cluster: CLUSTER });
    expect((await find()).leftovers).toEqual([]);
    expect((await port.get({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' }))?.spec).toEqual(before);
  });

  test('whatever a forgotten run holds is named, one line each', async () => {
    const found = await judgeLeft(CLUSTER, oneOfEach('guard'), async () => 'closed');
    expect(found).toHaveLength(oneOfEach('guard').length);
    expect(found.every(({ status, fix }) => status === 'failed' && fix === `belay adopt ${name}`)).toBe(true);
  });
});
