/** Which pods may not be evicted now, and why: by their own mark, by a budget that is used up, by two budgets at once. */
import { expect, test } from 'vitest';
import type { DisruptionBudget, Pod } from '../../../../activities/clients/kubernetes/objects.ts';
import { findBlockers, holdOfPods } from '../../../../activities/kubernetes/drain/blockers.ts';
import type { OldNode } from '../../../../activities/kubernetes/drain/draining-nodes.ts';
import { FakeKubernetes, type Seed } from '../../../support/fake-kubernetes.ts';
import { budgetObject, podObject } from '../../../support/kubernetes-objects.ts';

const NODE: OldNode = { name: 'node-1', nodePool: 'default', drifted: true, leaving: false, heldByAnnotation: false };
const LEDGER = { matchLabels: { app: 'ledger' } };
const marked = (value: string): Seed => podObject('shop', 'ledger-0', { annotations: { 'karpenter.sh/do-not-disrupt': value } });
const pod = podObject('shop', 'ledger-0');
const free = budgetObject('shop', 'free', LEDGER, 1);
const usedUp = budgetObject('shop', 'ledger', LEDGER, 0);
const HELD = 'pod shop/ledger-0 is held by PodDisruptionBudget shop/ledger, which allows no disruption now';

const NO_SCALE = {
  conditions: [
    { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'jobs.batch does not implement the scale subresource' },
  ],
};
/** As the disruption controller leaves it where it cannot count the pods. */
const uncounted = (status: object): Seed => ({
  ...usedUp,
  spec: { maxUnavailable: 1, selector: LEDGER },
  status: { disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 0, desiredHealthy: 0, ...status },
});
const NEVER =
  'pod shop/ledger-0 is held by PodDisruptionBudget shop/ledger, which allows no disruption unless minAvailable is a whole number';
const BARE = `${NEVER} (Kubernetes cannot count its pods: they have no controller)`;
const SCALELESS = `${NEVER} (Kubernetes cannot count its pods: jobs.batch does not implement the scale subresource)`;

test.each<[string, Seed, Seed[], object | undefined]>([
  ['with a budget that allows one', pod, [free], undefined],
  ['with a budget of another namespace', pod, [budgetObject('mail', 'ledger', LEDGER, 0)], undefined],
  ['with a budget that is used up', pod, [usedUp], { lasting: true, reason: HELD, pdb: { name: 'ledger', disruptionsAllowed: 0 } }],
  ['with two budgets, of which the one that is used up is named', pod, [free, usedUp], { reason: HELD }],
  ['without a controller', pod, [uncounted({ currentHealthy: 1 })], { lasting: true, reason: BARE }],
  ['without a controller that is not Ready', pod, [uncounted({})], { lasting: true, reason: HELD }],
  ['whose owner has no scale', pod, [uncounted({ ...NO_SCALE, expectedPods: 2, currentHealthy: 1 })], { lasting: true, reason: SCALELESS }],
  [
    'with two budgets that would allow one each',
    pod,
    [free, budgetObject('shop', 'second', LEDGER, 1)],
    { lasting: true, reason: 'pod shop/ledger-0 is matched by PodDisruptionBudgets free and second: eviction refuses more than one' },
  ],
  [
    'marked for a time',
    marked('30m'),
    [],
    { lasting: false, reason: 'pod shop/ledger-0 has annotation karpenter.sh/do-not-disrupt: "30m"' },
  ],
  ['whose mark says false', marked('false'), [], undefined],
  ['that has ended', podObject('shop', 'ledger-0', { phase: 'Succeeded' }), [usedUp], undefined],
])('a pod %s', (_title, seed, budgets, hold) => {
  const found = holdOfPods(NODE, [seed as Pod], budgets as DisruptionBudget[]);
  if (hold === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(hold);
});

const VIEW = {
  old: [NODE],
  driftedClaims: [],
  replacedCount: 0,
  skippedCount: 0,
  starting: [],
  claims: new Set<string>(),
  known: new Set(['node-1']),
  ignored: new Set<string>(),
};

test.each([
  ['pods without a controller', { currentHealthy: 1 }, [BARE], 1],
  ['an owner without a scale', NO_SCALE, [SCALELESS], 1],
  [
    'no pods, which is not worth a look',
    { conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }] },
    [],
    0,
  ],
])('a budget that expects none: %s', async (_what, status, reasons, lists) => {
  const port = new FakeKubernetes().put('v1', 'pods', pod).put('policy/v1', 'poddisruptionbudgets', uncounted(status));
  const holds = await findBlockers(port, VIEW, false);
  expect([...holds.values()].map(({ reason }) => reason)).toEqual(reasons);
  expect(port.lists.filter(({ plural }) => plural === 'pods')).toHaveLength(lists);
});

test('a budget without a selector holds no pod, and hides none of the others', async () => {
  const port = new FakeKubernetes().put('v1', 'pods', pod);
  for (const budget of [budgetObject('shop', 'nothing', null, 0), usedUp]) port.put('policy/v1', 'poddisruptionbudgets', budget);
  const holds = await findBlockers(port, VIEW, false);
  expect([...holds.values()].map(({ reason }) => reason)).toEqual([HELD]);
});
