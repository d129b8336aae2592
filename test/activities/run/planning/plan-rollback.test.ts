/** The way back against the twin, over the wire: what EKS lists, what it refuses, and what Belay refuses before it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEksActivities } from '../../../../activities/eks/index.ts';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import { stops } from '../../../../domain/core/findings.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';
import type { EksUpdate } from '../../../../rehearsal/aws/eks/state.ts';
import { policy } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';
import { movedUp as movedUpTo } from '../../support/moved-up.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const DAY_MS = 24 * 3_600_000;

let twin: Twin;
/** What earlier runs have recorded, the newest first. */
let records: unknown[] = [];
const store = { newest: async () => records, read: async () => undefined };
/** A cluster of 1.32 whose last update to it began so many days ago. */
const movedUp = (days: number, change: Partial<EksUpdate> = {}): void => movedUpTo(twin, '1.32', days, change);

beforeEach(async () => {
  twin = await startTwin('up-and-down');
});
afterEach(() => twin.close());

const own = () => policy({ cluster: twin.ref, timing: { ...policy().timing, ...QUICK } });
const plan = (): Promise<PlanResult> =>
  createRollbackPlanActivities({ ...twin.clients, store }).planRollback({ cluster: twin.ref, policy: own() });
const said = async (): Promise<string> => {
  const result = await plan();
  return result.kind === 'plan' ? 'planned' : result.violations.map(({ message }) => message).join('\n');
};

describe('the way back of a cluster', () => {
  test('day 2: planned, node groups and kube-proxy first, since both are newer', async () => {
    movedUp(2);
    const result = await plan();
    expect(result).toMatchObject({ kind: 'plan', plan: { kind: 'back', from: '1.32', to: '1.31' } });
    if (result.kind !== 'plan') return;
    expect(result.plan.steps.map(({ phase }) => phase)).toEqual([
      'rollback-checks',
      'node-groups',
      'add-ons-back',
      'control-plane-back',
      'validation',
    ]);
    expect(result.plan.steps[1]?.params).toMatchObject({ groups: [{ name: 'system' }, { name: 'workers' }] });
  });

  test.each([
    { what: 'day 8', days: 8, change: {}, says: /ended on 2026-02-09/ },
    {
      what: 'created at this version',
      days: 2,
      change: { params: [{ type: 'Version', value: '1.31' }] },
      says: /lists no update that moved up-and-down to 1\.32/,
    },
    { what: 'rolled back already', days: 2, change: { type: 'VersionRollback' }, says: /has already been rolled back to 1\.32/ },
    { what: 'an update that has failed is none', days: 2, change: { status: 'Failed' as const }, says: /lists no update/ },
  ])('refused: $what', async ({ days, change, says }) => {
    movedUp(days, change);
    expect(await said()).toMatch(says);
  });

  test('A28: EKS and Belay agree that newer nodes stand in the way, unless a later step takes them back', async () => {
    movedUp(2);
    const { checkWayBack } = createRollbackPlanActivities({ ...twin.clients, store });
    const input = { cluster: twin.ref, timing: own().timing, to: '1.31', policy: own() };
    const now = await checkWayBack(input);
    const blocking = (findings: typeof now.findings): string[] =>
      findings
        .filter(({ severity, status }) => severity === 'required' && status !== 'pass')
        .map(({ code, message }) => `${code} ${message}`);
    expect(blocking(now.findings).join('\n')).toMatch(/RBK005 5 node-group nodes run a kubelet newer than 1\.31/);
    expect(blocking(now.findings).join('\n')).toMatch(/RBK009 5 nodes run a kubelet newer than 1\.31/);
    const later = await checkWayBack({ ...input, later: ['node-groups@1.31', 'add-ons-back@1.31', 'control-plane-back@1.31'] });
    expect(blocking(later.findings)).toEqual([]);
  });

  test('EKS itself refuses the rollback while nodes are newer: nothing is made, and people learn why', async () => {
    movedUp(2);
    const notBefore = twin.built.world.clock.now().toISOString();
    const sent = createEksActivities(twin.clients).startControlPlaneUpdate({
      cluster: twin.ref,
      to: '1.31',
      token: 'belay',
      notBefore,
      back: true,
    });
    await expect(sent).rejects.toThrow(/rollback readiness issues.*newer than 1\.31/);
    expect(twin.built.world.eks.updates).toHaveLength(1);
  });

  test('until when: by EKS’s clock and its own timestamps', async () => {
    movedUp(2);
    const { now, back } = await createEksActivities(twin.clients).readRollbackWindow({ cluster: twin.ref });
    expect(back).toMatchObject({ kind: 'open', window: { at: '1.32', backTo: '1.31' } });
    const leftMs = back.kind === 'none' ? 0 : Date.parse(back.window.closesAt) - Date.parse(now);
    expect(leftMs / DAY_MS).toBeCloseTo(5, 1);
  });
});

describe('images of the older minor', () => {
  const onSmall = async (
    run: (small: Twin, asked: Set<string>) => Promise<void>,
    days = 2,
    denied: readonly string[] = [],
  ): Promise<void> => {
    const small = await startTwin('small');
    const asked = new Set<string>();
    movedUpTo(small, '1.31', days);
    small.grant({ aws: (action) => (asked.add(action), !denied.includes(action)) });
    try {
      await run(small, asked);
    } finally {
      await small.close();
    }
  };
  const backOf = (small: Twin) => {
    const input = { cluster: small.ref, policy: policy({ cluster: small.ref, timing: { ...policy().timing, ...QUICK } }) };
    const { planRollback, checkWayBack } = createRollbackPlanActivities({ ...small.clients, store });
    return { plan: () => planRollback(input), check: (to: string) => checkWayBack({ ...input, timing: input.policy.timing, to }) };
  };

  test('hold node classes that choose by alias while the control plane is on its way', async () => {
    await onSmall(async (small) => {
      const result = await backOf(small).plan();
      const freeze = result.kind === 'plan' ? result.plan.steps.find(({ phase }) => phase === 'freeze-drift') : undefined;
      const ids = [{ id: expect.stringMatching(/^ami-/) }, { id: expect.stringMatching(/^ami-/) }];
      expect(freeze?.params).toMatchObject({ holds: [{ nodeClass: 'default', before: 'al2023@latest', terms: ids }] });
    });
  });

  test('that cannot be looked up stand in the way, with the right that is missing', async () => {
    await onSmall(
      async (small) => {
        expect(await backOf(small).plan()).toMatchObject({
          kind: 'refused',
          violations: [
            {
              rule: 'RBK006',
              message: expect.stringMatching(/no image of al2023@latest for 1\.30 is known \(looking up AMIs: .*ssm:GetParameter/),
            },
          ],
        });
      },
      2,
      ['ssm:GetParameter'],
    );
  });

  test('are nobody’s business where no node class chooses by alias', async () => {
    await onSmall(async (small, asked) => {
      const { store: objects } = small.built.world;
      objects.update('ec2nodeclasses', 'default', undefined, (copy) => {
        copy['spec'].amiSelectorTerms = [{ id: 'ami-0123456789abcdef0' }];
      });
      // Karpenter may have found the alias's images before.
      await expect.poll(() => objects.get('ec2nodeclasses', 'default')?.status?.['amis']).toEqual([]);
      expect(await backOf(small).plan()).toMatchObject({ kind: 'plan' });
      expect(asked).not.toContain('ssm:GetParameter');
    });
  });

  test('once the seven days are over EKS is not asked for its insights about a way back', async () => {
    await onSmall(async (small, asked) => {
      const { findings } = await backOf(small).check('1.30');
      expect(findings).toContainEqual(
        expect.objectContaining({ code: 'RBK001', status: 'fail', message: expect.stringContaining('ended on') }),
      );
      expect(findings.map(({ code }) => code)).not.toContain('RBK009');
      expect([...asked].filter((action) => /Insight/.test(action))).toEqual([]);
    }, 8);
  });

  test('one that EKS is on already is adopted, also after the seven days and whatever its insights say', async () => {
    await onSmall(async (small, asked) => {
      // The twin's clock runs fast: one that began tomorrow does not end meanwhile.
      movedUpTo(small, '1.30', -1, { id: 'down', type: 'VersionRollback', status: 'InProgress' });
      expect(await backOf(small).plan()).toMatchObject({ kind: 'plan', plan: { from: '1.31', to: '1.30' } });
      expect((await backOf(small).check('1.30')).findings.filter(stops)).toEqual([]);
      expect([...asked].filter((action) => /Insight/.test(action))).toEqual([]);
    }, 8);
  });

  test('node classes that cannot be listed are unknown: nobody knows what they would launch', async () => {
    await onSmall(async (small) => {
      const apiGroups = ['', 'apps', 'batch', 'policy', 'karpenter.sh', 'apiextensions.k8s.io', 'admissionregistration.k8s.io'];
      small.grant({
        kubernetes: () => [
          { verbs: ['*'], apiGroups, resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ],
      });
      const { findings } = await backOf(small).check('1.30');
      expect(findings.filter(stops).map(({ code, message }) => `${code} ${message}`)).toContainEqual(
        expect.stringMatching(/^RBK006 Could not read the EC2NodeClasses: /),
      );
    });
  });

  test('a control plane that is there already has nothing in its way: the step was done before', async () => {
    await onSmall(async (small) => {
      expect((await backOf(small).check('1.31')).findings).toEqual([]);
    });
  });
});
