/** Add-ons that somebody has brought further than the plan asks for: left there where EKS offers that version, and never taken down. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEksActivities } from '../../../../activities/eks/index.ts';
import type { EksActivities } from '../../../../activities/contract/eks.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { type FakeEks, NOW_SECONDS, startFakeEks, update } from '../../support/fake-eks.ts';
import { QUICK } from '../../support/timing.ts';

const OLD = 'v1.19.0-eksbuild.1';
const PLANNED = 'v1.20.2-eksbuild.1';
const NEWER = 'v1.20.4-eksbuild.1';

let eks: FakeEks;
let kubernetes: FakeKubernetes;
let activities: EksActivities;
/** By Kubernetes minor. */
let offered: string[];

beforeEach(async () => {
  eks = await startFakeEks();
  kubernetes = new FakeKubernetes();
  offered = [OLD, PLANNED, NEWER];
  eks.extra = (_, path) =>
    path === '/addons/supported-versions'
      ? { addons: [{ addonName: 'vpc-cni', addonVersions: offered.map((addonVersion) => ({ addonVersion })) }] }
      : undefined;
  activities = createEksActivities({ aws: () => eks.aws, clusterPorts: async () => ({ kubernetes }) });
});
afterEach(() => eks.close());

const sent = () => eks.requests.filter(({ operation }) => operation === 'UpdateAddon');
const installed = (addonVersion: string, status = 'ACTIVE'): void => {
  eks.addOns = { 'vpc-cni': { addonName: 'vpc-cni', addonVersion, status } };
};
const updateTo = (version: string, change: Partial<Parameters<typeof update>[0]> = {}): void =>
  void eks.updates.push(
    update({ id: 'by-others', type: 'AddonUpdate', params: [{ type: 'AddonVersion', value: version }], of: 'addon/vpc-cni', ...change }),
  );

describe('starting an update of an add-on that is newer by now', () => {
  const NOT_BEFORE = new Date(NOW_SECONDS * 1000).toISOString();
  const start = (input: object = { newerOn: '1.33' }) =>
    activities.startAddOnUpdate({ cluster: CLUSTER, addOn: 'vpc-cni', to: PLANNED, token: 'belay-token', notBefore: NOT_BEFORE, ...input });

  test('sends nothing: it is there', async () => {
    installed(NEWER);
    expect(await start()).toEqual({ adopted: false, alreadyThere: true });
    expect(sent()).toHaveLength(0);
  });

  test('follows no update to the planned version that has been overtaken', async () => {
    installed(NEWER);
    updateTo(PLANNED, { status: 'Successful' });
    expect(await start()).toEqual({ adopted: false, alreadyThere: true });
  });

  test.each<[string, () => void, object]>([
    ['whose version EKS does not offer for the minor', () => (offered = [PLANNED]), { newerOn: '1.33' }],
    ['whose update has failed', () => installed(NEWER, 'UPDATE_FAILED'), { newerOn: '1.33' }],
    ['of a step that was recorded before', () => undefined, {}],
  ])('takes none down %s: people are told', async (_title, change, input) => {
    installed(NEWER);
    change();
    await expect(start(input)).rejects.toMatchObject({
      type: 'InvalidRequest',
      message: expect.stringMatching(/at v1\.20\.4-eksbuild\.1, which is newer; Belay takes no add-on down in an upgrade/),
    });
    expect(sent()).toHaveLength(0);
  });

  test('takes it down where just that is meant', async () => {
    installed(NEWER);
    expect(await start({ back: true })).toMatchObject({ updateId: 'made-1', adopted: false });
    expect(sent()[0]?.body).toMatchObject({ addonVersion: PLANNED });
  });
});

describe('waiting for a change that somebody else makes', () => {
  const wait = (timing = { ...QUICK, askTimeoutMs: 60 }) =>
    activities.awaitForeignUpdate({
      cluster: CLUSTER,
      timing,
      resource: { kind: 'add-on', name: 'vpc-cni' },
      to: PLANNED,
      newerOn: '1.33',
      notBefore: new Date(NOW_SECONDS * 1000).toISOString(),
    });

  test('a newer version, as most_recent of Terraform chooses it, is as good', async () => {
    installed(OLD, 'UPDATING');
    updateTo(NEWER);
    setTimeout(() => {
      installed(NEWER);
      eks.updates = [];
    }, 30);
    expect(await wait({ ...QUICK, askTimeoutMs: 5000 })).toEqual({ adopted: false, alreadyThere: true, timedOut: false });
  });

  test('one that EKS does not offer for the minor is not', async () => {
    installed(NEWER);
    offered = [PLANNED];
    expect(await wait()).toMatchObject({ timedOut: true });
  });
});

describe('healthy', () => {
  const healthy = (input: object = {}) =>
    activities.awaitAddOnHealthy({
      cluster: CLUSTER,
      timing: { ...QUICK, addOnTimeoutMs: 40, askTimeoutMs: 5000 },
      addOn: 'vpc-cni',
      to: PLANNED,
      newerOn: '1.33',
      ...input,
    });
  const runs = (tag: string, updated = 3): void =>
    void kubernetes.put('apps/v1', 'daemonsets', {
      metadata: { name: 'aws-node', namespace: 'kube-system', generation: 2 },
      spec: { template: { spec: { containers: [{ name: 'aws-node', image: `registry/amazon-k8s-cni:${tag}` }] } } },
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: updated, numberAvailable: 3 },
    });

  test('at the newer version, which is said', async () => {
    installed(NEWER);
    expect(await healthy()).toEqual({ healthy: true, message: `vpc-cni is healthy at ${NEWER}` });
    expect(await healthy({ newerOn: undefined })).toMatchObject({ healthy: false });
  });

  test.each([PLANNED, 'v1.20.2', NEWER])('where EKS does not manage it, by the release in its tag: %s', async (tag) => {
    runs(tag);
    expect(await healthy()).toMatchObject({ healthy: true });
  });

  test.each(['v1.20.2-eksbuild.3', 'v1.21.0'])('not by a tag of another release: %s', async (tag) => {
    runs(tag);
    expect(await healthy()).toMatchObject({ healthy: false, message: expect.stringContaining(`aws-node runs ${tag}`) });
  });

  test('whoever is asked has the time that people are given, and the rollout its own after that', async () => {
    runs(OLD);
    // Longer than a rollout may take.
    setTimeout(() => runs(PLANNED), 150);
    expect(await healthy({ asked: true })).toMatchObject({ healthy: true });
    runs(PLANNED, 1);
    expect(await healthy({ asked: true })).toMatchObject({ healthy: false, message: expect.stringContaining('1 of 3 pods are new') });
  });

  test('nobody has changed it in the time that people are given', async () => {
    runs(OLD);
    expect(await healthy({ asked: true, timing: { ...QUICK, askTimeoutMs: 40 } })).toEqual({
      healthy: false,
      message: `nobody has changed it: aws-node runs ${OLD}`,
    });
  });
});
