/** Those who carry out what a message asks for: GitOps merges, and Atlantis with its own AWS requests. */
import { afterEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, openTwin, stepUntil, steppedWorld, type Twin } from '../support.ts';

describe('GitOps', () => {
  test('rolls Karpenter to the version that was asked for, about a minute later', () => {
    const built = steppedWorld('seed-000');
    const { store } = built.world;
    built.owners.handle({ component: 'karpenter', name: 'kube-system/karpenter', version: '1.4.0', managedBy: 'argocd' });
    built.step(30_000);
    const image = (): string => store.get('deployments', 'karpenter', 'kube-system')?.spec.template.spec.containers[0].image;
    expect(image()).toBe('public.ecr.aws/karpenter/controller:1.1.1');
    built.step(3 * MINUTE_MS);
    expect(image()).toBe('public.ecr.aws/karpenter/controller:1.4.0');
    expect(store.get('deployments', 'karpenter', 'kube-system')?.status).toMatchObject({
      updatedReplicas: 2,
      readyReplicas: 2,
      replicas: 2,
    });
  });

  test('installs an Istio revision beside the old one, and later removes the old one with all its parts', () => {
    const built = steppedWorld('seed-002');
    const { store } = built.world;
    built.owners.handle({ component: 'istio', name: '1-28', version: '1.28', managedBy: 'argocd' });
    stepUntil(
      built,
      'istiod 1-28 is ready',
      () => (store.get('deployments', 'istiod-1-28', 'istio-system')?.status.readyReplicas ?? 0) === 2,
    );
    expect(store.get('deployments', 'istiod-1-28', 'istio-system')?.spec.template.spec.containers[0].image).toMatch(
      /^docker.io\/istio\/pilot:1\.28\.\d+$/,
    );
    for (const namespace of built.scenario.expectations.meshNamespaces ?? []) {
      store.update(
        'namespaces',
        namespace,
        undefined,
        (copy) => void (copy.metadata.labels = { ...copy.metadata.labels, 'istio.io/rev': '1-28' }),
      );
    }
    built.owners.handle({ component: 'istio-retire', name: '1-26', version: '1-28', managedBy: 'argocd' });
    stepUntil(built, 'istiod 1-26 is gone', () => store.get('deployments', 'istiod-1-26', 'istio-system') === undefined);
    expect(store.get('validatingwebhookconfigurations', 'istiod-default-validator')?.webhooks[0].clientConfig.service.name).toBe(
      'istiod-1-28',
    );
    expect(built.diff()).toEqual([]);
  });
});

describe('Atlantis', () => {
  let twin: Twin;
  afterEach(() => twin.close());

  const accepted = (): unknown[] => twin.world.journal.mutations.filter((m) => m.accepted).map((m) => [m.operation, m.resource]);
  /** Lets Atlantis's HTTP request through. */
  const settle = async (): Promise<void> => {
    twin.step(2 * MINUTE_MS);
    for (let look = 0; look < 100 && twin.world.journal.mutations.length === 0; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  test('applies with a token of its own, dies in the middle, and the update goes on', async () => {
    twin = await openTwin('seed-000-terraform');
    twin.owners.handle({ component: 'control-plane', name: 'staging', version: '1.32', managedBy: 'terraform' });
    await settle();
    expect(accepted()).toEqual([['UpdateClusterVersion', 'cluster']]);
    expect(twin.world.journal.mutations[0]?.token).toMatch(/^[0-9a-f-]{36}$/);
    twin.step(4 * MINUTE_MS);
    expect(twin.world.journal.events.map((e) => e.text)).toContain(
      'Atlantis dies in the middle of its apply: the run log is lost, the EKS update goes on',
    );
    twin.until('the control plane is at 1.32', () => twin.world.eks.cluster.version === '1.32');
  });

  test('asked again, it finds nothing to change', async () => {
    twin = await openTwin('small');
    const ask = { component: 'add-on', name: 'coredns', version: 'v1.11.4-eksbuild.2', managedBy: 'terraform' };
    twin.owners.handle(ask);
    twin.owners.handle(ask);
    await settle();
    twin.until('coredns is there', () => twin.world.eks.addOns[0]?.version === ask.version);
    twin.owners.handle(ask);
    await settle();
    expect(accepted()).toEqual([['UpdateAddon', 'addon/coredns']]);
    expect(twin.world.journal.events.at(-1)?.text).toBe('Atlantis: terraform plan, add-on coredns: no changes');
  });

  test('applies a node group', async () => {
    twin = await openTwin('small');
    twin.world.eks.cluster.version = '1.32';
    twin.owners.handle({ component: 'node-group', name: 'default', version: '1.32', managedBy: 'terraform' });
    await settle();
    expect(accepted()).toEqual([['UpdateNodegroupVersion', 'nodegroup/default']]);
  });
});
