/** Node classes pinned to the images in use: what has launched nothing counts for nothing, and what others change meanwhile is theirs. */
import { describe, expect, test } from 'vitest';
import { readAmiHolds } from '../../../../activities/karpenter/amis/hold-amis.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject, nodePoolObject } from '../../../support/kubernetes-objects.ts';

const CLASS = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };

function world() {
  const port = new FakeKubernetes()
    .put(CLASS.apiVersion, CLASS.plural, nodeClassObject('default'))
    .put('v1', 'nodes', nodeObject('a', '1.32'))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-x86' }));
  return { port, hold: () => createKarpenterActivities(depsOf(port)).holdAmis({ cluster: CLUSTER }) };
}

test('a NodeClaim that has not launched yet has no image to keep', async () => {
  const { port, hold } = world();
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-b', undefined, { image: '' }));
  expect(await hold()).toEqual({ held: ['default'], refused: [] });
  expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: [{ id: 'ami-x86' }] });
});

test('nodes of an Auto Mode NodeClass of the same name are not those of the EC2NodeClass', async () => {
  const { port, hold } = world();
  const auto = { image: 'ami-auto', group: 'eks.amazonaws.com' };
  port
    .put('v1', 'nodes', nodeObject('auto', '1.32', { pool: 'batch' }))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-auto', 'auto', { ...auto, drifted: true }));
  expect(await readAmiHolds(port)).toEqual([{ nodeClass: 'default', ids: ['ami-x86'], amiFamily: 'AL2023' }]);
  expect(await hold()).toEqual({ held: ['default'], refused: [] });
  expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: [{ id: 'ami-x86' }] });

  port.remove({ apiVersion: 'v1', plural: 'nodes', name: 'a' });
  port.remove({ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: 'claim-a' });
  port.put(CLASS.apiVersion, CLASS.plural, nodeClassObject('default'));
  expect(await readAmiHolds(port)).toEqual([]);
});

describe('changed by others between look and patch', () => {
  test.each<[string, object[], Awaited<ReturnType<ReturnType<typeof world>['hold']>>]>([
    ['to ids of their own: nothing is left to hold', [{ id: 'ami-theirs' }], { held: [], refused: [] }],
    [
      'to an alias of no known family: it is not said to be held',
      [{ alias: 'flatcar@latest' }],
      { held: [], refused: [{ nodeClass: 'default', why: 'alias flatcar@latest belongs to no AMI family that is known' }] },
    ],
  ])('%s', async (_title, amiSelectorTerms, outcome) => {
    const { port, hold } = world();
    port.beforePatch = () => {
      port.beforePatch = undefined;
      port.edit(CLASS, (object) => void (object.spec = { amiSelectorTerms }));
    };
    expect(await hold()).toEqual(outcome);
    expect(port.look(CLASS).spec).toEqual({ amiSelectorTerms });
    expect(port.patches).toEqual([]);
  });

  test('deleted: nothing is held', async () => {
    const { port, hold } = world();
    port.beforePatch = () => port.remove(CLASS);
    expect(await hold()).toEqual({ held: [], refused: [] });
  });
});

describe('what NodePools may launch beside the nodes that there are', () => {
  const ARCH = 'kubernetes.io/arch';
  const CATEGORY = 'karpenter.k8s.aws/instance-category';
  const FAMILY = 'karpenter.k8s.aws/instance-family';
  const TYPE = 'node.kubernetes.io/instance-type';
  const GPUS = 'karpenter.k8s.aws/instance-gpu-count';
  const NEURON = 'karpenter.k8s.aws/instance-accelerator-count';
  const is = (key: string, operator: string, ...values: string[]) => ({ key, operator, ...(values.length === 0 ? {} : { values }) });
  const ami = (id: string, arch: string, ...more: object[]) => ({ id, requirements: [is(ARCH, 'In', arch), ...more] });
  const ORDINARY = [is(GPUS, 'DoesNotExist'), is(NEURON, 'DoesNotExist')];
  /** Of al2023@latest; node a runs an older release of the first. */
  const AL2023 = [
    ami('ami-x86-new', 'amd64', ...ORDINARY),
    ami('ami-arm', 'arm64', ...ORDINARY),
    ami('ami-nvidia', 'amd64', is(GPUS, 'Exists')),
    ami('ami-arm-nvidia', 'arm64', is(GPUS, 'Exists')),
    ami('ami-neuron', 'amd64', is(NEURON, 'Exists')),
  ];
  /** Its standard image serves Neuron as well. */
  const BOTTLEROCKET = [ami('ami-x86', 'amd64', ...ORDINARY), ami('ami-x86', 'amd64', is(NEURON, 'Exists'))];
  const X86 = is(ARCH, 'In', 'amd64');
  const ARM = is(ARCH, 'In', 'arm64');
  const PLAIN = is(CATEGORY, 'In', 'c', 'm', 'r');

  type Pools = Record<string, object[]>;

  /** Node a, of amd64, belongs to the first of these pools. `gpu`: it has one. */
  function shared(pools: Pools, amis: object[] = AL2023, gpu = false) {
    const { port, hold } = world();
    port.put(CLASS.apiVersion, CLASS.plural, { ...nodeClassObject('default'), status: { amis, conditions: [] } });
    for (const [name, requirements] of Object.entries(pools)) {
      const pool = nodePoolObject(name, undefined);
      port.put('karpenter.sh/v1', 'nodepools', pool);
      const ref = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name };
      port.edit(ref, ({ spec }) => Object.assign((spec as { template: { spec: object } }).template.spec, { requirements }));
    }
    const node = { apiVersion: 'v1', plural: 'nodes', name: 'a' };
    if (gpu) port.edit(node, ({ metadata }) => void (metadata.labels = { ...metadata.labels, [GPUS]: '1' }));
    return { port, hold, read: () => readAmiHolds(port) };
  }

  test.each<[string, Pools, string[], string[]?]>([
    ['amd64 alone', { default: [X86, PLAIN] }, ['ami-x86']],
    ['arm64 scaled to zero', { default: [X86, PLAIN], graviton: [ARM, PLAIN] }, ['ami-arm', 'ami-x86']],
    ['any architecture', { default: [PLAIN] }, ['ami-arm', 'ami-x86']],
    ['arm64 not among others', { default: [is(ARCH, 'NotIn', 'arm64'), PLAIN] }, ['ami-x86']],
    ['anything', { default: [] }, ['ami-arm', 'ami-x86'], ['default']],
    ['anything of amd64', { default: [X86] }, ['ami-x86'], ['default']],
    ['no GPUs, no Neuron', { default: [X86, ...ORDINARY] }, ['ami-x86']],
    ['no such categories', { default: [X86, is(CATEGORY, 'NotIn', 'g', 'p', 'inf', 'trn')] }, ['ami-x86']],
    ['all but burstable', { default: [X86, is(CATEGORY, 'NotIn', 't')] }, ['ami-x86'], ['default']],
    ['these families', { default: [X86, is(FAMILY, 'In', 'm7i', 'c7i')] }, ['ami-x86']],
  ])('%s: pinned are the image in use and the standard ones of other architectures', async (_title, pools, ids, openPools) => {
    const { port, hold, read } = shared(pools);
    expect(await read()).toEqual([{ nodeClass: 'default', ids, amiFamily: 'AL2023', ...(openPools === undefined ? {} : { openPools }) }]);
    expect(await hold()).toEqual({ held: ['default'], refused: [] });
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: ids.map((id) => ({ id })) });
  });

  const WHY =
    'NodePool gpu launches instances with accelerators, which need an AMI of their own, and Karpenter tells AMIs that are chosen by id apart by architecture only: give gpu an EC2NodeClass of its own';

  test.each<[string, object[]]>([
    ['by category', [is(CATEGORY, 'In', 'g', 'p')]],
    ['by category, among others', [is(CATEGORY, 'In', 'c', 'm', 'g')]],
    ['by family', [is(FAMILY, 'In', 'g5', 'g6')]],
    ['by type', [is(TYPE, 'In', 'p4d.24xlarge')]],
    ['by the number of GPUs', [is(GPUS, 'Gt', '0')]],
    ['by their maker', [is('karpenter.k8s.aws/instance-gpu-manufacturer', 'In', 'nvidia')]],
    ['Neuron', [is(FAMILY, 'In', 'inf2', 'trn1n')]],
    ['of arm64, for which there is no node', [ARM, is(FAMILY, 'In', 'g5g')]],
  ])('a pool of accelerators that is scaled to zero: refused: %s', async (_title, requirements) => {
    const { port, hold, read } = shared({ default: [X86, PLAIN], gpu: requirements });
    expect(await read()).toEqual([{ nodeClass: 'default', ids: [], refused: WHY, acceleratedPool: 'gpu' }]);
    expect(await hold()).toEqual({ held: [], refused: [{ nodeClass: 'default', why: WHY }] });
    expect(port.patches).toEqual([]);
  });

  test.each<[string, Pools, object[], boolean]>([
    ['all nodes have GPUs, and nothing else is launched', { gpu: [is(CATEGORY, 'In', 'g')] }, AL2023, true],
    ['Bottlerocket on Neuron runs the standard image', { default: [PLAIN], neuron: [is(FAMILY, 'In', 'inf2')] }, BOTTLEROCKET, false],
    ['the class does not say what its images are for', { default: [PLAIN], gpu: [is(CATEGORY, 'In', 'g')] }, [{ id: 'ami-x86' }], false],
  ])('accelerators are no reason to refuse: %s', async (_title, pools, amis, gpu) => {
    const { port, hold } = shared(pools, amis, gpu);
    expect(await hold()).toEqual({ held: ['default'], refused: [] });
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: [{ id: 'ami-x86' }] });
  });
});
