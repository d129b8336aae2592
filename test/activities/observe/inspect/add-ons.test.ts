/** Add-ons as EKS lists and offers them: what is only half said counts as not said, and nothing is made up for it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAddOns } from '../../../../activities/observe/inspect/add-ons.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import type { AddOnFact } from '../../../../domain/facts/facts.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { type FakeEks, startFakeEks } from '../../support/fake-eks.ts';

let eks: FakeEks;
let offers: object[];
beforeEach(async () => {
  eks = await startFakeEks();
  eks.addOns['coredns'] = { addonName: 'coredns', addonVersion: 'v1.11.4-eksbuild.2', status: 'ACTIVE' };
  offers = [];
  eks.extra = (_method, path) => {
    if (path === `/clusters/${CLUSTER.name}/addons`) return { addons: ['coredns', 'just-deleted'] };
    return path === '/addons/supported-versions' ? { addons: [{ addonVersions: offers }] } : undefined;
  };
});
afterEach(() => eks.close());

async function read(): Promise<{ addOns: AddOnFact[]; unknowns: { what: string }[] }> {
  const reader = createReader('unknown');
  const addOns = await readAddOns({ aws: eks.aws, ref: CLUSTER, kubernetes: new FakeKubernetes(), reader, autoMode: false });
  return { addOns, unknowns: reader.unknowns };
}

test('one that is deleted between list and look is gone, not unknown', async () => {
  const { addOns, unknowns } = await read();
  expect(addOns.map(({ name, version, managed }) => ({ name, version, managed }))).toEqual([
    { name: 'coredns', version: 'v1.11.4-eksbuild.2', managed: true },
  ]);
  expect(unknowns).toEqual([]);
});

test('offered versions come newest first by minor, one that is no version as well; entries without a version or a minor are left out', async () => {
  const on = (addonVersion: string | undefined, ...minors: (string | undefined)[]) => ({
    ...(addonVersion === undefined ? {} : { addonVersion }),
    compatibilities: minors.map((clusterVersion) => ({ clusterVersion, defaultVersion: addonVersion === 'v1.9.3-eksbuild.1' })),
  });
  offers = [
    on('preview', '1.33'),
    on('v1.9.3-eksbuild.1', '1.32', '1.33'),
    on('v1.11.4-eksbuild.2', '1.33', undefined),
    on(undefined, '1.32'),
  ];
  const { addOns, unknowns } = await read();
  expect(addOns[0]?.offered).toEqual({
    '1.32': [{ version: 'v1.9.3-eksbuild.1', isDefault: true }],
    '1.33': [
      { version: 'v1.11.4-eksbuild.2', isDefault: false },
      { version: 'v1.9.3-eksbuild.1', isDefault: true },
      { version: 'preview', isDefault: false },
    ],
  });
  expect(unknowns).toEqual([]);
});

test.each([
  { what: 'nodes beside Auto Mode', desired: 3, replicas: 2, found: ['kube-proxy v1.32.0-eksbuild.2', 'coredns v1.11.4-eksbuild.2'] },
  { what: 'Auto Mode alone, where they are leftovers', desired: 0, replicas: 0, found: [] },
])('self-managed ones: $what', async ({ desired, replicas, found }) => {
  eks.addOns = {};
  eks.extra = () => ({ addons: [] });
  const of = (name: string, image: string) => ({
    metadata: { name, namespace: 'kube-system' },
    spec: { replicas, template: { spec: { containers: [{ name, image }] } } },
    status: { desiredNumberScheduled: desired },
  });
  const kubernetes = new FakeKubernetes()
    .put('apps/v1', 'daemonsets', of('kube-proxy', 'registry/eks/kube-proxy:v1.32.0-minimal-eksbuild.2'))
    .put('apps/v1', 'deployments', of('coredns', 'registry/eks/coredns:v1.11.4-eksbuild.2'));
  const reader = createReader('unknown');
  const addOns = await readAddOns({ aws: eks.aws, ref: CLUSTER, kubernetes, reader, autoMode: true });
  expect(addOns.map(({ name, version }) => `${name} ${version}`)).toEqual(found);
});
