/** Karpenter's controller, changed by Belay itself or asked for: the gate before, the way, and what is held against what was. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { Delivered, KarpenterState } from '../../../../activities/contract/delivery.ts';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import type { Delivery } from '../../../../domain/plan/model/changes.ts';
import { fakeActivities, type FakeWorld, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const CHANGE = 'change:karpenter-controller@1.32#1';
const FAILED = 'failed:karpenter-controller@1.32#1';
const HELM: Delivery = { kind: 'helm' };
const CRDS: DeliveredChart = { kind: 'HelmRelease', namespace: 'flux-system', name: 'crds', chart: 'karpenter-crd', version: '1.1.0' };
const CONTROLLER: DeliveredChart = { ...CRDS, name: 'karpenter', chart: 'karpenter' };
const FLUX: Delivery = { kind: 'gitops', charts: [CRDS, CONTROLLER] };

const state = (change: Partial<KarpenterState> = {}): KarpenterState => ({
  claimCount: 3,
  driftedCount: 1,
  frozenPools: 1,
  poolCount: 1,
  notReady: [],
  unowned: [],
  needs: [],
  permissions: [],
  ...change,
});

/** Only this phase, by this way. */
function fakeWith(delivery: Delivery | undefined, managedBy: 'helm' | 'flux' | 'terraform', change: Partial<BelayActivities> = {}) {
  const fake = fakeActivities({
    plan: plan(['karpenter-controller'], (step) =>
      step.params.phase !== 'karpenter-controller'
        ? step
        : { ...step, params: { ...step.params, managedBy, ...(delivery === undefined ? {} : { delivery }) } },
    ),
  });
  return { world: fake.world, activities: withChange(fake, { examineKarpenter: async () => state(), ...change }) };
}

/** The notes of the thread, in order. */
const notes = (world: FakeWorld): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

function gate(world: FakeWorld, id: string) {
  const found = world.published.findLast(({ key }) => key === `gate/${id}`)?.notification;
  if (found?.kind !== 'gate') throw new Error(`no gate ${id}`);
  return found.state.gate;
}

const order = (world: FakeWorld): string[] =>
  world.calls.flatMap(({ name }) =>
    [
      'examineKarpenter',
      'upgradeKarpenterWithHelm',
      'setDeliveredVersion',
      'awaitDelivered',
      'awaitKarpenterVersion',
      'verifyKarpenter',
    ].includes(name)
      ? [name]
      : [],
  );

describe('by helm', () => {
  test('a gate, helm, the image, and everything as before', async () => {
    const { world, activities } = fakeWith(HELM, 'helm', {
      upgradeKarpenterWithHelm: async () => ({ adopted: ['nodepools.karpenter.sh'] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(order(world)).toEqual(['examineKarpenter', 'upgradeKarpenterWithHelm', 'awaitKarpenterVersion', 'verifyKarpenter']);
    expect(gate(world, CHANGE)).toMatchObject({
      title: 'Change Karpenter from 1.1.0 to 1.2.3?',
      next: 'helm upgrades karpenter-crd to 1.2.3, then karpenter; the controller restarts.',
      evidence: [
        {
          title: 'Karpenter now',
          lines: [
            '3 NodeClaims, 1 drifted: if more are drifted after the change, the step fails',
            '1 NodePool, drift frozen',
            'every NodePool and EC2NodeClass is Ready',
          ],
        },
      ],
      choices: [{ id: 'approve' }, { id: 'look-again', label: 'Look again' }, { id: 'reject', label: 'Not now' }],
    });
    // Exactly this version, whatever smaller one would do.
    expect(inputs(world, 'awaitKarpenterVersion')).toMatchObject([{ wanted: '1.2.3', minimum: '1.2.3' }]);
    expect(inputs(world, 'verifyKarpenter')).toMatchObject([{ driftedCount: 1 }]);
    expect(notes(world)).toEqual([
      'Karpenter: nodepools.karpenter.sh belonged to no Helm release, which would have stopped karpenter-crd. Belay has marked them as its parts; nothing was deleted.',
      'Karpenter: 1.2.3 runs; 1 NodeClaim drifted before, and no more now; NodePools and EC2NodeClasses Ready, CRDs Established, a pod of the new version leads.',
    ]);
  });

  test('what was not Ready before is shown at the gate and afterwards, and stops nothing; an unknown leader is said', async () => {
    const line = 'EC2NodeClass gpu is not Ready (SubnetsNotReady)';
    const leaderUnknown = 'Lease kube-system/lease is renewed by x_1f, which is not a pod of Deployment kube-system/karpenter';
    const { world, activities } = fakeWith(HELM, 'helm', {
      examineKarpenter: async () => state({ notReady: [{ name: 'EC2NodeClass gpu', line }] }),
      verifyKarpenter: async () => ({ troubles: [], stillNotReady: [line], leaderUnknown }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(gate(world, CHANGE).evidence[0]?.lines).toContain(line);
    expect(inputs(world, 'verifyKarpenter')).toMatchObject([{ notReady: ['EC2NodeClass gpu'] }]);
    expect(report.outcome).toBe('completed');
    expect(notes(world)).toEqual([
      'Karpenter: 1.2.3 runs; 1 NodeClaim drifted before, and no more now; all other NodePools and EC2NodeClasses Ready, CRDs Established; ' +
        `UNKNOWN which pod leads: ${leaderUnknown}; as before the change: ${line}.`,
    ]);
  });

  test('what IAM does not grant, or does not say, stands at the gate; it is read again after people have mended it', async () => {
    const seen = [
      state({
        needs: [
          '1.7: the controller’s role needs iam:ListInstanceProfiles',
          '1.12: the controller’s role needs ec2:DescribeInstanceStatus',
        ],
        permissions: [
          { action: 'iam:ListInstanceProfiles', granted: 'no', why: 'role: implicitDeny' },
          { action: 'ec2:DescribeInstanceStatus', granted: 'unknown', why: 'it needs iam:SimulatePrincipalPolicy' },
        ],
      }),
      state({ permissions: [{ action: 'iam:ListInstanceProfiles', granted: 'yes' }] }),
    ];
    const { world, activities } = fakeWith(HELM, 'helm', { examineKarpenter: async () => seen.shift() ?? state() });
    const decider: Decider = (open) => (open.id === CHANGE ? 'look-again' : approveAll(open, 0));
    await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(gate(world, CHANGE).evidence[1]).toEqual({
      title: 'What 1.2.3 needs that 1.1.0 did not',
      lines: [
        '1.7: the controller’s role needs iam:ListInstanceProfiles',
        '1.12: the controller’s role needs ec2:DescribeInstanceStatus',
        'FAILED iam:ListInstanceProfiles is not granted (role: implicitDeny)',
        'UNKNOWN ec2:DescribeInstanceStatus: it needs iam:SimulatePrincipalPolicy',
      ],
    });
    const approve = (id: string) => gate(world, id).choices.find((choice) => choice.id === 'approve');
    expect([approve(CHANGE)?.needsReason, approve('change:karpenter-controller@1.32#2')?.needsReason]).toEqual([true, undefined]);
    expect(inputs(world, 'upgradeKarpenterWithHelm')).toHaveLength(1);
  });

  test.each<[string, string, Partial<BelayActivities>, string]>([
    ['people say not now', 'reject', {}, 'Changing Karpenter to 1.2.3: it was rejected; it still runs 1.1.0'],
    [
      'more nodes drift than before',
      'approve',
      { verifyKarpenter: async () => ({ troubles: ['3 NodeClaims are marked as drifted; before the change it was 1'] }) },
      'Karpenter runs 1.2.3, but: 3 NodeClaims are marked as drifted; before the change it was 1',
    ],
    [
      'the Deployment does not converge',
      'approve',
      { awaitKarpenterVersion: async () => ({ version: '1.1.0', timedOut: true }) },
      'Waiting for Karpenter 1.2.3: it still runs 1.1.0',
    ],
  ])('%s: the step fails with what was seen', async (_title, choice, change, message) => {
    const { world, activities } = fakeWith(HELM, 'helm', change);
    const decider: Decider = ({ id }) => (id === CHANGE ? choice : id === FAILED ? 'abort' : 'approve');
    await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(gate(world, FAILED).evidence[0]?.lines).toEqual([message]);
    if (choice === 'reject') expect(order(world)).toEqual(['examineKarpenter']);
  });
});

describe('through GitOps', () => {
  test('CRDs first, each waited for with its own token, CRDs left out of the controller’s chart', async () => {
    const { world, activities } = fakeWith(FLUX, 'flux');
    await withUpgrade(env, activities, (run) => run.finish());
    expect(order(world)).toEqual([
      'examineKarpenter',
      'setDeliveredVersion',
      'awaitDelivered',
      'setDeliveredVersion',
      'awaitDelivered',
      'awaitKarpenterVersion',
      'verifyKarpenter',
    ]);
    const set = inputs(world, 'setDeliveredVersion') as { token: string }[];
    expect(set).toMatchObject([
      { chart: CRDS, to: '1.2.3', skipCrds: false },
      { chart: CONTROLLER, to: '1.2.3', skipCrds: true },
    ]);
    expect(set[0]?.token).not.toBe(set[1]?.token);
    expect(inputs(world, 'awaitDelivered')).toMatchObject(set.map(({ token }) => ({ token })));
    expect(gate(world, CHANGE).next).toBe(
      'HelmRelease flux-system/crds, then HelmRelease flux-system/karpenter to 1.2.3; the controller restarts.',
    );
  });

  test('somebody keeps the object as in Git: the merge is asked for, and waited for without a token', async () => {
    const owner = 'Kustomization flux-system/platform';
    const { world, activities } = fakeWith({ kind: 'gitops', charts: [{ ...CONTROLLER, owner }] }, 'flux', {
      setDeliveredVersion: async () => ({ kind: 'owned', owner }),
    });
    await withUpgrade(env, activities, (run) => run.finish());
    expect(inputs(world, 'awaitDelivered')).toEqual([expect.not.objectContaining({ token: expect.anything() })]);
    const ask = world.published.map(({ notification }) => notification).find((each) => each.kind === 'note' && each.ask !== undefined);
    expect(ask).toMatchObject({
      ask: { component: 'karpenter', name: 'karpenter', version: '1.2.3', managedBy: 'flux' },
      text:
        'Please merge karpenter 1.1.0 → 1.2.3. HelmRelease flux-system/karpenter is managed from Git by Kustomization flux-system/platform, which would revert a change in the cluster. ' +
        'Belay watches it and continues by itself once it is delivered.',
    });
    expect(gate(world, CHANGE)).toMatchObject({
      next: 'HelmRelease flux-system/karpenter (asked for, because it is managed from Git by Kustomization flux-system/platform) to 1.2.3; the controller restarts.',
      evidence: [
        {
          lines: expect.arrayContaining([
            'nothing here delivers karpenter-crd: make sure that the CRDs of 1.2.3 are installed before you approve',
          ]),
        },
      ],
    });
  });

  test.each<[string, Delivered, string]>([
    [
      'Flux takes it back',
      { kind: 'failed', why: 'HelmRelease x: Flux has taken 1.2.3 back' },
      'Delivering karpenter-crd 1.2.3: HelmRelease x: Flux has taken 1.2.3 back',
    ],
    [
      'somebody puts it back',
      { kind: 'put-back', version: '1.1.0' },
      'Delivering karpenter-crd 1.2.3: somebody has set HelmRelease flux-system/crds back to 1.1.0; name its owner, or change it there, then retry',
    ],
    [
      'it takes too long',
      { kind: 'timed-out', note: 'HelmRelease x: Progressing' },
      'Waiting for karpenter-crd 1.2.3: HelmRelease x: Progressing',
    ],
  ])('%s: the step fails, and the controller is not touched', async (_title, outcome, message) => {
    const { world, activities } = fakeWith(FLUX, 'flux', { awaitDelivered: async () => outcome });
    await withUpgrade(env, activities, (run) => run.finish(({ id }) => (id === FAILED ? 'abort' : 'approve')));
    expect(gate(world, FAILED).evidence[0]?.lines).toEqual([message]);
    expect(inputs(world, 'setDeliveredVersion')).toHaveLength(1);
  });
});

test('Terraform: the apply is asked for, with the lines to change', async () => {
  const { world, activities } = fakeWith(undefined, 'terraform');
  await withUpgrade(env, activities, (run) => run.finish());
  expect(notes(world)[0]).toBe(
    'Please change Karpenter from 1.1.0 to 1.2.3 (at least 1.2; CRDs first, then the controller). It is managed by terraform. ' +
      'The lines to change: version = "1.2.3" of helm_release karpenter-crd (applied first) and of helm_release karpenter, or the variable that your module sets them by. ' +
      'Belay watches Deployment kube-system/karpenter and continues by itself once it has converged.',
  );
  expect(order(world)).toEqual(['examineKarpenter', 'awaitKarpenterVersion', 'verifyKarpenter']);
});

describe('changed by others', () => {
  const GPU = { name: 'EC2NodeClass gpu', line: 'EC2NodeClass gpu is not Ready (SubnetsNotReady)' };

  test('whoever is asked reads what the new version needs, and what IAM does not grant', async () => {
    const { world, activities } = fakeWith(undefined, 'terraform', {
      examineKarpenter: async () =>
        state({
          needs: ['1.7: the controller’s role needs iam:ListInstanceProfiles'],
          permissions: [{ action: 'iam:ListInstanceProfiles', granted: 'no', why: 'role karpenter: implicitDeny' }],
        }),
    });
    await withUpgrade(env, activities, (run) => run.finish());
    expect(notes(world)[0]).toContain(
      ' What 1.2.3 needs that 1.1.0 did not: 1.7: the controller’s role needs iam:ListInstanceProfiles; FAILED iam:ListInstanceProfiles is not granted (role karpenter: implicitDeny). Belay watches',
    );
  });

  test.each([
    ['frozen: drift is held against what was', 1, { driftedCount: 1 }],
    ['not frozen: nodes may drift on any day', 0, {}],
  ])('held against what was before; %s', async (_title, frozenPools, drift) => {
    const { world, activities } = fakeWith(undefined, 'terraform', {
      examineKarpenter: async () => state({ frozenPools, notReady: [GPU] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const [input] = inputs(world, 'verifyKarpenter') as Record<string, unknown>[];
    expect(input).toMatchObject({ notReady: ['EC2NodeClass gpu'], leader: { version: '1.2.3' } });
    expect(input?.['driftedCount']).toBe('driftedCount' in drift ? 1 : undefined);
  });

  const brought = (version: string) => ({ awaitKarpenterVersion: async () => ({ version, timedOut: false }) });

  test.each([
    ['1.8.4', 'it has a regression in topology spread constraints'],
    ['1.3.0-rc.1', 'it is a pre-release'],
    ['1.0.14', 'it supports Kubernetes 1.25 to 1.31, and this hop needs 1.31 and 1.32'],
  ])('%s will not do, although it is what runs: %s', async (version, why) => {
    const { world, activities } = fakeWith(undefined, 'terraform', brought(version));
    await withUpgrade(env, activities, (run) => run.finish(({ id }) => (id === FAILED ? 'abort' : 'approve')));
    expect(gate(world, FAILED).evidence[0]?.lines[0]).toBe(
      `Karpenter runs ${version}, which this upgrade cannot use: ${why}. Change it to 1.2.3, then choose Retry`,
    );
    expect(inputs(world, 'verifyKarpenter')).toEqual([]);
  });

  test('one that this release does not know is unknown: said in the thread, and in the record', async () => {
    const { world, activities } = fakeWith(undefined, 'terraform', brought('1.99.0'));
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(notes(world)).toContainEqual(
      expect.stringContaining('UNKNOWN: whether it supports Kubernetes 1.31 and 1.32 is not known to this release of Belay.'),
    );
  });

  test('what is not Ready afterwards fails the step, and is not excused by a Retry', async () => {
    let looks = 0;
    const { world, activities } = fakeWith(undefined, 'terraform', {
      examineKarpenter: async () => state({ frozenPools: 0, notReady: looks++ === 0 ? [] : [GPU] }),
      verifyKarpenter: async ({ notReady = [] }) => ({ troubles: notReady.includes(GPU.name) ? [] : [GPU.line] }),
    });
    await withUpgrade(env, activities, (run) =>
      run.finish(({ id }) => (id.startsWith('failed') ? (id === FAILED ? 'retry' : 'abort') : 'approve')),
    );
    expect(gate(world, FAILED).evidence[0]?.lines[0]).toBe(`Karpenter runs 1.2.3, but: ${GPU.line}`);
    expect(inputs(world, 'verifyKarpenter')).toMatchObject([{ notReady: [] }, { notReady: [] }]);
  });
});

describe('a canary node', () => {
  function fakeWithCanary(change: Partial<BelayActivities> = {}) {
    const { world, activities } = fakeActivities({
      plan: plan(['karpenter-controller'], (step) =>
        step.params.phase !== 'karpenter-controller'
          ? step
          : { ...step, params: { ...step.params, delivery: HELM, canaryPool: 'default' } },
      ),
    });
    return { world, activities: withChange({ world, activities }, { examineKarpenter: async () => state(), ...change }) };
  }
  const canary = (world: FakeWorld): string[] => world.calls.flatMap(({ name }) => (/CanaryNode/.test(name) ? [name] : []));
  const aborting: Decider = ({ id }) => (id === FAILED ? 'abort' : 'approve');

  test('after everything is as before: launched, and gone again, by one name', async () => {
    const { world, activities } = fakeWithCanary();
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect([report.outcome, canary(world)]).toEqual(['completed', ['tryCanaryNode', 'removeCanaryNode']]);
    const [tried, removed] = (['tryCanaryNode', 'removeCanaryNode'] as const).map((name) => inputs(world, name)[0] as { name: string });
    expect(tried).toMatchObject({ nodePool: 'default', name: expect.stringMatching(/^belay-canary-[a-z0-9]{10}$/) });
    expect(removed?.name).toBe(tried?.name);
    expect(world.calls.findIndex(({ name }) => name === 'verifyKarpenter')).toBeLessThan(
      world.calls.findIndex(({ name }) => name === 'tryCanaryNode'),
    );
  });

  test('it does not come: the step fails in Karpenter’s words, it is removed, and a Retry takes another name', async () => {
    const { world, activities } = fakeWithCanary({
      tryCanaryNode: async () => ({ kind: 'failed', why: 'Launched is False (Unauthorized)' }),
    });
    await withUpgrade(env, activities, (run) =>
      run.finish(({ id }) => (id.startsWith('failed') ? (id === FAILED ? 'retry' : 'abort') : 'approve')),
    );
    expect(gate(world, FAILED).evidence[0]?.lines).toEqual([
      'Karpenter 1.2.3 runs, but a canary node of NodePool default did not come: Launched is False (Unauthorized)',
    ]);
    expect(canary(world)).toEqual(['tryCanaryNode', 'removeCanaryNode', 'tryCanaryNode', 'removeCanaryNode']);
    expect(new Set(inputs(world, 'tryCanaryNode').map((input) => (input as { name: string }).name)).size).toBe(2);
  });

  test('it does not go: the report says so, with the command', async () => {
    const { world, activities } = fakeWithCanary({ removeCanaryNode: async () => ({ gone: false }) });
    const report = await withUpgrade(env, activities, (run) => run.finish(aborting));
    expect(report.leftBehind).toEqual([{ what: expect.stringMatching(/^NodeClaim belay-canary-/), why: 'it is still there', kept: false }]);
    expect(notes(world)).toContainEqual(expect.stringMatching(/^ALARM: .*kubectl delete nodeclaim belay-canary-/));
  });
});

test('what was asked of others is in the record, whether or not there is a channel', async () => {
  for (const channel of ['#upgrades', undefined]) {
    const { world, activities } = fakeWith(undefined, 'terraform');
    const loadPolicy: BelayActivities['loadPolicy'] = async (input) => ({ ...(await activities.loadPolicy(input)), channel });
    await withUpgrade(env, { ...activities, loadPolicy }, (run) => run.finish());
    expect(inputs(world, 'writeRecord')).toMatchObject([
      {
        asked: [
          {
            step: 'karpenter-controller@1.32',
            component: 'karpenter',
            version: '1.2.3',
            managedBy: 'terraform',
            text: expect.stringContaining('The lines to change: version = "1.2.3" of helm_release karpenter-crd'),
          },
        ],
      },
    ]);
  }
});
