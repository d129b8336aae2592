/** What is recorded for replay: stories that between them run every workflow on its main path and where people or the world stop it. */
import { ALL_EVENTS, MAIL_EVENTS } from '../../domain/policy/deliveries.ts';
import { clockToldElsewhere, keptToldElsewhere } from './elsewhere-story.ts';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { randomUUID } from 'node:crypto';
import { PHASES } from '../../domain/core/phases.ts';
import { decisionId } from '../../workflows/contract/ids.ts';
import {
  abortUpgrade,
  gateDecision,
  pauseUpgrade,
  resumeUpgrade,
  type UpgradeInput,
  WORKFLOWS,
} from '../../workflows/contract/messages.ts';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities, quickPolicy, sleepBeating, withChange } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { startWorker } from '../support/temporal.ts';
import { ALEX, approveAll, type RunningUpgrade, SAM, withUpgrade } from '../support/upgrade.ts';
import { audited, refusedAtTheDoor } from './audit-story.ts';
import { clockToTheEnd, goneBack, karpenterGoneBack, othersGoneBack, watchedUp } from './back-story.ts';
import { clockOfTakenBack, takenBack } from './descent-story.ts';
import { bakeEndedEarly, endedToGoBack, waveBakesEndedEarly } from './bake-story.ts';
import { checks, forecasts, glances, requestTaken, undoListed } from './check-story.ts';
import { campaignPlanned, campaignRun, ringRollbackPlanned, ringRolledBack } from './campaign-story.ts';
import { campaignsProposed } from './proposals-story.ts';
import { forcedAndOverwritten, reconciled } from './failure-story.ts';
import { istioByFlux, istioByHelm, istioKeptInGit, istioRolledByHand } from './istio-story.ts';
import { migratedKarpenter } from './migration-story.ts';
import {
  amisMoved,
  besideNodeGroups,
  canaryNodeTried,
  classesSwitched,
  provisionersUntainted,
  refreshStopped,
  somethingElseChanged,
} from './nodes-story.ts';
import { steeredByPeople } from './people-story.ts';
import { steeredBySignals, takenOver } from './signal-story.ts';
import { choosing, type Story, told } from './story.ts';
import { stateWatched, watched } from './health-story.ts';
import { autoModeBackCancelled, karpenterUndone, nodeGroupsUndone } from './undo-story.ts';
import { inItsNetwork } from './networks-story.ts';
import { parked } from './windows-story.ts';

/** Ends a kept freeze, so that the guard's history has an end too. */
async function thenChoose(env: TestWorkflowEnvironment, run: RunningUpgrade, choice: string): Promise<void> {
  await run.decide('kept:freeze-drift@1.32#1', choice, { reason: 'the app team needs a week' });
  await env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`).result();
}

function keptAfter(stop: (run: RunningUpgrade) => Promise<unknown>, choice: string): Story {
  return (env) => {
    const fake = fakeActivities();
    const activities = withChange(fake, {
      awaitUpdate: async (input) => {
        await sleepBeating(1500);
        return fake.activities.awaitUpdate(input);
      },
    });
    return withUpgrade(env, activities, async (run) => {
      await run.until(
        (s) => s.steps.some(({ id, note }) => id === 'control-plane@1.32' && note?.startsWith('EKS update') === true),
        approveAll,
      );
      await stop(run);
      await run.handle.result().catch(() => undefined);
      await thenChoose(env, run, choice);
      return run.workflowId;
    });
  };
}

function failing(): Story {
  let checks = 0;
  let updates = 0;
  const fake = fakeActivities({ plan: plan(['pre-checks', 'control-plane', 'validation']) });
  return told(
    fake,
    {
      runPreChecks: async () => {
        checks += 1;
        return {
          findings: [
            {
              code: 'EKS001',
              title: 'Cluster is ACTIVE',
              severity: 'required',
              status: 'unknown',
              message: 'denied',
              resources: [],
              resourceCount: 0,
            },
          ],
          passedCount: checks,
        };
      },
      startControlPlaneUpdate: async () => {
        updates += 1;
        return { updateId: `u-${updates}`, adopted: false, alreadyThere: false };
      },
      awaitUpdate: async ({ updateId, to }) => {
        if (updateId === 'u-1')
          return { status: 'Failed', errors: [{ code: 'IpNotAvailable', message: 'no free IPs', resourceIds: ['subnet-1'] }] };
        fake.world.controlPlane = to;
        return { status: 'Successful', errors: [] };
      },
    },
    (run) => run.finish(choosing({ 'failed:pre-checks@1.32#1': 'retry', 'failed:pre-checks@1.32#2': 'skip' })),
  );
}

function blockedNodes(): Story {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
  const left = ['ip-10-0-1-1', 'ip-10-0-1-2', 'ip-10-0-1-3', 'ip-10-0-1-4'];
  const choices = ['wait', 'scale', 'delete-pod', 'skip-node'];
  let decided = 0;
  const moveOn = <T>(done: Promise<T>): Promise<T> => done.finally(() => (decided += 1));
  return told(
    fake,
    {
      watchDrift: async ({ watchMs, asked = [] }) => {
        if (watchMs !== undefined) return { kind: 'pace-elapsed', replacedCount: 1, remainingCount: 5 };
        // The next node is held once somebody has decided about the one before.
        while (asked.includes(left[decided] ?? '')) await sleepBeating(50);
        const node = left[decided];
        if (node === undefined) {
          fake.world.nodes = { '1.32': 5 };
          return { kind: 'done', replacedCount: 5, remainingCount: 0, skippedCount: 1 };
        }
        return {
          kind: 'blocked',
          node: {
            node,
            nodePool: 'default',
            pod: { namespace: 'shop', name: 'cart-0', uid: 'c0ffee', controller: { kind: 'ReplicaSet', name: 'cart-6d4f' } },
            pdb: { namespace: 'shop', name: 'cart' },
            workload: { kind: 'Deployment', namespace: 'shop', name: 'cart', replicas: 1 },
            reason: 'pod shop/cart-0 cannot be evicted',
            sinceMs: 600_000,
          },
          replacedCount: 1,
          remainingCount: left.length - decided,
        };
      },
      scaleByOne: (input) => moveOn(fake.activities.scaleByOne(input)),
      deletePod: (input) => moveOn(fake.activities.deletePod(input)),
      holdNode: (input) => moveOn(fake.activities.holdNode(input)),
    },
    (run) =>
      run.finish((gate) => {
        if (!gate.id.startsWith('blocked')) return approveAll(gate, 0);
        // By the node that is held now: a gate that another one replaces meanwhile is answered again.
        const choice = choices[decided];
        // What else is chosen is done by an activity: that moves on to the next node.
        if (choice === 'wait') setTimeout(() => (decided = Math.max(decided, 1)), 300);
        return choice;
      }),
  );
}

function byTerraform(): Story {
  const terraform = { managedBy: 'terraform' } as const;
  const phases = plan(['control-plane-logging', 'control-plane', 'node-groups', 'add-ons-target'], (s) => {
    switch (s.params.phase) {
      case 'control-plane-logging':
        return step('control-plane-logging', { params: { ...s.params, ...terraform } });
      case 'control-plane':
        return step('control-plane', { params: { ...s.params, ...terraform } });
      case 'node-groups':
        return step('node-groups', { params: { ...s.params, ...terraform } });
      case 'add-ons-target':
        return step('add-ons-target', { params: { ...s.params, ...terraform } });
      default:
        return s;
    }
  });
  return told(fakeActivities({ plan: phases }), {}, (run) => run.finish());
}

function steered(): Story {
  const gate = 'before:pre-checks@1.32#1';
  return told(fakeActivities({ plan: plan(['pre-checks', 'validation']) }), {}, async (run) => {
    await run.until((s) => s.gates.length > 0);
    await run.decide(gate, 'approve', { actor: { kind: 'slack', id: 'U0EVE', name: 'Eve' } });
    await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] });
    const revision = (await run.status()).gates[0]?.revision ?? 1;
    await run.handle.signal(gateDecision, {
      gateId: gate,
      decisionId: decisionId(gate, SAM.id, 'approve', revision),
      actor: SAM,
      choice: 'approve',
    });
    await run.until((s) => s.state === 'paused');
    await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
    await run.finish();
  });
}

/** With a set whose pods only a deletion moves, there and back. */
function waveMovedBack(): Story {
  const fake = fakeActivities({ plan: plan(['istio']) });
  const byHand = { sets: [{ kind: 'StatefulSet' as const, namespace: 'web', name: 'sessions' }], pods: [] };
  const moveNamespaces: BelayActivities['moveNamespaces'] = async (input) => ({
    ...(await fake.activities.moveNamespaces(input)),
    ...(input.namespaces.includes('web') ? { byHand } : {}),
  });
  const pods = (round: number): string => `wave:istio@1.32/1-28.2.pods#${round}`;
  return told(fake, { moveNamespaces }, (run) =>
    run.finish(
      choosing({
        [pods(1)]: 'roll',
        'wave:istio@1.32/1-28.2#1': 'reject',
        'failed:istio@1.32#1': 'retry',
        [pods(101)]: 'roll',
        'retire:istio@1.32/1-26#101': 'keep-both',
      }),
    ),
  );
}

function frozenAgain(): Story {
  let reverted = false;
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'bake', 'karpenter-drift'], (s) =>
      s.params.phase === 'bake' ? { ...s, params: { ...s.params, bakeMs: 2000 } } : s,
    ),
  });
  return told(
    fake,
    {
      watchFreeze: async (input) => {
        if (reverted) return fake.activities.watchFreeze(input);
        reverted = true;
        return { intact: false, reverted: ['default'], pools: ['default'] };
      },
    },
    (run) => run.finish(),
  );
}

/** Earlier upgrades say what is usual: one step is late twice, one waits for people, one is in time. */
function slowerThanUsual(): Story {
  const usual = { minMs: 1, maxMs: 400, count: 3, of: 'cluster' } as const;
  const steps = plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift'], (s) => ({ ...s, expectedMs: 400, usual }));
  const fake = fakeActivities({ plan: steps });
  let [looks, thoughts] = [0, 0];
  // People take longer than the step would.
  const skipped = (): string | undefined => ((thoughts += 1) > 30 ? 'skip-node' : undefined);
  return told(
    fake,
    {
      awaitUpdate: async (input) => {
        await sleepBeating(3_000);
        return fake.activities.awaitUpdate(input);
      },
      watchDrift: async () =>
        (looks += 1) > 1
          ? { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 1 }
          : {
              kind: 'blocked',
              node: { node: 'n-1', nodePool: 'default', reason: 'held', sinceMs: 60_000 },
              replacedCount: 2,
              remainingCount: 1,
            },
    },
    (run) => run.finish((gate) => (gate.id.startsWith('blocked') ? skipped() : approveAll(gate, 0))),
  );
}

/** The end waits a minute for Slack, then hands over what is left. */
function slackAway(): Story {
  return (env) => {
    let away = true;
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    const activities = withChange(fake, {
      publish: async (input) => {
        if (away) throw new Error('Slack cannot be reached');
        return fake.activities.publish(input);
      },
    });
    return withUpgrade(env, activities, async (run) => {
      await run.finish();
      away = false;
      for (let look = 0; look < 100 && !fake.world.published.some(({ key }) => key === 'report'); look += 1)
        await new Promise((resolve) => setTimeout(resolve, 200));
      return run.workflowId;
    });
  };
}

/** A webhook takes a part and loses an answer; a mail is on its way; at the end one is away. */
function toldElsewhere(): Story {
  return (env) => {
    const deliveries = [
      { name: 'ops', kind: 'webhook' as const, events: ALL_EVENTS },
      { name: 'stakeholders', kind: 'email' as const, events: [...MAIL_EVENTS] },
    ];
    const fake = fakeActivities({ plan: plan(['pre-checks', 'control-plane']), policy: quickPolicy({ channel: 'C1', deliveries }) });
    let calls = 0;
    const activities = withChange(fake, {
      deliverEvents: async ({ events }) => {
        if ((calls += 1) === 2) throw new Error('the answer was lost');
        return events.slice(0, 2).map(({ key }) => ({ key, outcome: 'sent' as const }));
      },
    });
    return withUpgrade(env, activities, async (run) => {
      await run.finish(approveAll);
      return run.workflowId;
    });
  };
}

const planOnly: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const workflowId = `eks-plan/111122223333/eu-central-1/prod-${randomUUID().slice(0, 8)}`;
  const worker = await startWorker(env, fakeActivities().activities, taskQueue);
  const args: [UpgradeInput] = [{ cluster: CLUSTER, target: '1.32', requestedBy: ALEX }];
  await worker.runUntil(env.client.workflow.execute(WORKFLOWS.plan, { workflowId, taskQueue, args }));
  return workflowId;
};

export const STORIES: Record<string, Story> = {
  'every-phase': told(fakeActivities({ plan: plan([...PHASES]) }), {}, (run) => run.finish()),
  'plan-only': planOnly,
  'told-elsewhere': toldElsewhere(),
  'kept-told-elsewhere': keptToldElsewhere,
  'clock-told-elsewhere': clockToldElsewhere,
  'readiness-checks': checks,
  'forecasts-made': forecasts,
  audited,
  'parked-for-windows': parked(),
  'in-its-network': inItsNetwork(),
  'watched-and-held': watched(),
  'state-watched': stateWatched(),
  'bake-ended-early': bakeEndedEarly(),
  'wave-bakes-ended-early': waveBakesEndedEarly(),
  'ended-to-go-back': endedToGoBack(),
  'refused-at-the-door': refusedAtTheDoor,
  'steered-by-people': steeredByPeople,
  glances,
  'request-taken': requestTaken,
  'undo-listed': undoListed,
  'campaign-planned': campaignPlanned,
  'campaign-run': campaignRun,
  'campaign-rollback-planned': ringRollbackPlanned,
  'campaign-rolled-back': ringRolledBack,
  'campaigns-proposed': campaignsProposed,
  'plan-refused': told(
    fakeActivities(),
    { makePlan: async () => ({ kind: 'refused', violations: [{ rule: 'r', message: 'm', remedy: 'x' }] }) },
    (run) => run.finish(),
  ),
  'rejected-before-the-control-plane': told(fakeActivities(), {}, (run) =>
    run.finish(choosing({ 'before:control-plane@1.32#1': 'reject' })),
  ),
  expired: told(
    fakeActivities({ policy: quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 2500, gateReminders: [0.24] } }) }),
    {},
    (run) => run.finish((gate) => (gate.id.startsWith('before:control-plane') ? undefined : approveAll(gate, 0))),
  ),
  'aborted-mid-control-plane-lifted': keptAfter(
    (run) => run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'enough' }] }),
    'lift-and-roll',
  ),
  'cancelled-mid-control-plane-amis-held': keptAfter((run) => run.handle.cancel(), 'hold-amis'),
  'failed-retried-skipped': failing(),
  'failed-forced-overwritten': forcedAndOverwritten(),
  reconciled,
  'blocked-nodes': blockedNodes(),
  'by-terraform': byTerraform(),
  'paused-and-refused': steered(),
  'wave-moved-back': waveMovedBack(),
  'freeze-reverted': frozenAgain(),
  'karpenter-migrated': migratedKarpenter(),
  'slack-away': slackAway(),
  'slower-than-usual': slowerThanUsual(),
  'watched-up': watchedUp,
  'rollback-window': clockToTheEnd,
  'taken-back': takenBack,
  'rollback-window-taken-back': clockOfTakenBack,
  'gone-back': goneBack(),
  'karpenter-gone-back': karpenterGoneBack,
  'auto-mode-back-cancelled': autoModeBackCancelled(),
  'node-groups-undone': nodeGroupsUndone(),
  'karpenter-undone': karpenterUndone(),
  'others-gone-back': othersGoneBack,
  'amis-moved': amisMoved(),
  'classes-switched': classesSwitched(false),
  'classes-switched-back': classesSwitched(true),
  'beside-node-groups': besideNodeGroups(),
  'refresh-stopped': refreshStopped(),
  'canary-node-tried': canaryNodeTried(),
  'something-else-changed': somethingElseChanged(),
  'provisioners-untainted': provisionersUntainted(),
  'istio-by-helm': istioByHelm(),
  'istio-by-flux': istioByFlux(),
  'istio-kept-in-git': istioKeptInGit(),
  'istio-rolled-by-hand': istioRolledByHand(),
  'steered-by-signals': steeredBySignals(),
  'taken-over': takenOver,
};
