/** The way back of single steps: which plan comes out of the record of the last run, and every reason why there is none. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { phaseOf, type StepId } from '../../../../domain/core/phases.ts';
import type { AddOnChange } from '../../../../domain/plan/model/changes.ts';
import type { StepParams } from '../../../../domain/plan/model/step-params.ts';
import type { PlannedStep, UpgradePlan } from '../../../../domain/plan/model/types.ts';
import type { LastRun } from '../../../../domain/plan/undo/last-run.ts';
import { planUndo, undoOptions } from '../../../../domain/plan/undo/plan-undo.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { wayBack, type WayBack } from '../../../../domain/facts/rollback-window.ts';
import { addOn, healthyFacts, NOW, nodePool, policy } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';
import { lastRun, type RecordedRun } from '../../../../domain/run/record/last-run.ts';

const STARTED = '2026-09-01T08:00:00.000Z';

const at133 = (params: StepParams): PlannedStep => step(params.phase, { id: `${params.phase}@1.33`, hop: '1.33', params });
const change = (name: string, from: string, to: string): AddOnChange => ({ name, from, to, managed: true });
const bridge = (...changes: AddOnChange[]): PlannedStep => at133({ phase: 'add-ons-bridge', changes, managedBy: 'eks' });
const target = (...changes: AddOnChange[]): PlannedStep => at133({ phase: 'add-ons-target', to: '1.33', changes, managedBy: 'eks' });
const karpenterTo = (from: string, to: string): PlannedStep =>
  at133({ phase: 'karpenter-controller', from, to, minimum: to, namespace: 'kube-system', deployment: 'karpenter', managedBy: 'flux' });
const migration = (): PlannedStep =>
  at133({
    phase: 'karpenter-migration',
    from: '0.37.7',
    to: '1.0.14',
    legs: ['v1'],
    namespace: 'kube-system',
    deployment: 'karpenter',
    managedBy: 'flux',
  });

const run = (...begun: PlannedStep[]): LastRun => ({ runId: 'run-1', startedAt: STARTED, begun });

const COREDNS = change('coredns', 'v1.12.1-eksbuild.2', 'v1.12.2-eksbuild.4');
const PROXY = change('kube-proxy', 'v1.32.0-eksbuild.2', 'v1.33.3-eksbuild.4');

function planned(facts: ClusterFacts, of: LastRun, name: string, own: Partial<UpgradePolicy> = {}, back?: WayBack): UpgradePlan {
  const result = planUndo(facts, { run: of, back }, name, policy(own));
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join('\n'));
  return result.plan;
}

function refused(facts: ClusterFacts, of: LastRun | undefined, name: string, back?: WayBack): string[] {
  const result = planUndo(facts, { run: of, back }, name, policy());
  return result.kind === 'plan' ? ['planned'] : result.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`);
}

describe('add-ons', () => {
  test('each to what the run found, kube-proxy first; a plan with a hash, a gate that wants a reason, and a look at the end', () => {
    const plan = planned(healthyFacts(), run(bridge(COREDNS), target(PROXY)), 'add-ons');
    expect(plan).toMatchObject({ kind: 'undo', undoes: { step: 'add-ons', runId: 'run-1' }, from: '1.33', to: '1.33', hops: ['1.33'] });
    expect(plan.steps.map(({ id }) => id)).toEqual(['add-ons-back@1.33', 'validation@1.33']);
    expect(plan.steps[0]).toMatchObject({
      gate: { title: 'Take 2 add-ons of prod back?', reason: true },
      params: {
        changes: [
          change('kube-proxy', 'v1.33.3-eksbuild.4', 'v1.32.0-eksbuild.2'),
          change('coredns', 'v1.12.2-eksbuild.4', 'v1.12.1-eksbuild.2'),
        ],
      },
    });
    expect(plan.hash).toBe(planned(healthyFacts(), run(bridge(COREDNS), target(PROXY)), 'add-ons').hash);
    expect(plan.hash).not.toBe(planned(healthyFacts(), run(bridge(COREDNS)), 'add-ons').hash);
  });

  test('over several hops: to the version before the first', () => {
    const facts = healthyFacts({ addOns: [addOn('coredns', 'v1.12.2-eksbuild.4')] });
    const first = bridge(change('coredns', 'v1.11.4-eksbuild.2', 'v1.12.1-eksbuild.2'));
    expect(planned(facts, run(first, target(COREDNS)), 'add-ons').steps[0]?.params).toMatchObject({
      changes: [{ from: 'v1.12.2-eksbuild.4', to: 'v1.11.4-eksbuild.2' }],
    });
  });

  test('vpc-cni goes down one minor at a time, too', () => {
    const facts = healthyFacts({ addOns: [addOn('vpc-cni', 'v1.21.0-eksbuild.4')] });
    const up = target(
      change('vpc-cni', 'v1.19.5-eksbuild.1', 'v1.20.4-eksbuild.2'),
      change('vpc-cni', 'v1.20.4-eksbuild.2', 'v1.21.0-eksbuild.4'),
    );
    expect(planned(facts, run(up), 'add-ons').steps[0]?.params).toMatchObject({
      changes: [
        change('vpc-cni', 'v1.21.0-eksbuild.4', 'v1.20.4-eksbuild.2'),
        change('vpc-cni', 'v1.20.4-eksbuild.2', 'v1.19.5-eksbuild.1'),
      ],
    });
  });

  test('what cannot go stays and is named; the rest goes', () => {
    const facts = healthyFacts({ addOns: [addOn('coredns', 'v1.12.2-eksbuild.4'), addOn('vpc-cni', 'v1.20.1-eksbuild.3')] });
    const plan = planned(facts, run(bridge(COREDNS, change('vpc-cni', 'v1.18.3-eksbuild.3', 'v1.20.1-eksbuild.3'))), 'add-ons');
    expect(plan.steps[0]?.params).toMatchObject({ changes: [{ name: 'coredns' }] });
    expect(plan.findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'RBK105 EKS does not offer vpc-cni v1.18.3-eksbuild.3 for 1.33.',
    ]);
  });

  test.each<{ what: string; facts: Partial<ClusterFacts>; says: string }>([
    {
      what: 'there already',
      facts: { addOns: [addOn('coredns', 'v1.12.1-eksbuild.2')] },
      says: 'RBK103 Every add-on that the run of 2026-09-01 08:00 UTC changed is at its version before. There is nothing to do.',
    },
    {
      what: 'changed by others since',
      facts: { addOns: [addOn('coredns', 'v1.12.3-eksbuild.1')] },
      says: 'RBK104 Add-on coredns is at v1.12.3-eksbuild.1, to which the run has not brought it (v1.12.2-eksbuild.4): somebody has changed it since. Change coredns to v1.12.1-eksbuild.2 by hand if that is still wanted.',
    },
    {
      what: 'gone',
      facts: { addOns: [] },
      says: 'RBK104 Add-on coredns is not there any more, or could not be read. Install coredns v1.12.1-eksbuild.2 where it is wanted.',
    },
    {
      what: 'unknown is no pass',
      facts: { addOns: [addOn('coredns', 'v1.12.2-eksbuild.4', { offered: {} })] },
      says: 'RBK105 Whether coredns v1.12.1-eksbuild.2 supports 1.33 cannot be seen. Allow eks:DescribeAddonVersions, then ask again.',
    },
    {
      what: 'EKS is busy',
      facts: { updateInProgress: { id: 'u-1', type: 'AddonUpdate' } },
      says: 'RBK108 EKS is busy with AddonUpdate (u-1). Wait until it has ended, then ask again.',
    },
  ])('refused: $what', ({ facts, says }) => {
    expect(refused(healthyFacts(facts), run(bridge(COREDNS)), 'add-ons')).toEqual([says]);
  });
});

describe('Karpenter', () => {
  const flux = (): Partial<UpgradePolicy> => ({ managedBy: { ...policy().managedBy, karpenter: 'flux' } });
  const chart = (name: string) => ({ kind: 'HelmRelease' as const, namespace: 'flux-system', name, chart: name, version: '1.8.2' });
  const withKarpenter = (version: string): ClusterFacts => {
    const { karpenter } = healthyFacts();
    if (karpenter === undefined) throw new Error('these facts have a Karpenter');
    return healthyFacts({
      karpenter: {
        ...karpenter,
        version,
        nodePools: [nodePool('default', 3)],
        deliveredCharts: [chart('karpenter-crd'), chart('karpenter')],
      },
    });
  };

  test('where Belay makes the change drift is frozen first; the CRDs stay', () => {
    const plan = planned(withKarpenter('1.8.2'), run(karpenterTo('1.6.8', '1.8.2')), 'karpenter-controller', flux());
    expect(plan.steps.map(({ phase }) => phase)).toEqual(['freeze-drift', 'karpenter-controller', 'validation']);
    expect(plan.steps[0]?.gate?.title).toBe('Take Karpenter of prod back to 1.6.8?');
    expect(plan.steps[0]?.gate?.next).toContain('HelmRelease flux-system/karpenter to 1.6.8');
    expect(plan.steps[1]?.gate).toBeUndefined();
    expect(plan.steps[1]).toMatchObject({ params: { from: '1.8.2', to: '1.6.8', back: true } });
  });

  test('without a node pool there is nothing to freeze: the controller has the gate', () => {
    const { karpenter, ...facts } = withKarpenter('1.8.2');
    const bare = { ...facts, ...(karpenter === undefined ? {} : { karpenter: { ...karpenter, nodePools: [] } }) };
    const own = { managedBy: { ...policy().managedBy, karpenter: 'helm' as const } };
    const plan = planned(bare, run(karpenterTo('1.6.8', '1.8.2')), 'karpenter-controller', own);
    expect(plan.steps.map(({ phase }) => phase)).toEqual(['karpenter-controller', 'validation']);
    expect(plan.steps[0]?.gate?.next).toBe(
      'Karpenter goes from 1.8.2 to 1.6.8: helm upgrades the release of the controller to the older chart, with the values that it has. The CRDs stay, and its objects with them.',
    );
  });

  test('where people make it they are asked, behind a gate, and nothing is frozen', () => {
    const plan = planned(withKarpenter('1.8.2'), run(karpenterTo('1.6.8', '1.8.2')), 'karpenter', {
      managedBy: { ...policy().managedBy, karpenter: 'manual' },
    });
    expect(plan.steps.map(({ phase, gate }) => [phase, gate === undefined])).toEqual([
      ['karpenter-controller', false],
      ['validation', true],
    ]);
  });

  test.each([
    {
      what: 'does not support the minor',
      now: '1.8.2',
      steps: [karpenterTo('1.4.4', '1.8.2')],
      says: 'RBK106 Karpenter 1.4.4 does not support 1.33: it runs on 1.25 to 1.32. Stay, or take the control plane back first while EKS allows that: belay rollback CLUSTER.',
    },
    {
      what: 'stored as v1 since',
      now: '1.8.2',
      steps: [migration(), karpenterTo('1.0.14', '1.8.2')],
      says: 'RBK107 Karpenter 0.37.7 is from before the API v1, in which its objects are stored now: it could not read them. Stay at 1.8.2, or go to another version of 1.x that supports 1.33.',
    },
    {
      what: 'v1beta1 left for good',
      now: '1.8.2',
      steps: [karpenterTo('1.0.14', '1.8.2')],
      says: 'RBK107 Karpenter 1.0.14 serves v1beta1 beside v1, and 1.8.2 has left that for good: its CRDs know v1 alone. Stay at 1.1 or newer; any version of it that supports 1.33 will do.',
    },
    {
      what: 'a version that nobody can read',
      now: '1.8.2',
      steps: [karpenterTo('latest', '1.8.2')],
      says: 'RBK106 "latest" is no version of Karpenter that Belay can read. Deploy it by hand.',
    },
    {
      what: 'a version newer than the table',
      now: '1.30.0',
      steps: [karpenterTo('1.29.0', '1.30.0')],
      says: 'RBK106 Whether Karpenter 1.29.0 supports 1.33 is not known to this release of Belay. Stay, or take the control plane back first while EKS allows that: belay rollback CLUSTER.',
    },
    {
      what: 'changed by others since',
      now: '1.9.2',
      steps: [karpenterTo('1.6.8', '1.8.2')],
      says: 'RBK104 Karpenter is at 1.9.2, to which the run of 2026-09-01 08:00 UTC has not brought it (1.8.2): somebody has changed it since. Whoever did that knows where it can go.',
    },
    {
      what: 'there already',
      now: '1.6.8',
      steps: [karpenterTo('1.6.8', '1.8.2')],
      says: 'RBK103 Karpenter is at 1.6.8. There is nothing to do.',
    },
    {
      what: 'not changed',
      now: '1.8.2',
      steps: [bridge(COREDNS)],
      says: 'RBK102 The run of 2026-09-01 08:00 UTC did not change Karpenter. Name a step that it did: belay rollback CLUSTER --list shows them.',
    },
  ])('refused: $what', ({ now, steps, says }) => {
    expect(refused(withKarpenter(now), run(...steps), 'karpenter-controller')).toEqual([says]);
  });

  test('refused: no Karpenter', () => {
    expect(refused(healthyFacts({ karpenter: undefined }), run(karpenterTo('1.6.8', '1.8.2')), 'karpenter-controller')).toEqual([
      'RBK104 Karpenter is not there any more, or could not be read. Look at its Deployment, then ask again.',
    ]);
  });
});

describe('node groups', () => {
  const moved = (): LastRun =>
    run(at133({ phase: 'node-groups', to: '1.33', groups: [{ name: 'system', from: '1.32', count: 3 }], managedBy: 'eks' }));
  const daysAgo = (days: number): WayBack =>
    wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: new Date(Date.parse(NOW) - days * 86_400_000).toISOString() }], NOW);

  test('while EKS takes the control plane back: to the minor before, behind a gate, and until that ends', () => {
    const plan = planned(healthyFacts(), moved(), 'node-groups', {}, daysAgo(2));
    expect(plan.steps.map(({ id }) => id)).toEqual(['node-groups@1.33', 'validation@1.33']);
    expect(plan.steps[0]).toMatchObject({
      gate: { title: 'Replace the 3 nodes of system by 1.32?', reason: true },
      params: { to: '1.32', back: true, groups: [{ name: 'system', from: '1.33', count: 3 }] },
    });
    expect(undoOptions(healthyFacts(), { run: moved(), back: daysAgo(2) }, policy())).toMatchObject([
      { step: 'node-groups', possible: true, cost: '3 nodes replaced once more', until: expect.stringContaining('2026-09-13') },
    ]);
  });

  const [system] = healthyFacts().nodeGroups;
  if (system === undefined) throw new Error('these facts have a node group');
  const BY_HAND = 'Make a new node group of 1.32 with the same labels and taints, drain this one, and delete it when its pods have moved.';

  test.each<{ what: string; facts?: Partial<ClusterFacts>; back: WayBack | undefined; says: string }>([
    {
      what: 'the window is over',
      back: daysAgo(8),
      says: `RBK109 EKS takes node groups to an older minor only while it takes the control plane back there, and it does not take 1.33 back to 1.32 now. ${BY_HAND}`,
    },
    {
      what: 'unknown is no pass',
      back: undefined,
      says: 'RBK109 Whether EKS takes node group system back to 1.32 could not be read. Allow eks:ListUpdates and eks:DescribeUpdate, then ask again.',
    },
    {
      what: 'an image of its own',
      facts: { nodeGroups: [{ ...system, amiType: 'CUSTOM' }] },
      back: daysAgo(2),
      says: 'RBK109 Node group system runs an image of your own, which its launch template names. Put the image of 1.32 into the launch template, and update the group to that version of it.',
    },
    {
      what: 'gone',
      facts: { nodeGroups: [] },
      back: daysAgo(2),
      says: `RBK104 Node group system is not there any more, or could not be read. ${BY_HAND}`,
    },
    {
      what: 'there already',
      facts: { nodeGroups: [{ ...system, version: '1.32' }], kubelets: [{ minor: '1.32', count: 3, owner: 'node-group' as const }] },
      back: daysAgo(2),
      says: 'RBK103 Every node group that the run of 2026-09-01 08:00 UTC moved is at its minor before. There is nothing to do.',
    },
  ])('refused: $what', ({ facts, back, says }) => {
    expect(refused(healthyFacts(facts), moved(), 'node-groups', back)).toEqual([says]);
  });
});

describe('which steps', () => {
  test('an unknown one: those that can be undone now are named', () => {
    const of = run(bridge(COREDNS), karpenterTo('1.6.8', '1.8.2'));
    expect(refused(healthyFacts(), of, 'control-plane')).toEqual([
      'RBK101 "control-plane" is no step that Belay undoes by itself. Of the run of 2026-09-01 08:00 UTC these can be undone now: add-ons, karpenter-controller.',
    ]);
    expect(refused(healthyFacts(), of, 'add-ons-bridge@1.33')).toEqual(['planned']);
    expect(refused(healthyFacts(), run(karpenterTo('1.0.14', '1.8.2')), 'bake')).toEqual([
      'RBK101 "bake" is no step that Belay undoes by itself. Nothing that the run of 2026-09-01 08:00 UTC has done can be undone now.',
    ]);
  });

  test('without a record there is nothing to go by', () => {
    expect(refused(healthyFacts(), undefined, 'add-ons')[0]).toContain('RBK101 There is no record of a run that has changed prod.');
  });

  test('the list: what can be undone, for how long and at what cost, and why not the rest', () => {
    const options = undoOptions(healthyFacts(), { run: run(bridge(COREDNS), karpenterTo('1.0.14', '1.8.2')) }, policy());
    expect(options).toMatchObject([
      { step: 'add-ons', possible: true, until: 'EKS offers these versions for 1.33', expectedMs: 120_000, why: [] },
      { step: 'karpenter-controller', possible: false, why: [expect.stringContaining('left that for good')] },
    ]);
    expect(undoOptions(healthyFacts(), { run: run(target(PROXY)) }, policy()).map((option) => option.step)).toEqual(['add-ons']);
  });
});

describe('the last run', () => {
  function record(runId: string, ids: StepId[], begun: StepId[], kind?: UpgradePlan['kind']): RecordedRun {
    const steps = ids.map((id) => step(phaseOf(id) ?? 'bake', { id }));
    const views = steps.map(({ id, title }) => ({
      id,
      title,
      expectedMs: 1,
      state: 'completed' as const,
      ...(begun.includes(id) ? { startedAt: STARTED } : {}),
    }));
    return { report: { status: { runId, startedAt: STARTED, steps: views } }, plan: { steps, ...(kind === undefined ? {} : { kind }) } };
  }
  const UP = record('up', ['pre-checks@1.33', 'add-ons-bridge@1.33', 'control-plane@1.33'], ['pre-checks@1.33', 'add-ons-bridge@1.33']);

  test('is the newest that has begun to change something; undoing a step is no such run', () => {
    const undone = record('undo', ['add-ons-back@1.33'], ['add-ons-back@1.33'], 'undo');
    const looked = record('looked', ['pre-checks@1.34', 'control-plane@1.34'], ['pre-checks@1.34']);
    expect(lastRun([undone, looked, UP])).toMatchObject({ runId: 'up', begun: [{ id: 'pre-checks@1.33' }, { id: 'add-ons-bridge@1.33' }] });
    expect(lastRun([undone, looked])).toBeUndefined();
  });

  test('with the way back of its control plane: undone to the state before both', () => {
    const back = record('back', ['rollback-checks@1.32', 'add-ons-back@1.32'], ['rollback-checks@1.32', 'add-ons-back@1.32'], 'back');
    expect(lastRun([back, UP])?.begun.map(({ id }) => id)).toEqual([
      'pre-checks@1.33',
      'add-ons-bridge@1.33',
      'rollback-checks@1.32',
      'add-ons-back@1.32',
    ]);
  });
});
