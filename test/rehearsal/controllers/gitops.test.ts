/** The twin's Flux and Argo CD: they deliver what their objects say, put back what Git does not say, and take back what fails. */
import { describe, expect, test } from 'vitest';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { conditionOf } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { MINUTE_MS, stepUntil, steppedWorld } from '../support.ts';

const image = ({ world }: BuiltWorld): string =>
  world.store.get('deployments', 'karpenter', 'kube-system')?.spec.template.spec.containers[0].image.split(':')[1];
const release = ({ world }: BuiltWorld) => world.store.get('helmreleases', 'karpenter', 'flux-system');
const application = ({ world }: BuiltWorld) => world.store.get('applications', 'karpenter', 'argocd');

function tag({ world }: BuiltWorld, version: string): void {
  world.store.update('ocirepositories', 'karpenter', 'flux-system', (copy) => void (copy.spec.ref = { tag: version }));
}

function request({ world }: BuiltWorld, token: string): void {
  world.store.update('helmreleases', 'karpenter', 'flux-system', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, 'reconcile.fluxcd.io/requestedAt': token };
  });
}

describe('Flux', () => {
  test('upgrades to the tag, and acknowledges the request when it is done', () => {
    const built = steppedWorld('karpenter-flux');
    tag(built, '1.2.8');
    request(built, 't-1');
    stepUntil(built, 'Flux has handled the request', () => release(built)?.status.lastHandledReconcileAt === 't-1');
    expect(
      release(built)?.status.history.map((entry: { chartVersion: string; status: string }) => [entry.chartVersion, entry.status]),
    ).toEqual([
      ['1.2.8', 'deployed'],
      ['1.1.10', 'superseded'],
    ]);
    expect([image(built), conditionOf(release(built)!, 'Ready')?.status]).toEqual(['1.2.8', 'True']);
  });

  test('takes back an upgrade that fails, and tries again when it is asked to', () => {
    const built = steppedWorld('karpenter-flux', ['karpenter:upgrade-fails']);
    tag(built, '1.2.8');
    request(built, 't-1');
    stepUntil(built, 'Flux has handled the request', () => release(built)?.status.lastHandledReconcileAt === 't-1');
    const { history } = release(built)!.status;
    expect(history.slice(0, 2).map((entry: { chartVersion: string; status: string }) => [entry.chartVersion, entry.status])).toEqual([
      ['1.1.10', 'deployed'],
      ['1.2.8', 'failed'],
    ]);
    expect([image(built), conditionOf(release(built)!, 'Remediated')?.reason]).toEqual(['1.1.10', 'RollbackSucceeded']);
    request(built, 't-2');
    stepUntil(built, 'Flux has handled the second request', () => release(built)?.status.lastHandledReconcileAt === 't-2');
    expect([image(built), conditionOf(release(built)!, 'Remediated')]).toEqual(['1.2.8', undefined]);
  });

  test('uninstalls by Helm’s own record: a source that went first is not needed', () => {
    const built = steppedWorld('istio-flux');
    built.step(MINUTE_MS);
    const { store } = built.world;
    store.delete('helmreleases', 'istiod-1-26', 'flux-system');
    store.delete('ocirepositories', 'istiod-1-26', 'flux-system');
    stepUntil(built, 'istiod of 1-26 is gone', () => store.get('deployments', 'istiod-1-26', 'istio-system') === undefined, 5);
    expect(store.get('helmreleases', 'istiod-1-26', 'flux-system')).toBeUndefined();
  });

  test('a Kustomization puts back a tag that is not in Git; a merge is delivered', () => {
    const built = steppedWorld('karpenter-flux-git');
    built.step(MINUTE_MS);
    tag(built, '1.2.8');
    built.step(MINUTE_MS);
    expect([built.world.store.get('ocirepositories', 'karpenter', 'flux-system')?.spec.ref, image(built)]).toEqual([
      { tag: '1.1.10' },
      '1.1.10',
    ]);
    built.owners.handle({ component: 'karpenter', name: 'karpenter', version: '1.2.8', managedBy: 'flux' });
    stepUntil(built, 'Karpenter is at 1.2.8', () => release(built)?.status.history[0].chartVersion === '1.2.8');
    expect(image(built)).toBe('1.2.8');
  });
});

describe('Argo CD', () => {
  const aim = ({ world }: BuiltWorld, operation?: object): void =>
    void world.store.update('applications', 'karpenter', 'argocd', (copy) => {
      copy.spec.source.targetRevision = '1.2.8';
      if (operation !== undefined) copy['operation'] = operation;
    });

  test('takes up the operation that it is given, and is healthy when all pods are new', () => {
    const built = steppedWorld('karpenter-argo');
    built.step(MINUTE_MS);
    const operation = { info: [{ name: 'who', value: 'test' }], sync: { revision: '1.2.8' } };
    aim(built, operation);
    stepUntil(built, 'the sync is over', () => application(built)?.status.operationState?.phase === 'Succeeded');
    built.step(MINUTE_MS);
    expect(application(built)).toMatchObject({
      status: { sync: { status: 'Synced', revision: '1.2.8' }, health: { status: 'Healthy' }, operationState: { operation } },
    });
    expect([application(built)?.['operation'], image(built)]).toEqual([undefined, '1.2.8']);
  });

  test('syncs by itself where that is automated, and heals what was changed by hand', () => {
    const built = steppedWorld('karpenter-argo');
    built.step(MINUTE_MS);
    aim(built);
    stepUntil(built, 'Karpenter is at 1.2.8', () => image(built) === '1.2.8');
    built.step(5 * MINUTE_MS);
    built.world.store.update('deployments', 'karpenter', 'kube-system', (copy) => {
      copy.spec.template.spec.containers[0].image = 'public.ecr.aws/karpenter/controller:1.1.10';
    });
    built.step(MINUTE_MS);
    expect(image(built)).toBe('1.2.8');
  });

  test('a sync that fails leaves everything as it was', () => {
    const built = steppedWorld('karpenter-argo', ['karpenter:upgrade-fails']);
    built.step(MINUTE_MS);
    aim(built, { sync: { revision: '1.2.8' } });
    built.step(10_000);
    expect([application(built)?.status.operationState.phase, image(built)]).toEqual(['Failed', '1.1.10']);
  });
});
