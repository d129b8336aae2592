/** Nodes held back, AMIs pinned, and both given back exactly; the controller's version. */
import { describe, expect, test } from 'vitest';
import { readAmiHolds } from '../../../../activities/karpenter/amis/hold-amis.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const cluster = CLUSTER;
const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'a' };
const CLASS = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };

describe('one node', () => {
  test.each([
    ['without annotations', undefined],
    ['with the annotation already there', { 'karpenter.sh/do-not-disrupt': 'true' }],
    ['with the annotation at another value', { 'karpenter.sh/do-not-disrupt': '30m', team: 'a' }],
  ])('%s: held twice, released twice, as before', async (_title, annotations) => {
    const port = new FakeKubernetes().put('v1', 'nodes', nodeObject('a', '1.32', { annotations }));
    const karpenter = createKarpenterActivities(depsOf(port));
    await karpenter.holdNode({ cluster, node: 'a' });
    await karpenter.holdNode({ cluster, node: 'a' });
    expect(port.look(NODE).metadata.annotations).toMatchObject({ 'karpenter.sh/do-not-disrupt': 'true' });
    await karpenter.releaseNode({ cluster, node: 'a' });
    await karpenter.releaseNode({ cluster, node: 'a' });
    expect(port.look(NODE).metadata.annotations).toEqual(annotations);
    expect(port.patches).toHaveLength(2);
  });

  test('others have changed the annotation meanwhile: theirs stays', async () => {
    const port = new FakeKubernetes().put('v1', 'nodes', nodeObject('a', '1.32'));
    const karpenter = createKarpenterActivities(depsOf(port));
    await karpenter.holdNode({ cluster, node: 'a' });
    port.edit(NODE, ({ metadata }) => void (metadata.annotations = { ...metadata.annotations, 'karpenter.sh/do-not-disrupt': '1h' }));
    await karpenter.releaseNode({ cluster, node: 'a' });
    expect(port.look(NODE).metadata.annotations).toEqual({ 'karpenter.sh/do-not-disrupt': '1h' });
  });

  test('a node that is gone needs nothing', async () => {
    const karpenter = createKarpenterActivities(depsOf(new FakeKubernetes()));
    await karpenter.holdNode({ cluster, node: 'a' });
    await karpenter.releaseNode({ cluster, node: 'a' });
  });
});

describe('AMIs', () => {
  function world(spec?: Record<string, unknown>) {
    const port = new FakeKubernetes().put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default', spec));
    for (const [name, arch, image] of [
      ['a', 'amd64', 'ami-x86'],
      ['b', 'amd64', 'ami-x86'],
      ['c', 'arm64', 'ami-arm'],
    ] as const) {
      port.put('v1', 'nodes', nodeObject(name, '1.32', { arch }));
      port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`claim-${name}`, name, { image }));
    }
    const karpenter = createKarpenterActivities(depsOf(port));
    return { port, hold: () => karpenter.holdAmis({ cluster }), release: () => karpenter.releaseAmis({ cluster }) };
  }

  test.each([
    ['an alias alone', { amiSelectorTerms: [{ alias: 'al2023@latest' }], role: 'node-role' }, 'AL2023'],
    ['a pinned alias with its family', { amiSelectorTerms: [{ alias: 'bottlerocket@1.20.4' }], amiFamily: 'Bottlerocket' }, 'Bottlerocket'],
  ])('%s: pinned to the images in use, one per architecture, and back', async (_title, spec, amiFamily) => {
    const { port, hold, release } = world(spec);
    expect(await hold()).toEqual({ held: ['default'], refused: [] });
    expect(port.look(CLASS).spec).toEqual({ ...spec, amiFamily, amiSelectorTerms: [{ id: 'ami-arm' }, { id: 'ami-x86' }] });
    expect(await hold()).toEqual({ held: ['default'], refused: [] });
    expect(port.patches).toHaveLength(1);
    expect(await release()).toEqual({ released: ['default'], failed: [] });
    expect(port.look(CLASS).spec).toEqual(spec);
    expect(port.look(CLASS).metadata.annotations).toBeUndefined();
    expect(await release()).toEqual({ released: [], failed: [] });
  });

  test('while NodeClaims are still marked as drifted the hold is not done: budgets that come back would have them replaced', async () => {
    const { port } = world();
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-x86', drifted: true }));
    const hold = (settleMs: number) => createKarpenterActivities({ ...depsOf(port), settleMs }).holdAmis({ cluster });
    await expect(hold(0)).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'holding the AMIs: Karpenter still marks 1 NodeClaim as drifted, first claim-a',
    });
    setTimeout(() => port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-x86' })), 100);
    expect(await hold(10_000)).toEqual({ held: ['default'], refused: [] });
    expect(port.patches).toHaveLength(1);
  });

  const refusals: [title: string, change: (port: FakeKubernetes) => void, why: string][] = [
    [
      'two images of one architecture',
      (port) => port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-b', 'b', { image: 'ami-nvidia' })),
      'its amd64 nodes run 2 AMIs (ami-x86, ami-nvidia) and Karpenter keeps the newest per architecture only: split the class, or roll its nodes to one AMI first',
    ],
    [
      'an architecture that cannot be told',
      (port) =>
        port.put('v1', 'nodes', { ...nodeObject('b', '1.32'), metadata: { name: 'b', labels: { 'karpenter.sh/nodepool': 'default' } } }),
      'the architecture of node b is not known',
    ],
    [
      'an alias of no known family',
      (port) =>
        port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default', { amiSelectorTerms: [{ alias: 'flatcar@latest' }] })),
      'alias flatcar@latest belongs to no AMI family that is known',
    ],
  ];
  test.each(refusals)('refused: %s', async (_title, change, why) => {
    const { port, hold } = world();
    change(port);
    expect(await hold()).toEqual({ held: [], refused: [{ nodeClass: 'default', why }] });
    expect(port.patches).toHaveLength(0);
  });

  test.each([
    ['chosen by id', { amiSelectorTerms: [{ id: 'ami-1' }], amiFamily: 'AL2023' }, 'default'],
    ['without nodes', { amiSelectorTerms: [{ alias: 'al2023@latest' }] }, 'unused'],
  ])('a class %s has nothing to hold', async (_title, spec, name) => {
    const { port, hold } = world({ amiSelectorTerms: [{ id: 'ami-1' }], amiFamily: 'AL2023' });
    port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject(name, spec));
    expect(await hold()).toEqual({ held: [], refused: [] });
  });

  test('only the classes of a plan; it reads what would be pinned', async () => {
    const { port } = world();
    const karpenter = createKarpenterActivities(depsOf(port));
    expect(await readAmiHolds(port)).toEqual([{ nodeClass: 'default', ids: ['ami-arm', 'ami-x86'], amiFamily: 'AL2023' }]);
    port.put('eks.amazonaws.com/v1', 'nodeclasses', { metadata: { name: 'auto' } });
    expect(await karpenter.holdAmis({ cluster, nodeClasses: ['other'] })).toEqual({ held: [], refused: [] });
    expect(await karpenter.holdAmis({ cluster, nodeClasses: ['default'] })).toEqual({ held: ['default'], refused: [] });
    expect(await readAmiHolds(port)).toEqual([]);
    await karpenter.releaseAmis({ cluster });
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-b', 'b', { image: 'ami-nvidia' }));
    expect(await readAmiHolds(port)).toMatchObject([{ nodeClass: 'default', refused: expect.stringContaining('run 2 AMIs') }]);
  });

  test('a way back pins the images that it names, whatever runs, and lets go of its own alone', async () => {
    const { port } = world();
    port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('held'));
    const karpenter = createKarpenterActivities(depsOf(port));
    const before = port.look(CLASS).spec;
    const images = { default: { ids: ['ami-132x', 'ami-132a'], amiFamily: 'AL2023' }, held: { ids: ['ami-132x'] } };
    expect(await karpenter.holdAmis({ cluster, nodeClasses: ['default', 'held'], images })).toEqual({
      held: ['default', 'held'],
      refused: [],
    });
    expect(await karpenter.holdAmis({ cluster, nodeClasses: ['default', 'held'], images })).toEqual({
      held: ['default', 'held'],
      refused: [],
    });
    expect(port.look(CLASS).spec).toMatchObject({ amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-132x' }, { id: 'ami-132a' }] });
    expect(port.patches).toHaveLength(2);
    expect(await karpenter.releaseAmis({ cluster, nodeClasses: ['default'] })).toEqual({ released: ['default'], failed: [] });
    expect(port.look(CLASS).spec).toEqual(before);
  });

  test('a node with accelerators is named', async () => {
    const { port } = world();
    port.put('v1', 'nodes', nodeObject('gpu', '1.32', { arch: 'amd64' }));
    const ref = { apiVersion: 'v1', plural: 'nodes', name: 'gpu' };
    port.edit(ref, ({ metadata }) => void (metadata.labels = { ...metadata.labels, 'karpenter.k8s.aws/instance-gpu-count': '1' }));
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-gpu', 'gpu', { image: 'ami-x86' }));
    expect(await readAmiHolds(port)).toMatchObject([{ accelerated: 'gpu' }]);
  });

  test('node classes whose type the server does not serve are not taken for pinned', async () => {
    const port = new FakeKubernetes().put('v1', 'nodes', nodeObject('a', '1.32'));
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-x86' }));
    const { holdAmis } = createKarpenterActivities(depsOf(port));
    await expect(holdAmis({ cluster })).rejects.toThrow('listing ec2nodeclasses: the server does not serve karpenter.k8s.aws/v1');
    await expect(holdAmis({ cluster, nodeClasses: ['default'] })).rejects.toThrow('does not serve');
  });

  test('EKS Auto Mode cannot be held', async () => {
    const { port, hold } = world();
    port.put('eks.amazonaws.com/v1', 'nodeclasses', { metadata: { name: 'auto' } });
    expect((await hold()).refused).toEqual([{ nodeClass: 'auto', why: 'EKS Auto Mode chooses the AMIs of its NodeClasses itself' }]);
  });

  test('others changed the terms meanwhile: left alone, and said what they were', async () => {
    const { port, hold, release } = world();
    await hold();
    port.edit(CLASS, (object) => void (object.spec = { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-theirs' }] }));
    const { released, failed } = await release();
    expect(released).toEqual([]);
    expect(failed[0]?.why).toContain('others have changed amiSelectorTerms since; the earlier terms were [{"alias":"al2023@latest"}]');
    expect(port.look(CLASS).spec).toEqual({ amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-theirs' }] });
  });
});

describe("Karpenter's controller", () => {
  function deployment(image: string, change: { status?: Record<string, unknown> } = {}): FakeKubernetes {
    const object = workloadObject('Deployment', 'kube-system', 'karpenter', {
      template: { spec: { containers: [{ name: 'controller', image }] } },
    });
    return new FakeKubernetes().put('apps/v1', 'deployments', { ...object, status: { ...(object.status as object), ...change.status } });
  }
  const wait = (port: FakeKubernetes) =>
    createKarpenterActivities(depsOf(port)).awaitKarpenterVersion({
      cluster,
      timing: quickTiming({ askTimeoutMs: 15 }),
      wanted: '1.6.2',
      minimum: '1.6.0',
      namespace: 'kube-system',
      deployment: 'karpenter',
    });

  test.each([
    ['public.ecr.aws/karpenter/controller:1.6.2@sha256:0123', {}, { version: '1.6.2', timedOut: false }],
    ['public.ecr.aws/karpenter/controller:v1.10.0', {}, { version: '1.10.0', timedOut: false }],
    ['public.ecr.aws/karpenter/controller:1.5.9', {}, { version: '1.5.9', timedOut: true }],
    ['public.ecr.aws/karpenter/controller:1.6.2', { status: { updatedReplicas: 0 } }, { version: '1.6.2', timedOut: true }],
    ['public.ecr.aws/karpenter/controller:1.6.2', { status: { availableReplicas: 0 } }, { version: '1.6.2', timedOut: true }],
    ['public.ecr.aws/karpenter/controller:1.6.2', { status: { observedGeneration: 0 } }, { version: '1.6.2', timedOut: true }],
    ['public.ecr.aws/karpenter/controller:1.6.2', { status: { replicas: 2 } }, { version: '1.6.2', timedOut: true }],
    ['example/karpenter@sha256:0123', {}, { version: 'unknown', timedOut: true }],
  ])('%s %j', async (image, change, outcome) => {
    expect(await wait(deployment(image, change))).toEqual(outcome);
  });
});
