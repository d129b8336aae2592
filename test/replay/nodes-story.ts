/** What a run may have to do around nodes besides replacing them: AMIs, node classes, autoscaler, istiod, Auto Scaling groups, a canary. For the recording. */
import type { MigrationLook } from '../../activities/contract/karpenter-migration.ts';
import type { NodeClassSwitch } from '../../domain/facts/facts.ts';
import type { AmiMove } from '../../domain/plan/model/changes.ts';
import type { MigrationStepId } from '../../domain/plan/migration/checklist.ts';
import { withEffects } from '../../domain/run/side-effects/envelope.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { approveAll } from '../support/upgrade.ts';
import { choosing, type Story, told } from './story.ts';

const MOVE: AmiMove = {
  nodeClass: 'pinned',
  nodePools: ['default'],
  before: 'al2023@v20240101',
  terms: [{ alias: 'al2023@v20250403' }],
  why: 'al2023@v20240101 has no image for 1.32',
};
const SWITCHES: NodeClassSwitch[] = [
  { nodePool: 'default', from: 'al2', to: 'bottlerocket' },
  { nodePool: 'batch', from: 'al2', to: 'bottlerocket', owner: 'argocd' },
];
const OPEN = { nodeClass: 'pinned', chooses: 'al2023@latest', status: 'unknown' as const, why: 'staging cannot be read' };

/** A release is promoted at the second look; new nodes do not come up, the AMIs are put back, and a retry moves them for good. */
export function amisMoved(): Story {
  const drift = step('karpenter-drift');
  const params = { ...drift.params, moves: [MOVE], follows: [{ nodeClass: 'pinned', nodePools: ['default'] }], unpromoted: [OPEN] };
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'karpenter-drift'], (each) => (each.phase === 'karpenter-drift' ? { ...drift, params } : each)),
  });
  let [looks, isIll] = [0, true];
  return told(
    fake,
    {
      readPromotion: async () =>
        (looks += 1) === 1
          ? { moves: [], unpromoted: [OPEN] }
          : { moves: [{ ...MOVE, terms: [{ alias: 'al2023@v20250601' }] }], unpromoted: [] },
      watchDrift: async () => {
        if (!isIll) return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
        isIll = false;
        return { kind: 'unhealthy', why: 'NodePool default: new nodes do not register', replacedCount: 1, remainingCount: 2 };
      },
    },
    (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('promote:')) return gate.id.endsWith('#1') ? 'look-again' : 'promote';
        return choosing({ 'amis:karpenter-drift@1.32#1': 'put-back', 'failed:karpenter-drift@1.32#1': 'retry' })(gate, 0);
      }),
  );
}

/** One NodePool is switched, another is asked for; `rejected`: nothing has moved yet, and both go back. */
export function classesSwitched(rejected: boolean): Story {
  const freeze = step('freeze-drift');
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'control-plane', 'karpenter-drift'], (each) =>
      each.phase === 'freeze-drift' ? { ...freeze, params: { ...freeze.params, switches: SWITCHES } } : each,
    ),
  });
  return told(fake, {}, (run) => run.finish(rejected ? choosing({ 'before:control-plane@1.32#1': 'reject' }) : approveAll));
}

/** Logs are turned on, the autoscaler stands still, a lone istiod gets company: all of it around node groups. */
export function besideNodeGroups(): Story {
  const fake = fakeActivities({
    plan: plan(['control-plane-logging', 'node-groups'], (each) =>
      each.params.phase === 'node-groups'
        ? step('node-groups', {
            params: {
              ...each.params,
              autoscaler: { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 },
              spareIstiod: true,
            },
          })
        : each,
    ),
  });
  let calls = 0;
  return told(
    fake,
    {
      startLogging: async () =>
        (calls += 1) === 1 ? { updateId: 'u-log', adopted: false, alreadyThere: false } : { adopted: false, alreadyThere: true },
      findLoneIstiods: async () => ({
        lone: [{ namespace: 'istio-system', deployment: 'istiod', budget: 'istiod', autoscaler: 'istiod' }],
      }),
    },
    (run) => run.finish(),
  );
}

/** Self-managed nodes by an instance refresh that people stop. */
export function refreshStopped(): Story {
  const groups = [{ name: 'batch', size: 2 }];
  const params = {
    phase: 'other-nodes' as const,
    to: '1.32',
    selfManaged: { nodeCount: 2, groups, refresh: { minHealthyPercent: 100 } },
  };
  const fake = fakeActivities({ plan: plan(['other-nodes'], () => step('other-nodes', { params })) });
  let stopped = (): void => undefined;
  const pressed = new Promise<void>((resolve) => (stopped = resolve));
  return told(
    fake,
    {
      watchInstanceRefresh: async () => {
        await pressed;
        return { kind: 'ended', status: 'Cancelled', why: 'by customer' };
      },
      stopInstanceRefresh: async () => stopped(),
    },
    (run) => run.finish(choosing({ 'blocked:other-nodes@1.32/batch#1': 'stop' })),
  );
}

/** Karpenter's new controller launches a node before anything depends on it; the first does not come. */
export function canaryNodeTried(): Story {
  const fake = fakeActivities({
    plan: plan(['karpenter-controller'], (each) =>
      each.params.phase === 'karpenter-controller'
        ? { ...each, params: { ...each.params, delivery: { kind: 'helm' }, managedBy: 'helm', canaryPool: 'default' } }
        : each,
    ),
  });
  let tries = 0;
  return told(
    fake,
    {
      tryCanaryNode: async () =>
        (tries += 1) === 1 ? { kind: 'failed', why: 'Launched is False (Unauthorized)' } : { kind: 'ready', node: 'ip-10-0-16-99' },
    },
    (run) => run.finish(choosing({ 'failed:karpenter-controller@1.32#1': 'retry' })),
  );
}

/** Something else than the add-on's version has changed; it is put back by people, and looked at again. */
export function somethingElseChanged(): Story {
  const fake = fakeActivities({ plan: plan(['add-ons-target', 'validation']) });
  let looks = 0;
  return told(
    fake,
    {
      startAddOnUpdate: async () => ({ updateId: 'u-1', adopted: false, alreadyThere: false, before: { addonVersion: 'v1' } }),
      awaitUpdate: async () => {
        const outcome = { status: 'Successful' as const, errors: [] };
        return (looks += 1) === 1 ? withRoleGone(outcome) : outcome;
      },
    },
    (run) => run.finish((gate) => (gate.id.startsWith('unexpected-change:') ? 'look-again' : approveAll(gate, 0))),
  );
}

const withRoleGone = <T>(outcome: T): T =>
  withEffects(outcome, [
    {
      resource: { eks: 'add-on', cluster: 'prod', name: 'kube-proxy' },
      during: 'the update of add-on kube-proxy',
      differences: [
        { path: 'serviceAccountRoleArn', pointer: '/serviceAccountRoleArn', before: '"role/a"', putBack: 'aws eks update-addon' },
      ],
      moreCount: 0,
    },
  ]) as T;

/** The taint comes off Provisioners whose nodes do not move in time. */
export function provisionersUntainted(): Story {
  const ids: MigrationStepId[] = ['patch', 'definitions', 'controller', 'manifests', 'nodes', 'old-objects', 'beyond'];
  const look = (controller: string, open: MigrationStepId[]): MigrationLook => ({
    controller,
    steps: ids.map((id) => ({ id, title: id, state: open.includes(id) ? 'open' : 'done', seen: 'seen' })),
    delivered: [],
    workloads: [],
    questions: [],
    unknowns: [],
    claimCount: 0,
    driftedCount: 0,
    incomplete: [],
  });
  const fake = fakeActivities({
    plan: plan(['karpenter-migration'], (each) =>
      each.params.phase === 'karpenter-migration'
        ? { ...each, params: { ...each.params, from: '0.30.0', legs: ['v1beta1'], moveNodes: 'ask', nodeCount: 2 } }
        : each,
    ),
  });
  const looks = [look('0.30.0', ids)];
  return told(
    fake,
    {
      readKarpenterMigration: async () => looks.shift() ?? look('0.32.10', ['manifests', 'nodes', 'old-objects', 'beyond']),
      awaitKarpenterMigration: async ({ until }) => ({ timedOut: until === 'nodes', state: 'open', seen: '2 Machines' }),
      untaintProvisioners: async () => ({ untainted: ['default'] }),
    },
    (run) =>
      run.finish((gate) =>
        gate.id.startsWith('change:karpenter-migration@1.32/nodes')
          ? 'drift'
          : gate.id.startsWith('failed:')
            ? 'abort'
            : approveAll(gate, 0),
      ),
  );
}
