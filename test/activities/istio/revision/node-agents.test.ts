/** istio-cni and ztunnel by Helm: in place, once, with their values; watched until every node has them. */
import { describe, expect, test } from 'vitest';
import type { NodeAgentChange } from '../../../../domain/plan/model/changes.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { helmSecret, meshWorld } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import type { HelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';

const cluster = CLUSTER;
const CNI: NodeAgentChange = { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.27.3', toMinor: '1.28' };
const REF = { apiVersion: 'apps/v1', plural: 'daemonsets', namespace: 'istio-system', name: 'istio-cni-node' };

interface Shape {
  version?: string;
  updated?: number;
  updateStrategy?: string;
  annotations?: Record<string, string>;
}

const OWNED = { 'meta.helm.sh/release-name': 'mesh-cni', 'meta.helm.sh/release-namespace': 'istio-system' };

function put(
  port: FakeKubernetes,
  { version = '1.27.3', updated = 3, updateStrategy = 'RollingUpdate', annotations = OWNED }: Shape,
): void {
  port.put('apps/v1', 'daemonsets', {
    metadata: { name: REF.name, namespace: REF.namespace, annotations },
    spec: {
      updateStrategy: { type: updateStrategy },
      template: { spec: { containers: [{ name: 'install-cni', image: `docker.io/istio/install-cni:${version}` }] } },
    },
    status: { observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: updated, numberAvailable: 3 },
  });
}

function world(shape: Shape = {}): FakeKubernetes {
  const config = { global: { tag: '1.27.3', hub: 'registry.example.org/istio' }, cni: { excludeNamespaces: ['kube-system'] } };
  const port = meshWorld().put('v1', 'secrets', helmSecret('mesh-cni', 'deployed', { appVersion: '1.27.3', config }));
  put(port, shape);
  return port;
}

/** Upgrades the DaemonSet and writes the release's next record, as helm does. */
function helmOf(port: FakeKubernetes): { calls: string[]; values: unknown[]; runner: HelmRunner } {
  const seen = { calls: [] as string[], values: [] as unknown[] };
  const runner: HelmRunner = {
    run: async (args, { input }) => {
      if (args[0] === 'show') return { code: 0, stderr: '', stdout: 'version: 1.28.3\nappVersion: 1.28.3\n' };
      seen.calls.push(args.join(' '));
      seen.values.push(JSON.parse(input ?? ''));
      put(port, { version: '1.28.3' });
      port.put('v1', 'secrets', helmSecret('mesh-cni', 'deployed', { version: 2, appVersion: '1.28.3' }));
      return { code: 0, stderr: '', stdout: '' };
    },
  };
  return { ...seen, runner };
}

const istio = (port: FakeKubernetes, runner?: HelmRunner) =>
  createIstioActivities({
    ...depsOf(port, { policy: { managedBy: { ...policy().managedBy, istio: 'helm' } } }),
    ...(runner === undefined ? {} : { helm: runner }),
    pendingWaitMs: 0,
  });

describe('upgrading', () => {
  test('its own release, with its values but not its pinned image; a second call changes nothing', async () => {
    const port = world();
    const { calls, values, runner } = helmOf(port);
    const upgrade = () => istio(port, runner).upgradeNodeAgent({ cluster, agent: CNI, token: 'belay-1' });
    expect(await istio(port).readNodeAgents({ cluster, agents: [CNI] })).toEqual({ behind: [CNI] });
    expect(await upgrade()).toEqual({ version: '1.28.3' });
    expect(await upgrade()).toEqual({ version: '1.28.3' });
    expect(calls).toEqual([
      'upgrade mesh-cni cni --repo https://blob.istio.io/istio-release/charts --version 1.28.3 --namespace istio-system --values - --description belay-1 --labels belay.dev/token=belay-1',
    ]);
    expect(values).toEqual([{ global: { hub: 'registry.example.org/istio' }, cni: { excludeNamespaces: ['kube-system'] } }]);
    expect(await istio(port).readNodeAgents({ cluster, agents: [CNI] })).toEqual({ behind: [] });
  });

  test.each([
    [CNI, { global: { hub: 'docker.io/istio' } }],
    [{ ...CNI, kind: 'ztunnel' as const, from: '1.29.6' }, { hub: 'docker.io/istio' }],
  ])('$kind 1.30 comes from the registry of all other minors: its own ends', async (agent, wanted) => {
    const port = meshWorld().put('v1', 'secrets', helmSecret('mesh-cni', 'deployed', { appVersion: '1.27.3', config: {} }));
    put(port, {});
    const { values, runner } = helmOf(port);
    const newer: HelmRunner = {
      run: (args, options) =>
        args[0] === 'show'
          ? Promise.resolve({ code: 0, stderr: '', stdout: 'version: 1.30.4\nappVersion: 1.30.4\n' })
          : runner.run(args, options),
    };
    await istio(port, newer).upgradeNodeAgent({ cluster, agent: { ...agent, toMinor: '1.30' }, token: 'belay-1' });
    expect(values).toEqual([wanted]);
  });

  test('a release that lies in another namespace than its DaemonSet is upgraded where it lies', async () => {
    const port = meshWorld();
    const record = helmSecret('mesh-cni', 'deployed', { appVersion: '1.27.3' });
    port.put('v1', 'secrets', { ...record, metadata: { ...record.metadata, namespace: 'mesh-releases' } });
    put(port, { annotations: { ...OWNED, 'meta.helm.sh/release-namespace': 'mesh-releases' } });
    const { calls, runner } = helmOf(port);
    await istio(port, runner).upgradeNodeAgent({ cluster, agent: CNI, token: 'belay-1' });
    expect(calls).toEqual([expect.stringMatching(/^upgrade mesh-cni cni .* --namespace mesh-releases /)]);
  });

  test('a worker that was killed in the middle left the release pending: it is taken up', async () => {
    const port = world();
    port.put('v1', 'secrets', helmSecret('mesh-cni', 'pending-upgrade', { version: 2, labels: { 'belay.dev/token': 'belay-1' } }));
    const { calls, runner } = helmOf(port);
    await istio(port, runner).upgradeNodeAgent({ cluster, agent: CNI, token: 'belay-1' });
    expect(calls).toHaveLength(1);
  });

  test.each(['deployed', 'superseded'])(
    'an operation of others with labels from a %s revision of Belay is left to them',
    async (status) => {
      const labels = { 'belay.dev/token': 'belay-0' };
      const port = world();
      port.put('v1', 'secrets', helmSecret('mesh-cni', status, { version: 2, labels }));
      port.put('v1', 'secrets', helmSecret('mesh-cni', 'pending-upgrade', { version: 3, labels }));
      const { calls, runner } = helmOf(port);
      await expect(istio(port, runner).upgradeNodeAgent({ cluster, agent: CNI, token: 'belay-1' })).rejects.toThrow(
        'another operation is in progress (pending-upgrade)',
      );
      expect(calls).toEqual([]);
      expect(
        port.look({ apiVersion: 'v1', plural: 'secrets', namespace: 'istio-system', name: 'sh.helm.release.v1.mesh-cni.v3' }),
      ).toBeDefined();
    },
  );

  test('what Helm did not install is not touched', async () => {
    const port = world({ annotations: {} });
    const { calls, runner } = helmOf(port);
    await expect(istio(port, runner).upgradeNodeAgent({ cluster, agent: CNI, token: 'belay-1' })).rejects.toThrow(
      'upgrading istio-cni: DaemonSet istio-system/istio-cni-node belongs to no Helm release; upgrade it to 1.28 as it was installed, then retry',
    );
    expect(calls).toEqual([]);
  });
});

describe('waiting', () => {
  const wait = (shape: Shape) => istio(world(shape)).awaitNodeAgent({ cluster, timing: quickTiming({ driftTimeoutMs: 15 }), agent: CNI });

  test.each<[title: string, shape: Shape, result: object]>([
    ['rolled out', { version: '1.28.3' }, { done: true }],
    ['another patch, rolled out', { version: '1.28.0' }, { done: true }],
    ['still old', {}, { done: false, lack: 'istio-cni-node is at 1.27.3, 1.28 is wanted' }],
    ['rolling', { version: '1.28.3', updated: 1 }, { done: false, lack: 'istio-cni-node: 1 of 3 pods are new' }],
    [
      'without a version in its tag',
      { version: 'latest' },
      { done: false, lack: 'istio-cni-node is at an unknown version, 1.28 is wanted' },
    ],
    [
      'OnDelete: its pods change with their nodes',
      { version: '1.28.3', updated: 0, updateStrategy: 'OnDelete' },
      { done: true, onDelete: true },
    ],
  ])('%s', async (_title, shape, result) => {
    expect(await wait(shape)).toEqual(result);
  });
});

test('a DaemonSet that is gone is not at the wanted minor', async () => {
  const port = world();
  port.remove(REF);
  expect(await istio(port).readNodeAgents({ cluster, agents: [CNI] })).toEqual({ behind: [CNI] });
  expect(await istio(port).awaitNodeAgent({ cluster, timing: quickTiming({ driftTimeoutMs: 15 }), agent: CNI })).toEqual({
    done: false,
    lack: 'DaemonSet istio-system/istio-cni-node is gone',
  });
});

test('once its chart is there, an image that values hold back is not waited for', async () => {
  const wait = (shape: Shape) =>
    istio(world(shape)).awaitNodeAgent({
      cluster,
      timing: quickTiming({ askTimeoutMs: 60_000 }),
      agent: CNI,
      askedOthers: true,
      delivered: true,
    });
  expect(await wait({})).toEqual({ done: false, lack: 'istio-cni-node is at 1.27.3, 1.28 is wanted', pinned: true });
  expect(await wait({ version: '1.28.3' })).toEqual({ done: true });
});
