/** Karpenter's API of v1alpha5 in the twin: what 0.32 sees, and the three ways in which nodes of Machines move. */
import { describe, expect, test } from 'vitest';
import { conditionOf, isReady } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { seed004 } from '../../../rehearsal/scenarios/seeds/seed-004.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { MINUTE_MS, steppedWorld, stepUntil } from '../support.ts';

const LEGACY = { key: 'karpenter.sh/legacy', value: 'true', effect: 'NoSchedule' };

function ask({ owners, step }: BuiltWorld, name: string, version: string, component = 'karpenter'): void {
  owners.handle({ component, name, version, managedBy: 'terraform' });
  step(4 * MINUTE_MS);
}

/** To the point where both APIs stand side by side. */
function bridged(): BuiltWorld {
  const built = steppedWorld(seed004);
  ask(built, 'karpenter-crd', 'v0.32.10');
  ask(built, 'karpenter', 'v0.32.10');
  ask(built, 'karpenter', 'v1beta1', 'karpenter-manifests');
  // Its team has done its part.
  built.world.store.update('deployments', 'reports', 'reports', ({ spec }) => void delete spec.template.spec.nodeSelector);
  return built;
}

function taint({ world }: BuiltWorld): void {
  world.store.update('provisioners', 'default', undefined, ({ spec }) => void (spec.taints = [LEGACY]));
}

const machines = ({ world }: BuiltWorld): string[] => world.store.list('machines').map(({ metadata }) => metadata.name);
const waiting = ({ world }: BuiltWorld): string[] =>
  world.store.list('pods').flatMap((pod) => (conditionOf(pod, 'PodScheduled')?.status === 'False' ? [pod.metadata.name] : []));
const fewestReady = (built: BuiltWorld, most: number): number =>
  Math.min(most, built.world.store.list('pods', { labels: { app: 'web' } }).filter(isReady).length);

describe('0.32', () => {
  test('serves both APIs; Machines stay, and a new NodePool replaces nothing by itself', () => {
    const built = bridged();
    const before = machines(built);
    built.step(10 * MINUTE_MS);
    expect([before.length, machines(built)]).toEqual([3, before]);
    const pool = built.world.store.get('nodepools', 'default')!;
    expect([pool.apiVersion, pool.spec.template.spec.nodeClassRef.name, conditionOf(pool, 'Ready')?.status]).toEqual([
      'karpenter.sh/v1beta1',
      'default',
      'True',
    ]);
    expect(built.world.store.get('provisioners', 'default')).toBeDefined();
  });

  test('a taint moves nothing while the gate is off; with it nodes go one by one, and budgets hold', () => {
    const built = bridged();
    taint(built);
    built.step(5 * MINUTE_MS);
    expect(machines(built)).toHaveLength(3);
    built.owners.handle({ component: 'karpenter', name: 'karpenter', version: 'v0.32.10', managedBy: 'terraform' });
    let ready = 3;
    let mostGoing = 0;
    stepUntil(built, 'no Machine is left', () => {
      ready = fewestReady(built, ready);
      const going = built.world.store.list('machines').filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      mostGoing = Math.max(mostGoing, going.length);
      return machines(built).length === 0;
    });
    expect(ready).toBeGreaterThanOrEqual(2);
    expect(mostGoing).toBe(1);
    stepUntil(built, 'no pod waits', () => waiting(built).length === 0);
    expect(built.world.store.list('nodes').filter(({ metadata }) => metadata.labels?.['karpenter.sh/provisioner-name'])).toEqual([]);
  });

  test('deleting the Provisioner in the foreground takes all of its nodes, and it waits for them', () => {
    const built = bridged();
    built.world.store.delete('provisioners', 'default', undefined, { propagationPolicy: 'Foreground' });
    built.step(2_000);
    const going = built.world.store.list('machines').filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(going.length).toBeGreaterThan(1);
    stepUntil(built, 'the Provisioner is gone', () => built.world.store.get('provisioners', 'default') === undefined);
    expect(machines(built)).toEqual([]);
    stepUntil(built, 'no pod waits', () => waiting(built).length === 0);
  });

  test('somebody deletes the nodes, one after the other', () => {
    const built = bridged();
    taint(built);
    ask(built, 'karpenter-nodes', 'v1beta1', 'karpenter-manifests');
    stepUntil(built, 'no Machine is left', () => machines(built).length === 0);
    ask(built, 'karpenter-old', 'v1beta1', 'karpenter-manifests');
    expect([...built.world.store.list('provisioners'), ...built.world.store.list('awsnodetemplates')]).toEqual([]);
  });
});

test('from there to 1.0; what Terraform has only rendered stays behind', () => {
  const built = bridged();
  taint(built);
  ask(built, 'karpenter', 'v0.32.10');
  stepUntil(built, 'no Machine is left', () => machines(built).length === 0);
  ask(built, 'karpenter-old', 'v1beta1', 'karpenter-manifests');
  for (const version of ['0.37.7', '1.0.14']) {
    const charts = version === '0.37.7' ? ['karpenter', 'karpenter-crd'] : ['karpenter-crd', 'karpenter'];
    for (const chart of charts) ask(built, chart, version);
  }
  ask(built, 'karpenter', 'v1', 'karpenter-manifests');
  expect(built.unmet().filter((text) => /karpenter|stored/i.test(text))).toEqual([
    'there are still MutatingWebhookConfiguration defaulting.webhook.karpenter.k8s.aws, ValidatingWebhookConfiguration validation.webhook.karpenter.k8s.aws, ValidatingWebhookConfiguration validation.webhook.karpenter.sh, ValidatingWebhookConfiguration validation.webhook.config.karpenter.sh',
  ]);
});
