/** Before and after a change of Karpenter, over HTTP: drift, readiness, and what IAM grants its role. */
import { afterEach, describe, expect, test } from 'vitest';
import { createKarpenterChangeActivities } from '../../../../activities/karpenter/controller/verify-change.ts';
import type { ClusterClients } from '../../../../activities/clients/clusters.ts';
import type { World } from '../../../../rehearsal/world/world.ts';
import { setCondition } from '../../../../rehearsal/controllers/conditions.ts';
import { policy } from '../../../support/facts.ts';
import { quickTiming } from '../../../support/fake-kubernetes.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;
let clients: ClusterClients | undefined;
afterEach(async () => {
  await clients?.close();
  clients = undefined;
  await twin.close();
});

/** A world at rest: nothing moves but what a test changes. */
async function open(scenario: string): Promise<World> {
  twin = await startTwin(scenario);
  twin.built.stop();
  return twin.built.world;
}

function activities() {
  clients ??= twin.freshClients();
  const { aws, account, clusterPorts } = clients;
  return createKarpenterChangeActivities({ aws, account, clusterPorts, policyOf: () => policy() });
}

const examine = (from: string, to: string) =>
  activities().examineKarpenter({ cluster: twin.ref, namespace: 'kube-system', deployment: 'karpenter', from, to });
const verify = (driftedCount: number | undefined, { watchMs = 30, notReady = [] }: { watchMs?: number; notReady?: string[] } = {}) =>
  activities().verifyKarpenter({ cluster: twin.ref, timing: quickTiming({ rolloutTimeoutMs: 50 }), driftedCount, notReady, watchMs });

function breakClass(world: World, reason: string, message: string): void {
  world.store.update('ec2nodeclasses', 'default', undefined, (copy) => setCondition(world, copy, 'Ready', 'False', reason, message));
}

function drift(world: World): void {
  const claim = world.store.list('nodeclaims')[0];
  world.store.update('nodeclaims', claim?.metadata.name ?? '', undefined, (copy) =>
    setCondition(world, copy, 'Drifted', 'True', 'NodePoolDrifted'),
  );
}

const NEEDS = [
  '1.7: the controller’s role needs iam:ListInstanceProfiles',
  '1.12: the controller’s role needs ec2:DescribeInstanceStatus',
  '1.12: existing nodes may be marked as drifted: the hash of a node class includes the cluster’s CA bundle',
];

describe('the leader', () => {
  const place = { namespace: 'kube-system', deployment: 'karpenter' };
  const verified = (version: string, change: object = {}) =>
    activities().verifyKarpenter({
      cluster: twin.ref,
      timing: quickTiming({ rolloutTimeoutMs: 3_000, ...change }),
      driftedCount: 0,
      watchMs: 30,
      leader: { ...place, version },
    });

  test('a pod of the version renews the Lease', async () => {
    twin = await startTwin('karpenter-helm');
    expect(await verified('1.6.8')).toEqual({ troubles: [], stillNotReady: [] });
  });

  test('an older one that still holds it is no leader, nor is one that stands still', async () => {
    twin = await startTwin('karpenter-helm');
    const { world } = twin.built;
    while (world.store.get('leases', 'karpenter-leader-election', 'kube-system') === undefined)
      await new Promise((done) => setTimeout(done, 10));
    expect((await verified('1.9.2', { rolloutTimeoutMs: 50 })).troubles).toEqual([
      expect.stringMatching(/^Lease kube-system\/karpenter-leader-election is held by karpenter-\S+, which runs 1\.6\.8$/),
    ]);
    twin.built.stop();
    expect((await verified('1.6.8', { rolloutTimeoutMs: 50 })).troubles).toEqual([
      expect.stringMatching(/^karpenter-\S+ has not renewed Lease kube-system\/karpenter-leader-election yet$/),
    ]);
  });

  test('a Lease that is renewed by nobody whom the cluster knows: unknown, and the rest is watched all the same', async () => {
    const world = await open('karpenter-helm');
    const renew = (spec: object): void => {
      const metadata = { name: 'karpenter-leader-election', namespace: 'kube-system' };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      if (world.store.get('leases', metadata.name, metadata.namespace) === undefined) world.store.create('leases', lease);
      else world.store.update('leases', metadata.name, metadata.namespace, (copy) => void Object.assign(copy.spec, spec));
    };
    let second = 0;
    const renewing = setInterval(() => {
      second += 1;
      renew({ holderIdentity: 'build-host_5d2f', renewTime: `2031-01-01T00:00:${String(second % 60).padStart(2, '0')}.000000Z` });
    }, 5);
    const seen = await verified('1.6.8');
    clearInterval(renewing);
    expect(seen).toEqual({
      troubles: [],
      stillNotReady: [],
      leaderUnknown:
        'Lease kube-system/karpenter-leader-election is renewed by build-host_5d2f, which is not a pod of Deployment kube-system/karpenter',
    });
  });
});

describe('before', () => {
  test('claims, drift, frozen pools, and what every version between needs, by IRSA', async () => {
    const world = await open('karpenter-helm');
    drift(world);
    expect(await examine('1.6.8', '1.12.2')).toEqual({
      claimCount: 3,
      driftedCount: 1,
      frozenPools: 0,
      poolCount: 1,
      notReady: [],
      unowned: ['ec2nodeclasses.karpenter.k8s.aws', 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh'],
      needs: NEEDS,
      permissions: [
        { action: 'iam:ListInstanceProfiles', granted: 'yes' },
        {
          action: 'ec2:DescribeInstanceStatus',
          granted: 'no',
          why: 'arn:aws:iam::111122223333:role/karpenter-karpenter-helm: implicitDeny',
        },
      ],
    });
  });

  test('a budget of zero for drift counts as frozen, one by day does not', async () => {
    const world = await open('karpenter-helm');
    const freeze = (entry: object): void =>
      void world.store.update('nodepools', 'default', undefined, (copy) => {
        copy.spec.disruption.budgets = [{ nodes: '10%' }, entry];
      });
    freeze({ nodes: '0', schedule: '0 9 * * *', duration: '8h' });
    expect((await examine('1.6.8', '1.9.2')).frozenPools).toBe(0);
    freeze({ nodes: '0', reasons: ['Empty'] });
    expect((await examine('1.6.8', '1.9.2')).frozenPools).toBe(0);
    freeze({ nodes: '0', reasons: ['Drifted', 'Empty'] });
    expect((await examine('1.6.8', '1.9.2')).frozenPools).toBe(1);
  });

  test('by a Pod Identity association', async () => {
    await open('karpenter-flux');
    expect((await examine('1.6.8', '1.9.2')).permissions).toEqual([
      {
        action: 'iam:ListInstanceProfiles',
        granted: 'no',
        why: 'arn:aws:iam::111122223333:role/karpenter-karpenter-flux: implicitDeny',
      },
    ]);
  });

  test('a role that nothing names is unknown', async () => {
    const world = await open('karpenter-flux');
    world.eks.controllerRoles.length = 0;
    expect((await examine('1.6.8', '1.9.2')).permissions).toEqual([
      {
        action: 'iam:ListInstanceProfiles',
        granted: 'unknown',
        why: 'ServiceAccount kube-system/karpenter has neither eks.amazonaws.com/role-arn nor a Pod Identity association, so its role is not known',
      },
    ]);
  });

  test.each([
    ['karpenter-helm', 'iam:SimulatePrincipalPolicy'],
    ['karpenter-flux', 'eks:ListPodIdentityAssociations'],
  ])('%s: without %s it is unknown, and the missing right is said', async (scenario, right) => {
    await open(scenario);
    twin.grant({ aws: (action) => action !== right });
    const { permissions } = await examine('1.6.8', '1.9.2');
    expect(permissions).toMatchObject([{ action: 'iam:ListInstanceProfiles', granted: 'unknown' }]);
    expect(permissions[0]?.why).toContain(right);
  });
});

describe('after', () => {
  test('everything as before', async () => {
    const world = await open('karpenter-helm');
    drift(world);
    expect(await verify(1)).toEqual({ troubles: [], stillNotReady: [] });
  });

  test('one more drifted claim is told at once', async () => {
    drift(await open('karpenter-helm'));
    expect(await verify(0, { watchMs: 60_000 })).toEqual({
      troubles: ['1 NodeClaim is marked as drifted (NodePoolDrifted); before the change it was 0'],
      stillNotReady: [],
    });
  });

  test('without a count of before, drift is not watched', async () => {
    drift(await open('karpenter-helm'));
    expect(await verify(undefined, { watchMs: 60_000 })).toEqual({ troubles: [], stillNotReady: [] });
  });

  test('a class that does not become Ready is named with its reason', async () => {
    breakClass(await open('karpenter-helm'), 'InstanceProfileNotReady', 'UnauthorizedOperation');
    expect(await verify(0)).toEqual({
      troubles: ['EC2NodeClass default is not Ready (InstanceProfileNotReady: UnauthorizedOperation)'],
    });
  });

  test('what was not Ready before is no trouble of the change, whatever its reason is now; what else is not Ready is one', async () => {
    const world = await open('karpenter-helm');
    breakClass(world, 'SubnetsNotReady', 'no subnet has the tag');
    const { notReady } = await examine('1.6.8', '1.9.2');
    expect(notReady).toEqual([
      { name: 'EC2NodeClass default', line: 'EC2NodeClass default is not Ready (SubnetsNotReady: no subnet has the tag)' },
    ]);
    breakClass(world, 'UnhealthyDependents', 'SubnetsReady=False');
    const names = notReady.map(({ name }) => name);
    const stillNotReady = ['EC2NodeClass default is not Ready (UnhealthyDependents: SubnetsReady=False)'];
    expect(await verify(0, { notReady: names })).toEqual({ troubles: [], stillNotReady });
    world.store.update('nodepools', 'default', undefined, (copy) => setCondition(world, copy, 'Ready', 'False', 'NodeClassNotReady'));
    expect(await verify(0, { notReady: names })).toEqual({ troubles: ['NodePool default is not Ready (NodeClassNotReady)'] });
  });

  test('a CRD that is not served is named', async () => {
    const world = await open('karpenter-helm');
    world.store.update('customresourcedefinitions', 'nodepools.karpenter.sh', undefined, (copy) =>
      setCondition(world, copy, 'Established', 'False', 'NotAccepted', 'not all names are accepted'),
    );
    expect((await verify(0)).troubles).toEqual(['CustomResourceDefinition nodepools.karpenter.sh is not Established']);
  });
});
