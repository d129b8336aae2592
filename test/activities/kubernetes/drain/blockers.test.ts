/** Which pods may not be evicted now, and why: by their own mark, by a budget that is used up, by two budgets at once. */
import { describe, expect, test } from 'vitest';
import type { DisruptionBudget, Pod } from '../../../../activities/clients/kubernetes/objects.ts';
import { findBlockers, holdOfBudgets, holdOfPods } from '../../../../activities/kubernetes/drain/blockers.ts';
import type { OldNode } from '../../../../activities/kubernetes/drain/draining-nodes.ts';
import { FakeKubernetes, type Seed } from '../../../support/fake-kubernetes.ts';
import { budgetObject, podObject } from '../../../support/kubernetes-objects.ts';

const NODE: OldNode = { name: 'node-1', nodePool: 'default', drifted: true, leaving: false, heldByAnnotation: false };
const LEDGER = { matchLabels: { app: 'ledger' } };
const NOW_MS = Date.parse('2030-01-01T12:00:00Z');
const marked = (value: string): Seed => podObject('shop', 'ledger-0', { annotations: { 'karpenter.sh/do-not-disrupt': value } });
const pod = podObject('shop', 'ledger-0');
const ofSet = podObject('shop', 'ledger-0', { owner: { kind: 'DaemonSet', name: 'ledger' } });
const tolerating = (seed: Seed, toleration: object): Seed => ({
  ...seed,
  spec: { ...(seed['spec'] as object), tolerations: [toleration] },
});
const free = budgetObject('shop', 'free', LEDGER, 1);
const usedUp = budgetObject('shop', 'ledger', LEDGER, 0);
const HELD = 'pod shop/ledger-0 is blocked by PodDisruptionBudget shop/ledger, which allows no disruption now';

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
  'pod shop/ledger-0 is blocked by PodDisruptionBudget shop/ledger, which allows no disruption unless minAvailable is a whole number';
const FOR_EVER = 'pod shop/ledger-0 is blocked by PodDisruptionBudget shop/ledger, which never allows a disruption:';
const never = (numbers: object, currentHealthy = 3): Seed => ({
  ...usedUp,
  spec: { selector: LEDGER, ...numbers },
  status: { disruptionsAllowed: 0, expectedPods: 3, currentHealthy, desiredHealthy: 3 },
});
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
    'with a budget that never allows one, whatever is scaled',
    pod,
    [never({ maxUnavailable: 0 })],
    { lasting: true, noUseScaling: true, reason: `${FOR_EVER} maxUnavailable is 0` },
  ],
  [
    'with a budget of all, ill as they are',
    pod,
    [never({ minAvailable: '100%' }, 1)],
    { lasting: true, noUseScaling: true, reason: `${FOR_EVER} minAvailable 100% of 3 pods` },
  ],
  ['with a budget of all by number, which one more would help', pod, [never({ minAvailable: 3 })], { reason: HELD }],
  [
    'with two budgets that would allow one each',
    pod,
    [free, budgetObject('shop', 'second', LEDGER, 1)],
    {
      noUseScaling: true,
      lasting: true,
      reason: 'pod shop/ledger-0 is matched by PodDisruptionBudgets free and second: eviction refuses more than one',
    },
  ],
  [
    'marked for a time',
    marked('30m'),
    [],
    { lasting: false, noUseScaling: true, reason: 'pod shop/ledger-0 has annotation karpenter.sh/do-not-disrupt: "30m"' },
  ],
  ['marked for a time that is over', { ...marked('30m'), status: { startTime: '2030-01-01T11:29:00Z' } }, [], undefined],
  ['marked for a time that is not', { ...marked('1h30m'), status: { startTime: '2030-01-01T11:29:00Z' } }, [], { lasting: false }],
  ['whose mark says false', marked('false'), [], undefined],
  ['whose mark says yes, which Karpenter does not know', marked('yes'), [], undefined],
  [
    'of a DaemonSet that is marked: deleting it brings it back to the node',
    podObject('kube-system', 'agent-x', {
      owner: { kind: 'DaemonSet', name: 'agent' },
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
    }),
    [],
    {
      lasting: true,
      reason:
        'pod kube-system/agent-x of DaemonSet kube-system/agent has annotation karpenter.sh/do-not-disrupt: "true", which blocks Karpenter: remove it where the pod is defined',
    },
  ],
  // Karpenter evicts it as any other (sigs.k8s.io/karpenter, pkg/utils/pod/scheduling.go, IsEvictable).
  ['of a DaemonSet under a budget that is used up', ofSet, [usedUp], { lasting: true, reason: HELD }],
  ['of a DaemonSet that tolerates every taint', tolerating(ofSet, { operator: 'Exists' }), [usedUp], undefined],
  ['that tolerates Karpenter’s taint', tolerating(pod, { key: 'karpenter.sh/disrupted', operator: 'Exists' }), [usedUp], undefined],
  ['that tolerates another taint', tolerating(pod, { key: 'dedicated', operator: 'Exists' }), [usedUp], { reason: HELD }],
  ['of the node itself', podObject('shop', 'ledger-0', { owner: { kind: 'Node', name: 'node-1' } }), [usedUp], undefined],
  ['that has ended', podObject('shop', 'ledger-0', { phase: 'Succeeded' }), [usedUp], undefined],
])('a pod %s', (_title, seed, budgets, hold) => {
  const found = holdOfPods(NODE, [seed as Pod], budgets as DisruptionBudget[], NOW_MS);
  if (hold === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(hold);
});

test('one more replica is worth a try only where the budget would then let a pod go', () => {
  const helps = (...budgets: Seed[]) => holdOfPods(NODE, [pod as Pod], budgets as DisruptionBudget[], NOW_MS)?.noUseScaling !== true;
  expect(helps(usedUp)).toBe(true);
  expect(helps(never({ minAvailable: 3 }))).toBe(true);
  expect(helps(never({ minAvailable: '67%' }))).toBe(true);
  expect(helps(never({ minAvailable: '90%' }))).toBe(false);
  expect(helps(free, usedUp)).toBe(false);
});

test('of a DaemonSet no deletion is offered before Karpenter has tainted the node: the pod would come back to it', async () => {
  const port = new FakeKubernetes().put('v1', 'pods', { ...ofSet, spec: { nodeName: 'node-1' } });
  port.put('policy/v1', 'poddisruptionbudgets', usedUp);
  const offered = async (node: OldNode) =>
    [...(await findBlockers(port, { ...VIEW, old: [node] }, false)).values()].map(({ pod: its, reason, pdb }) => [
      its?.metadata.name,
      reason,
      pdb?.name,
    ]);
  expect(await offered(NODE)).toEqual([[undefined, HELD, 'ledger']]);
  expect(await offered({ ...NODE, leaving: true })).toEqual([['ledger-0', HELD, 'ledger']]);
});

test('the eviction API knows nothing of Karpenter’s annotation', () => {
  expect(holdOfBudgets(NODE, marked('true') as Pod, [usedUp] as DisruptionBudget[])).toMatchObject({ reason: HELD });
  expect(holdOfBudgets(NODE, marked('true') as Pod, [])).toBeUndefined();
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

const graceful = (over: Partial<OldNode>): OldNode => ({ ...NODE, claim: 'claim-1', forced: { after: '1h' }, ...over });
const THERE = { claims: new Set(['claim-1']) };

test('with a terminationGracePeriod a node is chosen whatever its pods say: only its drain is held up by them', async () => {
  const port = new FakeKubernetes().put('v1', 'pods', pod).put('policy/v1', 'poddisruptionbudgets', usedUp);
  const event = { reason: 'DisruptionBlocked', message: 'Pdb prevents pod evictions', involvedObject: { kind: 'Node', name: 'node-1' } };
  port.put('v1', 'events', { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'default' }, ...event });
  const reasons = async (node: OldNode): Promise<string[]> =>
    [...(await findBlockers(port, { ...VIEW, ...THERE, old: [node] }, true)).values()].map(({ reason }) => reason);
  expect(await reasons(graceful({}))).toEqual([]);
  expect(await reasons(graceful({ leaving: true }))).toEqual([HELD]);
  expect(await reasons({ ...NODE, claim: 'claim-1' })).toEqual([HELD]);
});

describe('a budget that lets nothing go', () => {
  const LEAVING: OldNode = { ...NODE, leaving: true };
  const ill = (phase = 'Running'): Pod =>
    ({ ...pod, status: { phase, conditions: [{ type: 'Ready', status: 'False' }] } }) as unknown as Pod;
  const budget = (policy: string | undefined, currentHealthy: number): DisruptionBudget =>
    ({
      ...usedUp,
      spec: { minAvailable: 2, selector: LEDGER, ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }) },
      status: { disruptionsAllowed: 0, expectedPods: 3, currentHealthy, desiredHealthy: 2 },
    }) as unknown as DisruptionBudget;

  test.each<[string, OldNode, Pod, DisruptionBudget, boolean]>([
    ['holds no ill pod by its policy', LEAVING, ill(), budget('AlwaysAllow', 1), false],
    ['nor where Karpenter only chooses the node', NODE, ill(), budget('AlwaysAllow', 1), false],
    ['holds no ill pod while enough others are healthy', LEAVING, ill(), budget(undefined, 2), false],
    ['but does where Karpenter only chooses the node', NODE, ill(), budget(undefined, 2), true],
    ['holds an ill pod while too few are healthy', LEAVING, ill(), budget('IfHealthyBudget', 1), true],
    ['holds no pod that has not begun', LEAVING, ill('Pending'), budget(undefined, 1), false],
    ['but does where Karpenter only chooses the node of one that has not begun', NODE, ill('Pending'), budget(undefined, 1), true],
    ['holds a healthy pod, whatever its policy', LEAVING, pod as unknown as Pod, budget('AlwaysAllow', 2), true],
  ])('%s', (_what, node, of, its, isHeld) => {
    expect(holdOfBudgets(node, of, [its]) !== undefined).toBe(isHeld);
  });
});
