/** Karpenter in the twin: what drifts, what is replaced, what holds it back. */
import { describe, expect, test } from 'vitest';
import { UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { resolveNodeClass } from '../../../rehearsal/controllers/karpenter/node-classes.ts';
import { isTrue } from '../../../rehearsal/controllers/conditions.ts';
import { kubeletMinor } from '../../../rehearsal/controllers/nodes.ts';
import { buildSmall, small } from '../../../rehearsal/scenarios/small.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { isTerminating } from '../../../rehearsal/kubernetes/pods/pods.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { MINUTE_MS, openTwin, steppedWorld, stepUntil } from '../support.ts';

const karpenterNodes = ({ world }: BuiltWorld): KubeObject[] =>
  world.store.list('nodes').filter((n) => n.metadata.labels?.['karpenter.sh/nodepool'] !== undefined);
const lagging = (built: BuiltWorld): KubeObject[] => karpenterNodes(built).filter((n) => kubeletMinor(n) === '1.31');
const told = ({ world }: BuiltWorld, what: RegExp): string[] => world.journal.events.map((e) => e.text).filter((text) => what.test(text));
const drifted = ({ world }: BuiltWorld): KubeObject[] =>
  world.store
    .list('nodeclaims')
    .filter((c) => c.status?.conditions?.some((d: { type: string; status: string }) => d.type === 'Drifted' && d.status === 'True'));

/** NodeClaims of pool `default` whose nodes are on their way out. */
const going = ({ world }: BuiltWorld): KubeObject[] =>
  world.store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': 'default' } }).filter(isTerminating);

/** The control plane moves as if somebody had asked EKS. */
function moveControlPlane({ world }: BuiltWorld): void {
  world.eks.cluster.version = '1.32';
}

function freeze({ world }: BuiltWorld): void {
  for (const pool of world.store.list('nodepools')) {
    world.store.update('nodepools', pool.metadata.name, undefined, (copy) => {
      copy.spec.disruption.budgets = [...(copy.spec.disruption.budgets ?? [{ nodes: '10%' }]), { nodes: '0', reasons: ['Drifted'] }];
    });
  }
}

describe('without a freeze', () => {
  test('a plain UpdateClusterVersion has Karpenter replace nodes before EKS says Successful', async () => {
    const twin = await openTwin('seed-000');
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name: 'staging', version: '1.32' }));
    twin.until('a node was replaced', () => told(twin, /drifted$/).length > 0);
    const running = twin.world.eks.updates.find((u) => u.id === update?.id);
    expect(running?.status).toBe('InProgress');
    expect(twin.world.eks.cluster.version).toBe('1.31');
    expect(karpenterNodes(twin).some((n) => kubeletMinor(n) === '1.32')).toBe(true);
    await twin.close();
  });

  test('every node but the one that is blocked is replaced, never more at once than the budgets allow', () => {
    const built = steppedWorld('seed-000');
    moveControlPlane(built);
    let mostAway = 0;
    stepUntil(built, 'one node is left', () => {
      const away = going(built).filter((claim) => !isTrue(claim, 'InstanceTerminating'));
      mostAway = Math.max(mostAway, away.length);
      return lagging(built).length === 1 && built.world.store.list('nodeclaims').every((c) => c.metadata.deletionTimestamp === undefined);
    });
    expect(mostAway).toBeGreaterThan(0);
    expect(mostAway).toBeLessThanOrEqual(3);
    const [blocked] = lagging(built);
    const pods = built.world.store.list('pods').filter((p) => p.spec.nodeName === blocked?.metadata.name);
    expect(pods.map((p) => p.metadata.labels?.app)).toContain('license-server');
    stepUntil(
      built,
      'every Deployment is whole',
      () => built.world.store.list('deployments').every((d) => d.status.readyReplicas === d.spec.replicas),
      5,
    );
  });
});

test('EC2 without capacity: the NodeClaim goes with an event, and no condition ever says why; the next one comes', () => {
  const built = steppedWorld(small, ['karpenter:launch-fails=1@UpdateClusterVersion']);
  const { store, faults } = built.world;
  faults.meet({ api: 'eks', operation: 'UpdateClusterVersion', resource: 'clusters/small', mutates: true });
  moveControlPlane(built);
  const said = new Set<string>();
  const events = () => store.list('events', { namespace: 'default' }).filter(({ reason }) => reason === 'InsufficientCapacityError');
  stepUntil(built, 'a launch has failed', () => {
    for (const { metadata, status } of store.list('nodeclaims'))
      for (const { type, reason } of status?.conditions ?? []) if (type === 'Launched') said.add(`${metadata.name} ${reason}`);
    return events().length > 0;
  });
  const { name } = events()[0]?.involvedObject ?? {};
  expect(events()[0]?.message).toBe(`NodeClaim ${name} event: all requested instance types were unavailable during launch`);
  expect([...said].filter((each) => each.startsWith(name))).toEqual([`${name} AwaitingReconciliation`]);
  stepUntil(built, 'no node is left', () => lagging(built).length === 0);
  expect(store.get('nodeclaims', name)).toBeUndefined();
});

test.each([
  ['1.0.8', 3],
  ['1.0.7', 1],
])('Karpenter %s, a budget of one, instances that take minutes to end: at most %i end at once', (version, atOnce) => {
  const built = steppedWorld({ ...small, build: (world) => buildSmall(world, version) });
  built.world.tempo.nodeDrainMs = 3 * MINUTE_MS;
  moveControlPlane(built);
  let most = 0;
  stepUntil(built, 'no node is left', () => {
    most = Math.max(most, going(built).length);
    return lagging(built).length === 0;
  });
  expect(most).toBe(atOnce);
});

describe('what holds it back', () => {
  test('a budget of 0 for Drifted: claims are marked, nothing is replaced; without it the roll begins', () => {
    const built = steppedWorld('seed-000');
    freeze(built);
    moveControlPlane(built);
    built.step(30 * MINUTE_MS);
    expect([drifted(built).length, lagging(built).length, told(built, /replaces/)]).toEqual([32, 32, []]);
    const event = built.world.store
      .list('events', { namespace: 'default' })
      .find((e) => e.involvedObject.kind === 'NodePool' && e.reason === 'DisruptionBlocked');
    expect(event?.message).toBe('No allowed disruptions for disruption reason Drifted due to blocking budget');
    for (const pool of ['default', 'general']) {
      built.world.store.update('nodepools', pool, undefined, (copy) => void copy.spec.disruption.budgets.pop());
    }
    stepUntil(built, 'the roll begins', () => lagging(built).length < 32);
  });

  test('a PodDisruptionBudget: an event on Node and NodeClaim names it, and one more replica lets the node go', () => {
    const built = steppedWorld('seed-000');
    const { store } = built.world;
    moveControlPlane(built);
    stepUntil(built, 'one node is left', () => lagging(built).length === 1);
    const message = 'Pdb prevents pod evictions (PodDisruptionBudget=[internal/license-server])';
    const about = store.list('events', { namespace: 'default' }).filter((e) => e.reason === 'DisruptionBlocked' && e.message === message);
    expect(new Set(about.map((e) => `${e.type} ${e.involvedObject.kind}`))).toEqual(new Set(['Normal Node', 'Normal NodeClaim']));
    store.update('deployments', 'license-server', 'internal', (copy) => void (copy.spec.replicas = 2));
    stepUntil(built, 'no node is left', () => lagging(built).length === 0);
  });

  test.each([
    ['Node', 'nodes'],
    ['pod', 'pods'],
  ])('karpenter.sh/do-not-disrupt on a %s', (_what, plural) => {
    const built = steppedWorld('small');
    const { store } = built.world;
    const [node] = karpenterNodes(built);
    const held =
      plural === 'nodes'
        ? node
        : store.list('pods').find((p) => p.spec.nodeName === node?.metadata.name && p.metadata.namespace === 'shop');
    store.update(plural, held?.metadata.name ?? '', held?.metadata.namespace, (copy) => {
      copy.metadata.annotations = { ...copy.metadata.annotations, 'karpenter.sh/do-not-disrupt': 'true' };
    });
    moveControlPlane(built);
    built.step(30 * MINUTE_MS);
    expect(lagging(built).map((n) => n.metadata.name)).toEqual([node?.metadata.name]);
  });

  test('its own absence: no pod of Karpenter, no disruption', () => {
    const built = steppedWorld('small');
    built.world.store.update('deployments', 'karpenter', 'kube-system', (copy) => void (copy.spec.replicas = 0));
    moveControlPlane(built);
    built.step(30 * MINUTE_MS);
    expect([drifted(built).length, lagging(built).length]).toEqual([0, 3]);
  });

  test('images chosen by id: nothing drifts, and new nodes keep the old minor', () => {
    const built = steppedWorld('small');
    const { store } = built.world;
    const id = store.list('nodeclaims')[0]?.status.imageID;
    store.update('ec2nodeclasses', 'default', undefined, (copy) => {
      copy.spec.amiFamily = 'AL2023';
      copy.spec.amiSelectorTerms = [{ id }];
    });
    moveControlPlane(built);
    built.step(30 * MINUTE_MS);
    expect([drifted(built).length, lagging(built).length]).toEqual([0, 3]);
  });

  test('a pinned alias without an image for the new minor: the old list stays and nothing drifts', () => {
    const OLD = ['x86_64', 'arm64'].map((arch) => `amazon-eks-node-al2023-${arch}-standard-1.31-v20241115`);
    const built = steppedWorld('small');
    built.world.store.update(
      'ec2nodeclasses',
      'default',
      undefined,
      (copy) => void (copy.spec.amiSelectorTerms = [{ alias: 'al2023@v20241115' }]),
    );
    built.step(5 * MINUTE_MS);
    const images = (): string[] => built.world.store.get('ec2nodeclasses', 'default')?.status.amis.map((a: { name: string }) => a.name);
    expect(images()).toEqual(OLD);
    stepUntil(built, 'the old release is everywhere', () => drifted(built).length === 0 && karpenterNodes(built).length === 3);
    moveControlPlane(built);
    built.step(30 * MINUTE_MS);
    expect([images(), drifted(built).length]).toEqual([OLD, 0]);
  });
});

test('a node whose image is broken never registers: the pool says so and the old node stays in service', () => {
  const built = steppedWorld('small', ['bad-ami']);
  const health = (): string =>
    built.world.store.get('nodepools', 'default')?.status.conditions.find((c: { type: string }) => c.type === 'NodeRegistrationHealthy')
      .status;
  moveControlPlane(built);
  built.step(10 * MINUTE_MS);
  expect([lagging(built).length, health()]).toEqual([3, 'True']);
  stepUntil(built, 'the pool is unhealthy', () => health() === 'False');
  expect(lagging(built).filter((n) => n.metadata.deletionTimestamp === undefined)).toHaveLength(3);
  stepUntil(built, 'later nodes come up', () => lagging(built).length === 0 && health() === 'True');
});

test('a changed pool has to prove its registrations again', () => {
  const built = steppedWorld('small');
  freeze(built);
  built.step(MINUTE_MS);
  const status = built.world.store.get('nodepools', 'default')?.status;
  expect(status.conditions.find((c: { type: string }) => c.type === 'NodeRegistrationHealthy').status).toBe('Unknown');
  expect(status.conditions.find((c: { type: string }) => c.type === 'Ready').status).toBe('True');
});

test('pods without room get a node', () => {
  const built = steppedWorld('small');
  built.world.store.update('deployments', 'web', 'shop', (copy) => void (copy.spec.replicas = 40));
  stepUntil(built, 'all pods run', () => built.world.store.get('deployments', 'web', 'shop')?.status.readyReplicas === 40);
  expect(karpenterNodes(built).length).toBeGreaterThan(3);
});

test('a node that somebody deletes is drained, and its claim goes with it', () => {
  const built = steppedWorld('small');
  const { store } = built.world;
  const [claim] = store.list('nodeclaims');
  store.delete('nodes', claim?.status.nodeName);
  stepUntil(built, 'node and claim are gone', () => store.get('nodeclaims', claim?.metadata.name ?? '') === undefined);
  expect(store.get('nodes', claim?.status.nodeName)).toBeUndefined();
});

describe('which AMIs a node class chooses when the control plane moves', () => {
  const name = (world: BuiltWorld['world']): string[] =>
    (world.store.get('ec2nodeclasses', 'probe')?.status?.amis ?? []).map((ami: { name: string }) => ami.name);
  const ready = (world: BuiltWorld['world']) =>
    world.store
      .get('ec2nodeclasses', 'probe')
      ?.status?.conditions?.filter((c: { type: string }) => ['AMIsReady', 'Ready'].includes(c.type))
      .map((c: { type: string; status: string; reason?: string }) => [c.type, c.status, c.reason].filter(Boolean).join(' '));
  const of132 = (release: string) => [
    `amazon-eks-node-al2023-x86_64-standard-1.32-${release}`,
    `amazon-eks-node-al2023-arm64-standard-1.32-${release}`,
  ];
  const of133 = (release: string) => of132(release).map((each) => each.replace('1.32', '1.33'));

  function moved(terms: Record<string, string>[], karpenter: string): { before: string[]; after: string[]; conditions: string[] } {
    const { world } = steppedWorld('alias-without-build');
    const nodeClass = world.store.create('ec2nodeclasses', {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'probe' },
      spec: { amiSelectorTerms: terms, role: 'node' },
    });
    resolveNodeClass(world, nodeClass, karpenter);
    const before = name(world);
    world.eks.cluster.version = '1.33';
    resolveNodeClass(world, world.store.get('ec2nodeclasses', 'probe') ?? nodeClass, karpenter);
    return { before, after: name(world), conditions: ready(world) };
  }

  test.each([
    ['the newest', [{ alias: 'al2023@latest' }], of132('v20251016'), of133('v20251016')],
    ['a pinned release', [{ alias: 'al2023@v20251016' }], of132('v20251016'), of133('v20251016')],
    [
      'a pinned release without images: the old ones stay, and nothing says so',
      [{ alias: 'al2023@v20250403' }],
      of132('v20250403'),
      of132('v20250403'),
    ],
    ['a name', [{ name: of132('v20251016')[0] ?? '' }], of132('v20251016').slice(0, 1), of132('v20251016').slice(0, 1)],
  ])('%s', (_title, terms, before, after) => {
    expect(moved(terms, '1.6.2')).toEqual({ before, after, conditions: ['AMIsReady True AMIsReady', 'Ready True Ready'] });
  });

  test('al2 from 1.33 on: refused by a condition from Karpenter 1.6 on, silently kept by those before', () => {
    const terms = [{ alias: 'al2@latest' }];
    expect(moved(terms, '1.6.2').conditions).toEqual(['AMIsReady False UnsupportedAlias', 'Ready False UnhealthyDependents']);
    expect(moved(terms, '0.37.7').conditions).toEqual(['AMIsReady True AMIsReady', 'Ready True Ready']);
  });

  test('a name that matches nothing', () => {
    expect(moved([{ name: 'golden-*' }], '1.6.2').conditions).toEqual(['AMIsReady False AMINotFound', 'Ready False UnhealthyDependents']);
  });
});
