/** One node that Karpenter launches on trial: what became of it in Karpenter's words, and that nothing but Belay's own claim is removed. */
import { describe, expect, test } from 'vitest';
import { createCanaryActivities } from '../../../../activities/karpenter/controller/canary-node.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { condition, nodePoolObject } from '../../../support/kubernetes-objects.ts';

const NAME = 'belay-canary-1';
const CLAIM = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: NAME };
const LAUNCHED = condition('Launched');
const REGISTERED = condition('Registered');

/** `status`: what Karpenter says of the claim as soon as it is there; undefined: it says nothing. */
function world(status?: { nodeName?: string; conditions: object[] }) {
  const port = new FakeKubernetes().put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', undefined));
  const create = port.create.bind(port);
  port.create = async (ref, body) => await create(ref, { ...body, status });
  const activities = createCanaryActivities(depsOf(port));
  const common = { cluster: CLUSTER, timing: quickTiming(), name: NAME };
  return {
    port,
    launch: (nodePool = 'default', timeoutMs = 10) => activities.tryCanaryNode({ ...common, nodePool, timeoutMs }),
    remove: (timeoutMs = 5_000) => activities.removeCanaryNode({ ...common, timeoutMs }),
  };
}

describe('on trial', () => {
  test('Ready: its node is named; it is made as the pool has it, and pods stay away from it', async () => {
    const { port, launch } = world({ nodeName: 'ip-1', conditions: [LAUNCHED, REGISTERED, condition('Initialized')] });
    expect(await launch()).toEqual({ kind: 'ready', node: 'ip-1' });
    expect(port.look(CLAIM)).toMatchObject({
      metadata: { labels: { 'belay.dev/canary': 'true' }, annotations: { 'belay.dev/canary-of': 'default' } },
      spec: {
        nodeClassRef: { kind: 'EC2NodeClass', name: 'default' },
        taints: [{ key: 'belay.dev/canary', value: 'true', effect: 'NoSchedule' }],
        expireAfter: '1h',
      },
    });
  });

  test.each<[string, object[], string]>([
    ['nothing is said of it', [], 'Karpenter has not begun to launch it'],
    [
      'it cannot be launched',
      [condition('Launched', 'False', 'InsufficientCapacity', 'no c7g.large left')],
      'Launched is False (InsufficientCapacity: no c7g.large left)',
    ],
    ['its kubelet has not come yet', [LAUNCHED], 'not Registered yet'],
    [
      'it has come and is not initialized',
      [LAUNCHED, REGISTERED, condition('Initialized', 'Unknown', 'StartupTaintsExist')],
      'Initialized is Unknown (StartupTaintsExist)',
    ],
    ['it is Initialized, of no node', [LAUNCHED, REGISTERED, condition('Initialized')], 'its NodeClaim names no node'],
  ])('time runs out: %s', async (_title, conditions, seen) => {
    expect(await world({ conditions }).launch()).toEqual({ kind: 'failed', why: `it is not Ready in time: ${seen}` });
  });

  test('Karpenter gives it up: what it said last is kept', async () => {
    const { port, launch } = world({ conditions: [condition('Launched', 'False', 'LaunchFailed', 'UnauthorizedOperation')] });
    const get = port.get.bind(port);
    let looks = 0;
    port.get = async (ref) => {
      if (ref.plural === CLAIM.plural && ++looks === 2) port.remove(CLAIM);
      return await get(ref);
    };
    const why = 'Karpenter gave it up: Launched is False (LaunchFailed: UnauthorizedOperation)';
    expect(await launch('default', 5_000)).toEqual({ kind: 'failed', why });
  });

  test('one that is on its way out already is given up, not Ready', async () => {
    const { port, launch } = world({ nodeName: 'ip-1', conditions: [LAUNCHED, REGISTERED, condition('Initialized')] });
    const { create } = port;
    port.create = async (ref, body) => {
      const made = await create(ref, body as never);
      port.edit(CLAIM, ({ metadata }) => void (metadata.deletionTimestamp = '2031-01-01T00:00:00Z'));
      return made as never;
    };
    expect(await launch()).toMatchObject({ kind: 'failed', why: expect.stringMatching(/^Karpenter gave it up/) });
  });

  test('of a NodePool that is gone: nothing is launched', async () => {
    const { port, launch } = world();
    expect(await launch('batch')).toEqual({ kind: 'failed', why: 'there is no NodePool batch' });
    expect(await port.get(CLAIM)).toBeUndefined();
  });

  test('the answer to an earlier attempt was lost: its claim is taken up; another refusal is told', async () => {
    const { port, launch } = world({ nodeName: 'ip-1', conditions: [LAUNCHED, REGISTERED, condition('Initialized')] });
    await launch();
    const refuse = (type: 'Conflict' | 'AccessDenied') =>
      (port.create = async () => Promise.reject(failureOf(type, `the server says ${type}`)));
    refuse('Conflict');
    expect(await launch()).toEqual({ kind: 'ready', node: 'ip-1' });
    refuse('AccessDenied');
    await expect(launch()).rejects.toThrow('the server says AccessDenied');
  });
});

describe('removed', () => {
  test('once, and waited for', async () => {
    const { port, launch, remove } = world({ conditions: [] });
    await launch();
    expect(await remove()).toEqual({ gone: true });
    expect(port.deleted).toEqual([`nodeclaims/${NAME}`]);
    expect(await remove()).toEqual({ gone: true });
    expect(port.deleted).toHaveLength(1);
  });

  test('one whose node is still drained is not asked to go again; time runs out', async () => {
    const { port, launch, remove } = world({ conditions: [] });
    await launch();
    port.edit(CLAIM, ({ metadata }) => void (metadata.deletionTimestamp = '2031-01-01T00:00:00Z'));
    expect(await remove(10)).toEqual({ gone: false });
    expect(port.deleted).toEqual([]);
  });

  test('somebody else’s claim of that name stays', async () => {
    const { port, remove } = world();
    port.put(CLAIM.apiVersion, CLAIM.plural, { metadata: { name: NAME, labels: { 'karpenter.sh/nodepool': 'default' } } });
    expect(await remove()).toEqual({ gone: true });
    expect(port.deleted).toEqual([]);
  });
});
