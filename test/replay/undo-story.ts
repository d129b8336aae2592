/** Runs that are taken back: single steps of a run that was stopped halfway, and a way back on Auto Mode that an abort cancels. For the recording. */
import type { PhaseId } from '../../domain/core/phases.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import { abortUpgrade } from '../../workflows/contract/messages.ts';
import { count, fakeActivities, quickPolicy, untilCancelled, withChange } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { approveAll, SAM, withUpgrade } from '../support/upgrade.ts';
import { choosing, type Story } from './story.ts';

const GATE = { next: 'Goes back.', why: 'It can.', reason: true as const };

function undoPlan(undone: string, phases: PhaseId[], change: (phase: PhaseId) => Partial<PlannedStep>): UpgradePlan {
  const steps = plan(phases, ({ phase }) => step(phase, { gate: undefined, ...change(phase) }));
  return { ...steps, kind: 'undo', undoes: { step: undone, runId: 'before', startedAt: '2025-04-29T08:00:00Z' }, from: '1.32' };
}

/** Of the groups one had moved when people stopped the run; EKS fails to take it back at the first try. */
export function nodeGroupsUndone(): Story {
  const undo = undoPlan('node-groups', ['node-groups', 'validation'], (phase) =>
    phase === 'node-groups'
      ? { gate: GATE, params: { phase, to: '1.31', groups: [{ name: 'batch', from: '1.32', count: 3 }], managedBy: 'eks' } }
      : {},
  );
  const fake = fakeActivities({ plan: undo, policy: quickPolicy({ channel: 'C0UPGRADES' }) });
  let tries = 0;
  const activities = withChange(fake, {
    awaitUpdate: async (input) =>
      (tries += 1) === 1
        ? { status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: 'a budget allows none', resourceIds: ['ip-10-0-1-1'] }] }
        : fake.activities.awaitUpdate(input),
  });
  return (env) =>
    withUpgrade(
      env,
      activities,
      async (run) => {
        await run.finish(choosing({ 'failed:node-groups@1.32#1': 'retry' }));
        return run.workflowId;
      },
      { back: true, undo: 'node-groups' },
    );
}

/** Frozen for its own sake, by Flux, and the freeze lifted at the end. */
export function karpenterUndone(): Story {
  const place = { namespace: 'kube-system', deployment: 'karpenter', managedBy: 'flux' as const };
  const chart = { chart: 'karpenter', kind: 'HelmRelease' as const, namespace: 'flux-system', name: 'karpenter', version: '1.2.3' };
  const delivery = { kind: 'gitops' as const, charts: [chart] };
  const undo = undoPlan('karpenter-controller', ['freeze-drift', 'karpenter-controller', 'validation'], (phase) => {
    if (phase === 'freeze-drift') return { gate: GATE };
    if (phase !== 'karpenter-controller') return {};
    return { params: { phase, from: '1.2.3', to: '1.1.10', minimum: '1.1.10', ...place, delivery, back: true } };
  });
  const fake = fakeActivities({ plan: undo, policy: quickPolicy({ channel: 'C0UPGRADES' }) });
  return (env) =>
    withUpgrade(
      env,
      fake.activities,
      async (run) => {
        await run.finish();
        return run.workflowId;
      },
      { back: true, undo: 'karpenter-controller' },
    );
}

/** EKS still takes nodes back when people abort: the update is cancelled, and followed until it is. */
export function autoModeBackCancelled(): Story {
  const autoMode = { nodeCount: 4, timeoutMinutes: 720 };
  const steps = plan(['rollback-checks', 'control-plane-back', 'validation'], ({ phase }) =>
    step(phase, phase === 'control-plane-back' ? { params: { phase, from: '1.33', to: '1.32', managedBy: 'eks', autoMode } } : {}),
  );
  const fake = fakeActivities({ plan: { ...steps, kind: 'back', from: '1.33' }, policy: quickPolicy({ channel: 'C0UPGRADES' }) });
  let looks = 0;
  const activities = withChange(fake, {
    watchNodesBack: async () => ((looks += 1) === 1 ? { kind: 'progress', leftCount: 3 } : untilCancelled()),
    awaitUpdate: async () => ({ status: 'Cancelled', errors: [] }),
    readSkew: async () => ({ controlPlane: '1.33', updating: false, nodes: { '1.32': 1, '1.33': 3 } }),
  });
  return (env) =>
    withUpgrade(
      env,
      activities,
      async (run) => {
        await run.until(() => count(fake.world, 'watchNodesBack') > 1, approveAll);
        await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'we stay' }] });
        await run.finish();
        return run.workflowId;
      },
      { back: true },
    );
}
