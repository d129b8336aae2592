import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyNodeGroup } from '../../../activities/observe/checks/node-group.ts';
import { createEksActivities } from '../../../activities/eks/index.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../../activities/contract/ports.ts';
import { CLUSTER } from '../../support/facts.ts';
import { type FakeEks, NOW_SECONDS, startFakeEks, update } from '../support/fake-eks.ts';
import { QUICK } from '../support/timing.ts';
import type { EksActivities } from '../../../activities/contract/eks.ts';

let eks: FakeEks;
let objects: Record<string, KubeObject>;
let nodes: KubeObject[];
let activities: EksActivities;

beforeEach(async () => {
  eks = await startFakeEks();
  objects = {};
  nodes = [];
  activities = createEksActivities({ aws: () => eks.aws, clusterPorts: async () => ({ kubernetes }) });
});
afterEach(() => eks.close());

const refuse = () => Promise.reject(new Error('not part of these tests'));
const kubernetes: KubernetesPort = {
  // The shape asked for is the caller's word, as on the wire.
  get: async <T extends KubeObject>({ plural, name }: ResourceRef) => objects[`${plural}/${name}`] as T | undefined,
  list: async <T extends KubeObject>() => nodes as T[],
  version: refuse,
  readyz: refuse,
  metrics: refuse,
  getInPod: refuse,
  scrape: refuse,
  patch: refuse,
  create: refuse,
  delete: refuse,
  serverDate: () => undefined,
};

const node = (name: string, kubeletVersion: string, ready = 'True'): KubeObject => ({
  metadata: { name, uid: name, resourceVersion: '1' },
  status: { nodeInfo: { kubeletVersion }, conditions: [{ type: 'Ready', status: ready }] },
});

function daemonSet(name: string, image: string, updated: number): KubeObject {
  return {
    metadata: { name, namespace: 'kube-system', uid: name, resourceVersion: '1', generation: 2 },
    spec: { template: { spec: { containers: [{ name, image }] } } },
    status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: updated, numberAvailable: 3 },
  };
}

describe('an add-on is healthy', () => {
  const input = { cluster: CLUSTER, timing: QUICK, addOn: 'kube-proxy', to: 'v1.33.3-eksbuild.4' };
  const image = 'registry/eks/kube-proxy:v1.33.3-minimal-eksbuild.4';
  const active = { addonName: 'kube-proxy', addonVersion: 'v1.33.3-eksbuild.4', status: 'ACTIVE' };

  test('when EKS says so and its workload has rolled', async () => {
    eks.addOns = { 'kube-proxy': active };
    objects = { 'daemonsets/kube-proxy': daemonSet('kube-proxy', image, 3) };
    expect(await activities.awaitAddOnHealthy(input)).toEqual({ healthy: true, message: 'kube-proxy is healthy at v1.33.3-eksbuild.4' });
  });

  test.each<[string, Record<string, unknown>, number, string]>([
    ['not while pods are old', active, 1, 'kube-proxy: 1 of 3 pods are new'],
    [
      'not while EKS reports an issue',
      { ...active, health: { issues: [{ code: 'InsufficientNumberOfReplicas', message: 'no room' }] } },
      3,
      'EKS reports InsufficientNumberOfReplicas (no room)',
    ],
    ['not at another version', { ...active, addonVersion: 'v1.32.0-eksbuild.2' }, 3, 'EKS has it at v1.32.0-eksbuild.2'],
    ['not while it is updated', { ...active, status: 'UPDATING' }, 3, 'EKS has it UPDATING'],
  ])('%s', async (_when, addOn, updated, why) => {
    eks.addOns = { 'kube-proxy': addOn };
    objects = { 'daemonsets/kube-proxy': daemonSet('kube-proxy', image, updated) };
    const { healthy, message } = await activities.awaitAddOnHealthy({ ...input, timing: { ...QUICK, addOnTimeoutMs: 30 } });
    expect({ healthy, message }).toEqual({
      healthy: false,
      message: `kube-proxy is not healthy at v1.33.3-eksbuild.4 after the time allowed: ${why}`,
    });
  });

  describe('where pods lack on nodes that cannot have them yet', () => {
    const BORN = '2026-03-01T08:00:00Z';
    const born = (one: KubeObject, creationTimestamp: string): KubeObject => ({ ...one, metadata: { ...one.metadata, creationTimestamp } });
    const settled = (count: number): KubeObject[] =>
      Array.from({ length: count }, (_, index) => born(node(`node-${index}`, 'v1.33.1-eks-1'), BORN));
    const of = (updated: number, available: number): KubeObject => {
      const set = daemonSet('kube-proxy', image, updated);
      const status = { ...(set.status as object), desiredNumberScheduled: 20, numberAvailable: available };
      return { ...set, status };
    };
    const healthy = async (set: KubeObject): Promise<boolean> => {
      eks.addOns = { 'kube-proxy': active };
      objects = { 'daemonsets/kube-proxy': set };
      return (await activities.awaitAddOnHealthy({ ...input, timing: { ...QUICK, addOnTimeoutMs: 30 } })).healthy;
    };
    const sick = born(node('sick', 'v1.33.1-eks-1', 'False'), BORN);
    const fresh = (): KubeObject => born(node('fresh', 'v1.33.1-eks-1'), new Date().toISOString());

    test('one that is not Ready, one that has just come: it has rolled wherever it can', async () => {
      nodes = [...settled(18), sick, fresh()];
      expect(await healthy(of(19, 18))).toBe(true);
    });

    test.each<[string, () => KubeObject[], KubeObject]>([
      ['all nodes are well', () => settled(20), of(20, 18)],
      ['fewer nodes than pods are not', () => [...settled(19), sick], of(19, 18)],
      [
        'more than one in ten pods lack, whatever their nodes are',
        () => [...settled(10), ...Array.from({ length: 10 }, () => sick)],
        of(20, 17),
      ],
      [
        'the DaemonSet was not looked at yet',
        () => [...settled(18), sick, fresh()],
        { ...of(19, 18), status: { ...(of(19, 18).status as object), observedGeneration: 1 } },
      ],
    ])('not where %s', async (_when, these, set) => {
      nodes = these();
      expect(await healthy(set)).toBe(false);
    });
  });

  test('by its image where EKS does not manage it', async () => {
    objects = { 'daemonsets/kube-proxy': daemonSet('kube-proxy', image, 3) };
    expect(await activities.awaitAddOnHealthy(input)).toMatchObject({ healthy: true });
  });

  test.each<[string, string | undefined, string]>([
    ['at another version', 'registry/eks/kube-proxy:v1.32.0-minimal-eksbuild.2', 'kube-proxy runs v1.32.0-eksbuild.2'],
    ['with a tag that is no version', 'registry/eks/kube-proxy:latest', 'kube-proxy runs an image without a version tag'],
    ['with a digest alone', 'registry/eks/kube-proxy@sha256:00', 'kube-proxy runs an image without a version tag'],
    ['nowhere', undefined, 'neither EKS nor kube-system has it'],
  ])('not by an image %s', async (_what, running, why) => {
    if (running !== undefined) objects = { 'daemonsets/kube-proxy': daemonSet('kube-proxy', running, 3) };
    expect(await activities.awaitAddOnHealthy({ ...input, timing: { ...QUICK, addOnTimeoutMs: 30 } })).toEqual({
      healthy: false,
      message: `kube-proxy is not healthy at v1.33.3-eksbuild.4 after the time allowed: ${why}`,
    });
  });
});

describe('a node group with an image of its own', () => {
  const input = {
    cluster: CLUSTER,
    nodeGroup: 'gpu',
    to: '1.33',
    token: 'belay-token',
    notBefore: new Date(NOW_SECONDS * 1000).toISOString(),
  };
  beforeEach(() => {
    eks.nodeGroups = {
      gpu: { nodegroupName: 'gpu', version: '1.32', status: 'ACTIVE', amiType: 'CUSTOM', launchTemplate: { name: 'gpu-template' } },
    };
  });

  test('is never sent a version: people are told what to do', async () => {
    nodes = [node('a', 'v1.32.3-eks-1')];
    await expect(activities.startNodeGroupUpdate(input)).rejects.toThrow(
      'it runs an image of your own; put an image for 1.33 into gpu-template, update the group to that template version, then retry',
    );
    expect(eks.requests.some(({ operation }) => operation === 'UpdateNodegroupVersion')).toBe(false);
  });

  test('is there when all its kubelets are, and its running update is adopted', async () => {
    nodes = [node('a', 'v1.33.3-eks-1'), node('b', 'v1.33.3-eks-1')];
    expect(await activities.startNodeGroupUpdate(input)).toEqual({ adopted: false, alreadyThere: true });
    eks.updates.push(update({ id: 'by-people', of: 'nodegroup/gpu', params: [{ type: 'LaunchTemplateVersion', value: '7' }] }));
    expect(await activities.startNodeGroupUpdate(input)).toMatchObject({ updateId: 'by-people', adopted: true });
  });
});

test('a node group is verified by EKS and by its kubelets', async () => {
  eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.33', status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' } };
  nodes = [node('a', 'v1.33.3-eks-1'), node('b', 'v1.33.3-eks-1')];
  const input = { cluster: CLUSTER, timing: QUICK, nodeGroup: 'workers', to: '1.33' };
  expect(await verifyNodeGroup(eks.aws, kubernetes, input)).toEqual({ findings: [] });
});

describe('RA12: nodes of a group that are not Ready', () => {
  const input = { cluster: CLUSTER, timing: QUICK, nodeGroup: 'workers', to: '1.33' };
  const ready = (count: number): KubeObject[] => Array.from({ length: count }, (_, index) => node(`ready-${index}`, 'v1.33.3-eks-1'));
  const sick = (name: string, agoMs = 60 * 60_000): KubeObject => {
    const one = node(name, 'v1.33.3-eks-1', 'False');
    return { ...one, metadata: { ...one.metadata, creationTimestamp: new Date(Date.now() - agoMs).toISOString() } };
  };
  beforeEach(() => {
    eks.nodeGroups = { workers: { nodegroupName: 'workers', version: '1.33', status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' } };
  });

  test('do not stop it while they are one in ten', async () => {
    nodes = [...ready(9), sick('sick')];
    const { findings } = await verifyNodeGroup(eks.aws, kubernetes, input);
    expect(findings).toMatchObject([{ code: 'K8S105', severity: 'recommended', message: '1 of 10 nodes of workers are not Ready: sick.' }]);
  });

  test('have ten minutes to become it', async () => {
    nodes = [...ready(1), sick('new', 60_000)];
    expect(await verifyNodeGroup(eks.aws, kubernetes, input)).toEqual({ findings: [] });
  });

  test('stop it where they are more', async () => {
    nodes = [...ready(8), sick('a'), sick('b')];
    const timing = { ...QUICK, pollMaxMs: 1 };
    expect((await verifyNodeGroup(eks.aws, kubernetes, { ...input, timing })).findings).toMatchObject([
      { code: 'K8S103', severity: 'required' },
    ]);
  }, 90_000);
});
