/** Karpenter's API, migrated step by step: the order, the gates, what is asked for, and that the freeze of the step is lifted on every way out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { MigrationLook } from '../../../../activities/contract/karpenter-migration.ts';
import type { MigrationStepId, StepState } from '../../../../domain/plan/migration/checklist.ts';
import type { Delivery } from '../../../../domain/plan/model/changes.ts';
import { fakeActivities, type FakeWorld, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { type Decider, withUpgrade } from '../../../support/upgrade.ts';
import type { ValueEdit } from '../../../../activities/contract/delivery.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const STEP = 'karpenter-migration@1.32';
const FAILED = `failed:${STEP}#1`;
const TO_V1: MigrationStepId[] = [
  'kubernetes',
  'patch',
  'conversion',
  'iam',
  'definitions',
  'controller',
  'webhooks',
  'manifests',
  'kubelet',
  'stored',
  'beyond',
];

/** What the list says; absent ones are done. */
function look(open: Partial<Record<MigrationStepId, StepState>>, change: Partial<MigrationLook> = {}): MigrationLook {
  return {
    controller: '0.37.1',
    steps: TO_V1.map((id) => ({ id, title: id, state: open[id] ?? (id === 'iam' ? 'unknown' : 'done'), seen: `${id} was seen.` })),
    delivered: [],
    workloads: [],
    questions: [],
    unknowns: [],
    claimCount: 3,
    driftedCount: 1,
    incomplete: [],
    ...change,
  };
}

const AT_START = look({ patch: 'open', conversion: 'open', definitions: 'open', controller: 'open', stored: 'open', beyond: 'open' });
const PATCHED = look({ definitions: 'open', controller: 'open', stored: 'open', beyond: 'open' }, { controller: '0.37.7' });

const CRDS = { kind: 'HelmRelease' as const, namespace: 'flux-system', name: 'crds', chart: 'karpenter-crd', version: '0.37.1' };
const FLUX: Delivery = {
  kind: 'gitops',
  charts: [CRDS, { ...CRDS, name: 'karpenter', chart: 'karpenter', owner: 'Kustomization flux-system/platform' }],
};

function fakeWith(
  change: Partial<BelayActivities>,
  delivery: Delivery | 'nobody' = { kind: 'helm' },
  managedBy: 'helm' | 'flux' | 'terraform' = 'helm',
) {
  const fake = fakeActivities({
    plan: plan(['karpenter-migration'], (step) => {
      if (step.params.phase !== 'karpenter-migration') return step;
      const { delivery: _, ...params } = step.params;
      return { ...step, params: { ...params, managedBy, ...(delivery === 'nobody' ? {} : { delivery }) } };
    }),
  });
  const looks = [AT_START, PATCHED];
  return { world: fake.world, activities: withChange(fake, { readKarpenterMigration: async () => looks.shift() ?? look({}), ...change }) };
}

const MUTATING = [
  'holdForMigration',
  'upgradeKarpenterWithHelm',
  'setDeliveredVersion',
  'removeOldWebhooks',
  'moveKubelets',
  'storeAsV1',
  'releaseMigrationHold',
] as const;
const WAITING = ['awaitKarpenterVersion', 'awaitKarpenterMigration', 'awaitManifests', 'verifyKarpenter'] as const;

/** Changes and waits in their order: "upgradeKarpenterWithHelm karpenter 0.37.7". */
const story = (world: FakeWorld): string[] =>
  world.calls.flatMap(({ name, input }) => {
    if (![...MUTATING, ...WAITING].some((each) => each === name)) return [];
    const said = input as { only?: string; to?: string; until?: string; wanted?: string; chart?: { chart: string } };
    return [[name, said.only ?? said.chart?.chart, said.to ?? said.wanted ?? said.until].filter((part) => part !== undefined).join(' ')];
  });

const notes = (world: FakeWorld): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
function gates(world: FakeWorld): Record<string, { title: string; lines: string[]; undo: string; needsReason?: boolean }> {
  return Object.fromEntries(
    world.published.flatMap(({ notification }) => {
      if (notification.kind !== 'gate') return [];
      const { id, title, evidence, undo, choices } = notification.state.gate;
      return [[id, { title, undo, lines: evidence.flatMap(({ lines }) => lines), needsReason: choices[0]?.needsReason }]];
    }),
  );
}
const approve: Decider = () => 'approve';

describe('v1beta1 → v1 by helm', () => {
  test('the guide’s order: controller before CRDs at the patch, CRDs before controller at 1.0, webhooks on throughout', async () => {
    const { world, activities } = fakeWith({});
    const report = await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(report.outcome).toBe('completed');
    expect(story(world)).toEqual([
      'holdForMigration',
      'upgradeKarpenterWithHelm karpenter 0.37.7',
      'awaitKarpenterVersion 0.37.7',
      'upgradeKarpenterWithHelm karpenter-crd 0.37.7',
      'awaitKarpenterMigration conversion',
      'holdForMigration',
      'upgradeKarpenterWithHelm karpenter-crd 1.0.14',
      'awaitKarpenterMigration definitions',
      'awaitKarpenterMigration conversion',
      'holdForMigration',
      'upgradeKarpenterWithHelm karpenter 1.0.14',
      'awaitKarpenterVersion 1.0.14',
      'awaitKarpenterMigration conversion',
      'removeOldWebhooks',
      'moveKubelets',
      'awaitKarpenterMigration stored',
      'verifyKarpenter',
      'releaseMigrationHold',
    ]);
    const brought = inputs(world, 'upgradeKarpenterWithHelm') as { values: ValueEdit[]; token: string }[];
    const webhook = ['webhook.enabled=true', 'webhook.port=8443'];
    const service = ['webhook.serviceName=karpenter', 'webhook.serviceNamespace=kube-system'];
    expect(brought.map(({ values }) => values.map(({ path, value }) => `${path.join('.')}=${String(value)}`))).toEqual([
      webhook,
      [...webhook, ...service],
      [...webhook, ...service],
      webhook,
    ]);
    expect(new Set(brought.map(({ token }) => token)).size).toBe(4);
    expect(inputs(world, 'verifyKarpenter')).toMatchObject([{ driftedCount: 1 }]);
  });

  test('what people are asked: before anything, and before expiry becomes forceful', async () => {
    const { world, activities } = fakeWith({
      foreseeExpiry: async () => ({ pastCount: 2, soonCount: 1, lines: ['NodePool default (5 nodes, expireAfter 720h): 2 past it'] }),
    });
    await withUpgrade(env, activities, (run) => run.finish(approve));
    const asked = gates(world);
    expect(Object.keys(asked).filter((id) => id.startsWith('change'))).toEqual([`change:${STEP}/begin#1`, `change:${STEP}/v1#1`]);
    expect(asked[`change:${STEP}/begin#1`]).toMatchObject({
      title: 'Migrate Karpenter’s API to v1 (Karpenter 0.37.1 → 1.0.14)?',
      needsReason: undefined,
      lines: expect.arrayContaining([
        '4 of 11 steps done',
        'To do: patch (patch was seen)',
        '3 NodeClaims, 1 drifted: if more are drifted at the end, Belay asks you',
      ]),
    });
    expect(asked[`change:${STEP}/v1#1`]).toMatchObject({
      title: 'Install Karpenter 1.0.14?',
      needsReason: true,
      undo: expect.stringContaining('Rollback only to 0.37.7 (controller first, then its CRDs, webhooks on)'),
      lines: expect.arrayContaining([
        '2 nodes would be drained at once, and 1 more within a day:',
        'NodePool default (5 nodes, expireAfter 720h): 2 past it',
      ]),
    });
  });

  test.each([
    ['yes', 'role k allows it', undefined],
    ['no', 'FAILED role k lacks ec2:CreateTags', true],
    ['unknown', 'UNKNOWN it needs iam:GetRolePolicy', true],
  ] as const)(
    'the role’s policies say %s: the gate before 1.0 says it, and asks for a reason unless they do',
    async (granted, line, reason) => {
      const iam = { granted, lines: [line] };
      const { world, activities } = fakeWith({
        readKarpenterMigration: async () => look({ controller: 'open', definitions: 'open' }, { controller: '0.37.7', iam }),
        foreseeExpiry: async () => ({ pastCount: 0, soonCount: 0, lines: [], iam }),
      });
      await withUpgrade(env, activities, (run) => run.finish(approve));
      const asked = gates(world);
      expect(asked[`change:${STEP}/v1#1`]).toMatchObject({ needsReason: reason, lines: expect.arrayContaining([line]) });
      expect(asked[`change:${STEP}/begin#1`]?.lines).toContain(line);
      const blind = asked[`change:${STEP}/begin#1`]?.lines.some((each) => each.startsWith('UNKNOWN 1.0 needs its own IAM policy'));
      expect(blind).toBe(granted === 'unknown');
    },
  );

  test('done already: said, and nobody is asked', async () => {
    const { world, activities } = fakeWith({ readKarpenterMigration: async () => look({ beyond: 'open' }, { controller: '1.0.14' }) });
    await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(story(world)).toEqual([]);
    expect(notes(world)).toContain('Karpenter: its objects already use v1.');
  });

  test('where budgets would be put back, or are none, nodes are held: said once for each means', async () => {
    const means = [
      { byBudget: [], byNode: ['default'] },
      { byBudget: ['default'], byNode: [] },
    ];
    const { world, activities } = fakeWith({ holdForMigration: async () => means.shift() ?? { byBudget: ['default'], byNode: [] } });
    await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(notes(world).filter((text) => text.includes('frozen'))).toEqual([
      'Karpenter: drift is frozen on the nodes of default by annotation, which GitOps does not revert, until the migration ends.',
      'Karpenter: drift is frozen on default by a budget, until the migration ends.',
    ]);
  });

  test('1.0 does not store its objects as v1: Belay writes them anew', async () => {
    let stored = 0;
    const { world, activities } = fakeWith({
      awaitKarpenterMigration: async ({ until }) => {
        const timedOut = until === 'stored' && (stored += 1) === 1;
        return { timedOut, state: timedOut ? 'open' : 'done', seen: 'seen' };
      },
      storeAsV1: async () => ({ rewritten: 7 }),
    });
    await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(notes(world)).toContain('Karpenter: 1.0 did not store all of its objects as v1, so Belay rewrote 7 of them.');
  });

  test.each<[string, Decider, Partial<BelayActivities>, string]>([
    ['people say not now', ({ id }) => (id.includes('/v1#') ? 'reject' : 'approve'), {}, 'Install Karpenter 1.0.14? It was rejected'],
    [
      'the conversion does not answer',
      approve,
      {
        awaitKarpenterMigration: async () => ({
          timedOut: true,
          state: 'broken',
          seen: 'Service kube-system/karpenter has no port 8443',
          fix: 'Set it.',
        }),
      },
      'Waiting for the conversion between v1beta1 and v1: Service kube-system/karpenter has no port 8443',
    ],
    [
      'webhooks of 0.3x belong to somebody',
      approve,
      {
        removeOldWebhooks: async () => ({
          removed: [],
          kept: ['ValidatingWebhookConfiguration validation.webhook.karpenter.sh (Helm release old/karpenter)'],
        }),
      },
      'Webhooks of Karpenter 0.3x are left, and nothing answers them: ValidatingWebhookConfiguration validation.webhook.karpenter.sh (Helm release old/karpenter). Their owner must remove them (webhook.enabled of an old release?), or writes to NodePools fail',
    ],
    [
      'NodeClaims without a group',
      approve,
      {
        readKarpenterMigration: (() => {
          const looks = [AT_START, PATCHED];
          return async () => looks.shift() ?? look({}, { incomplete: ['default-x'] });
        })(),
      },
      'NodeClaims default-x have no group or kind in their nodeClassRef, and 1.1 would not manage them. They cannot be edited: delete them one by one, Karpenter replaces their nodes, then retry',
    ],
  ])('%s: the step fails with the way back, and the freeze is taken off', async (_title, decide, change, message) => {
    const { world, activities } = fakeWith(change);
    await withUpgrade(env, activities, (run) => run.finish((gate, n) => (gate.id === FAILED ? 'abort' : decide(gate, n))));
    expect(gates(world)[FAILED]?.lines).toEqual(expect.arrayContaining([message, 'Possible until: for ever']));
    expect(story(world).at(-1)).toBe('releaseMigrationHold');
  });

  test('more nodes are marked than before: people are asked while the freeze still stands', async () => {
    const { world, activities } = fakeWith({
      verifyKarpenter: async () => ({ troubles: ['3 NodeClaims are marked as drifted; before the change it was 1'] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(report.outcome).toBe('completed');
    expect(gates(world)[`change:${STEP}/drift#1`]?.lines).toEqual(['3 NodeClaims are marked as drifted; before the change it was 1']);
    expect(story(world).slice(-2)).toEqual(['verifyKarpenter', 'releaseMigrationHold']);
  });
});

describe('through others', () => {
  test('Flux: what nobody keeps is set with its values, what Git has is asked for with them; manifests as well', async () => {
    const { world, activities } = fakeWith(
      {
        setDeliveredVersion: async ({ chart }) =>
          chart.chart === 'karpenter' ? { kind: 'owned', owner: 'Kustomization flux-system/platform' } : { kind: 'set' },
        moveKubelets: async () => ({
          moved: [],
          asked: ['EC2NodeClass default (Flux): spec.kubelet {"maxPods":42}'],
          refused: [],
          old: [],
        }),
      },
      FLUX,
      'flux',
    );
    await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(inputs(world, 'setDeliveredVersion')).toMatchObject([
      {
        chart: { name: 'karpenter' },
        to: '0.37.7',
        skipCrds: true,
        values: [
          { path: ['webhook', 'enabled'], value: true },
          { path: ['webhook', 'port'], value: 8443 },
        ],
      },
      { chart: CRDS, to: '0.37.7', skipCrds: false },
      { chart: CRDS, to: '1.0.14' },
      { chart: { name: 'karpenter' }, to: '1.0.14' },
    ]);
    expect(notes(world)).toContain(
      'Please merge karpenter 0.37.7 with webhook.enabled=true, webhook.port=8443. 1.0 can be reached only from this patch, and rolled back only to it; its webhook converts between the two APIs. ' +
        'HelmRelease flux-system/karpenter is managed from Git by Kustomization flux-system/platform, which would revert a change in the cluster. Belay watches it and continues by itself once it is delivered.',
    );
    const asks = world.published.flatMap(({ notification }) =>
      notification.kind === 'note' && notification.ask !== undefined ? [notification.ask] : [],
    );
    expect(asks.map(({ component, name, version }) => [component, name, version])).toEqual([
      ['karpenter', 'karpenter', '0.37.7'],
      ['karpenter', 'karpenter', '1.0.14'],
      ['karpenter-manifests', 'karpenter', 'v1'],
    ]);
    expect(story(world)).toContain('awaitManifests');
  });

  test('Terraform: each chart is asked for in order, with its line, and waited for', async () => {
    const { world, activities } = fakeWith({}, 'nobody', 'terraform');
    await withUpgrade(env, activities, (run) => run.finish(approve));
    expect(notes(world).filter((text) => text.startsWith('Please install'))).toEqual([
      expect.stringMatching(
        /^Please install karpenter 0\.37\.7 with webhook\.enabled=true, webhook\.port=8443\. .* version = "0\.37\.7" of helm_release karpenter,/,
      ),
      expect.stringContaining(
        'karpenter-crd 0.37.7 with webhook.enabled=true, webhook.port=8443, webhook.serviceName=karpenter, webhook.serviceNamespace=kube-system',
      ),
      expect.stringContaining('karpenter-crd 1.0.14'),
      expect.stringContaining('karpenter 1.0.14'),
    ]);
    expect(story(world).filter((line) => line.startsWith('await'))).toEqual([
      'awaitKarpenterVersion 0.37.7',
      'awaitKarpenterMigration conversion',
      'awaitKarpenterMigration definitions',
      'awaitKarpenterMigration conversion',
      'awaitKarpenterVersion 1.0.14',
      'awaitKarpenterMigration conversion',
      'awaitKarpenterMigration stored',
    ]);
  });
});
