/** A way back as a run: its gates, what is asked once more before the control plane moves, and what is never sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Finding } from '../../../domain/core/findings.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import { rollbackWindowId } from '../../../workflows/contract/ids.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, type Decider, untilFailed, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const PHASES: PhaseId[] = ['rollback-checks', 'node-groups', 'add-ons-back', 'control-plane-back', 'validation'];
const NEWER: Finding = {
  code: 'RBK005',
  title: 'No node is newer than 1.32',
  severity: 'required',
  status: 'fail',
  message: '1 karpenter node runs a kubelet newer than 1.32.',
  resources: [],
  resourceCount: 0,
};

/** Node groups go down. */
function backPlan(change: (phase: PhaseId) => Partial<UpgradePlan['steps'][number]> = () => ({})): UpgradePlan {
  const steps = plan(PHASES, (s) => {
    const params = s.params.phase === 'node-groups' ? { params: { ...s.params, back: true as const } } : {};
    return step(s.phase, { ...params, ...change(s.phase) });
  });
  return { ...steps, kind: 'back', from: '1.33' };
}

describe('a way back', () => {
  test('nodes, add-ons, control plane; each is sent as going back, and nothing twice', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        const report = await run.finish();
        expect(report).toMatchObject({ outcome: 'completed', status: { headline: 'prod is at 1.32' } });
        const { world } = fake;
        expect(world.audit.find(({ kind }) => kind === 'start')?.what).toBe('Rollback of prod to 1.32 was asked for');
        expect(count(world, 'makePlan')).toBe(0);
        expect(inputs(world, 'startNodeGroupUpdate')).toMatchObject([{ to: '1.32', back: true }]);
        expect(inputs(world, 'startControlPlaneUpdate')).toMatchObject([{ to: '1.32', back: true }]);
        expect(inputs(world, 'validateCluster')).toHaveLength(1);
        // What later steps bring in order stands in nobody's way at first, and in everybody's at the end.
        expect(inputs(world, 'checkWayBack')).toMatchObject([{ later: expect.arrayContaining(['node-groups@1.32']) }, { later: [] }]);
        const order = world.calls.map(({ name }) => name).filter((name) => name.startsWith('start'));
        expect(order).toEqual(['startNodeGroupUpdate', 'startAddOnUpdate', 'startControlPlaneUpdate']);
      },
      { back: true },
    );
  });

  test('A28: a node that has become newer meanwhile stops the control plane; people may retry, and not skip', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    let looks = 0;
    const activities = withChange(fake, {
      checkWayBack: async (input) => {
        looks += 1;
        return looks === 2 ? { findings: [NEWER], passedCount: 7 } : fake.activities.checkWayBack(input);
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const stopped = await untilFailed(run, 'control-plane-back@1.32');
        const gate = stopped.gates[0];
        expect(gate?.choices).toEqual(['retry', 'abort']);
        expect(stopped.headline).toContain('1 karpenter node runs a kubelet newer than 1.32.');
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
        await run.decide(gate?.id ?? '', 'retry');
        expect((await run.finish()).outcome).toBe('completed');
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(1);
      },
      { back: true },
    );
  });

  test('what could not be checked is for people to accept right before the control plane moves, each once', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    const unseen = (what: string): Finding => ({ ...NEWER, status: 'unknown', message: `Could not read ${what}: needs list.` });
    const answers = [[], [unseen('the add-ons')], [unseen('the add-ons'), unseen('the EC2NodeClasses')]];
    const activities = withChange(fake, {
      checkWayBack: async () => ({ findings: answers.shift() ?? [unseen('the add-ons')], passedCount: 7 }),
    });
    const gate = (n: number): string => `change:control-plane-back@1.32/unknown#${n}`;
    const isOpen = (id: string) => (status: { gates: { id: string }[] }) => status.gates.some((each) => each.id === id);
    const butUnknown: Decider = (open, seen) => (open.id.startsWith('change:') ? undefined : approveAll(open, seen));
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const first = await run.until(isOpen(gate(1)), butUnknown);
        expect(first.gates[0]).toMatchObject({
          title: 'Roll the control plane back to 1.32 although 1 condition could not be checked?',
          choices: ['go-anyway', 'look-again', 'abort'],
        });
        await run.decide(gate(1), 'look-again');
        const second = await run.until(isOpen(gate(2)), butUnknown);
        expect(second.gates[0]?.title).toBe('Roll the control plane back to 1.32 although 2 conditions could not be checked?');
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
        expect((await run.decide(gate(2), 'go-anyway', { reason: '' }).catch(() => undefined))?.accepted).not.toBe(true);
        await run.decide(gate(2), 'go-anyway', { reason: 'looked myself' });
        expect((await run.finish()).outcome).toBe('completed');
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(1);
      },
      { back: true },
    );
  });

  test('an abort at that gate ends the run, and nothing was sent', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    let looks = 0;
    const activities = withChange(fake, {
      checkWayBack: async (input) => {
        looks += 1;
        return looks === 1 ? fake.activities.checkWayBack(input) : { findings: [{ ...NEWER, status: 'unknown' }], passedCount: 7 };
      },
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const report = await run.finish((gate, seen) => (gate.id.startsWith('change:') ? 'abort' : approveAll(gate, seen)));
        expect(report).toMatchObject({ outcome: 'aborted' });
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
      },
      { back: true },
    );
  });

  test('neither a window nor a change freeze holds it: it is asked for when something is wrong', async () => {
    const fake = fakeActivities({ plan: backPlan(), policy: quickPolicy({ windows: DEFAULT_WINDOWS }) });
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        const sent = ['startNodeGroupUpdate', 'startAddOnUpdate', 'startControlPlaneUpdate'] as const;
        for (const name of sent) {
          expect(inputs(fake.world, name)).toHaveLength(1);
          expect(inputs(fake.world, name)[0]).not.toHaveProperty('protect.exclusion');
        }
        expect(count(fake.world, 'judgeWindow')).toBe(0);
      },
      { back: true },
    );
  });

  test('the first gate wants a reason, whatever belay.yaml says', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        const gate = 'before:rollback-checks@1.32#1';
        await run.until(({ gates }) => gates.length > 0);
        await expect(run.decide(gate, 'approve', { reason: '' })).rejects.toThrow();
        expect((await run.decide(gate, 'approve', { reason: 'latency doubled' })).accepted).toBe(true);
        await run.finish();
      },
      { back: true },
    );
  });

  test('Terraform is asked for the older version, warned, and its update adopted', async () => {
    const terraform = backPlan((phase) =>
      phase === 'control-plane-back' ? { params: { phase, from: '1.33', to: '1.32', managedBy: 'terraform' } } : {},
    );
    const fake = fakeActivities({ plan: terraform, policy: quickPolicy({ channel: 'C0UPGRADES' }) });
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
        expect(inputs(fake.world, 'awaitForeignUpdate')).toMatchObject([{ to: '1.32' }]);
        expect(JSON.stringify(fake.world.published)).toContain('Hold every other apply of this cluster until then');
      },
      { back: true },
    );
  });

  test('groups of one’s own: looked at, refreshed and waited for as going back', async () => {
    const params = {
      phase: 'other-nodes' as const,
      to: '1.32',
      back: true as const,
      selfManaged: { nodeCount: 2, groups: [{ name: 'batch', size: 2 }], refresh: { minHealthyPercent: 100 } },
    };
    const steps = plan(['rollback-checks', 'other-nodes', 'control-plane-back'], (s) =>
      s.phase === 'other-nodes' ? step(s.phase, { params }) : s,
    );
    const fake = fakeActivities({ plan: { ...steps, kind: 'back', from: '1.33' } });
    await withUpgrade(
      env,
      fake.activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        const { world } = fake;
        expect(inputs(world, 'examineGroup')).toMatchObject([{ group: 'batch', to: '1.32', back: true }]);
        expect(inputs(world, 'awaitSelfManaged')).toMatchObject([{ to: '1.32', back: true }]);
        const order = world.calls.map(({ name }) => name).filter((name) => /^start(?:Instance|Control)/.test(name));
        expect(order).toEqual(['startInstanceRefresh', 'startControlPlaneUpdate']);
      },
      { back: true },
    );
  });

  test('a refused plan ends the run and starts nothing', async () => {
    const fake = fakeActivities({ plan: backPlan() });
    const activities = withChange(fake, {
      planRollback: async () => ({
        kind: 'refused',
        violations: [{ rule: 'RBK001', message: 'The seven days are over.', remedy: 'Build another.' }],
      }),
    });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const report = await run.finish(approveAll);
        expect(report.outcome).toBe('refused');
        expect(fake.world.calls.filter(({ name }) => name.startsWith('start'))).toEqual([]);
        await expect(env.client.workflow.getHandle(rollbackWindowId(run.workflowId)).describe()).rejects.toThrow();
      },
      { back: true },
    );
  });
});
