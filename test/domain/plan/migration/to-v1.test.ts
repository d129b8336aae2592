/** Karpenter v1beta1 → v1: whole objects, each edit with its reason, questions where nobody but the owner can decide. */
import { describe, expect, test } from 'vitest';
import { applyEdits, at, type Manifest } from '../../../../domain/plan/migration/edit.ts';
import { migrateToV1 } from '../../../../domain/plan/migration/bundle.ts';
import { nodeClassToV1, nodePoolToV1 } from '../../../../domain/plan/migration/to-v1.ts';

const pool = (spec: object = {}, name = 'default'): Manifest => ({
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: { spec: { nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' }, ...spec } },
  },
});

const nodeClass = (spec: object, metadata: object = {}): Manifest => ({
  apiVersion: 'karpenter.k8s.aws/v1beta1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default', ...metadata },
  spec,
});

describe('NodePool', () => {
  test('the whole of it, with the reason of each change', () => {
    const before: Manifest = {
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'default', annotations: { team: 'a' } },
      spec: {
        template: {
          metadata: { labels: { team: 'a' }, annotations: { 'karpenter.sh/do-not-evict': 'true' } },
          spec: {
            nodeClassRef: { name: 'default' },
            requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'], minValues: 1 }],
            taints: [{ key: 'gpu', effect: 'NoSchedule' }],
            kubelet: { maxPods: 42 },
          },
        },
        limits: { cpu: '1000' },
        weight: 10,
        disruption: { consolidationPolicy: 'WhenUnderutilized', expireAfter: '720h', budgets: [{ nodes: '20%' }] },
      },
    };
    const { edits, questions } = nodePoolToV1(before);
    expect(questions).toEqual([]);
    expect(applyEdits(before, edits)).toEqual({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default', annotations: { team: 'a' } },
      spec: {
        template: {
          metadata: { labels: { team: 'a' }, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
          spec: {
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'], minValues: 1 }],
            taints: [{ key: 'gpu', effect: 'NoSchedule' }],
            expireAfter: '720h',
          },
        },
        limits: { cpu: '1000' },
        weight: 10,
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s', budgets: [{ nodes: '20%' }] },
      },
    });
    expect(edits.map(({ op, path, why }) => `${op} ${path.join('.')}: ${why}`)).toEqual([
      'set apiVersion: Karpenter 1.1 and later know only v1',
      'set spec.template.spec.nodeClassRef.group: v1 requires the group of the node class',
      'set spec.template.spec.nodeClassRef.kind: v1 requires the kind of the node class',
      'remove spec.template.spec.kubelet: v1 has kubelet settings in the EC2NodeClass',
      'move spec.disruption.expireAfter: v1 has it in the template; from 1.0 on it is forceful: budgets do not hold it',
      'set spec.disruption.consolidationPolicy: renamed in v1',
      'set spec.disruption.consolidateAfter: v1 requires it; 0s is how v1beta1 behaved',
      'set spec.template.metadata.annotations.karpenter.sh/do-not-disrupt: takes the place of karpenter.sh/do-not-evict',
      'remove spec.template.metadata.annotations.karpenter.sh/do-not-evict: 1.0 does not know it; karpenter.sh/do-not-disrupt takes its place',
    ]);
  });

  const disruptions: [title: string, before: object | undefined, after: object | undefined][] = [
    ['absent: v1 has the same defaults', undefined, undefined],
    [
      'WhenEmpty keeps its time',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
    ],
    [
      'WhenEmpty that never happens',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
    ],
    ['the default policy, by absence', { budgets: [{ nodes: '1' }] }, { budgets: [{ nodes: '1' }], consolidateAfter: '0s' }],
  ];
  test.each(disruptions)('disruption: %s', (_title, disruption, after) => {
    const before = pool();
    const object =
      disruption === undefined ? before : applyEdits(before, [{ op: 'set', path: ['spec', 'disruption'], value: disruption, why: '' }]);
    expect(applyEdits(object, nodePoolToV1(object).edits)['spec']).toEqual({
      template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } } },
      ...(after === undefined ? {} : { disruption: after }),
    });
  });

  test('nothing is left of disruption where it held expireAfter alone, but what v1 requires', () => {
    const before = applyEdits(pool(), [
      {
        op: 'set',
        path: ['spec', 'disruption'],
        value: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m', expireAfter: 'Never' },
        why: '',
      },
    ]);
    expect(applyEdits(before, nodePoolToV1(before).edits)).toMatchObject({
      spec: { template: { spec: { expireAfter: 'Never' } }, disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m' } },
    });
  });

  test('an empty list of budgets is asked about, never touched', () => {
    const before = applyEdits(pool(), [{ op: 'set', path: ['spec', 'disruption'], value: { budgets: [] }, why: '' }]);
    const { edits, questions } = nodePoolToV1(before);
    expect(questions).toEqual([
      'spec.disruption.budgets is []: that is no limit at all, all nodes may be replaced at once. Is it meant? Without the key the limit is 10 %.',
    ]);
    expect(applyEdits(before, edits)).toMatchObject({ spec: { disruption: { budgets: [] } } });
  });

  test('a node class of another provider keeps its group', () => {
    const before = pool({ nodeClassRef: { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', name: 'kwok' } });
    expect(applyEdits(before, nodePoolToV1(before).edits)).toMatchObject({
      spec: { template: { spec: { nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'kwok' } } } },
    });
  });
});

describe('EC2NodeClass', () => {
  const HOP = { metadataOptions: { httpPutResponseHopLimit: 2 } };
  const pinned = { annotations: { 'compatibility.karpenter.k8s.aws/v1-alias-version': 'v20240807' } };
  const cases: [title: string, before: Manifest, after: object, questions: string[]][] = [
    [
      'a family becomes its alias',
      nodeClass({ amiFamily: 'Bottlerocket', role: 'r' }),
      { role: 'r', amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], ...HOP },
      [
        'bottlerocket@latest moves on any day on which AWS releases an AMI, as amiFamily did: pin a release (bottlerocket@v…) in production?',
      ],
    ],
    [
      'a release that v1 had pinned',
      nodeClass({ amiFamily: 'AL2023' }, pinned),
      { amiSelectorTerms: [{ alias: 'al2023@v20240807' }], ...HOP },
      [],
    ],
    [
      'terms stay, and so does the family that they are bootstrapped by',
      nodeClass({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] }),
      { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], ...HOP },
      [],
    ],
    [
      'a hop limit that is set stays',
      nodeClass({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], metadataOptions: { httpPutResponseHopLimit: 1 } }),
      { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], metadataOptions: { httpPutResponseHopLimit: 1 } },
      [],
    ],
    [
      'Custom without terms',
      nodeClass({ amiFamily: 'Custom' }),
      { amiFamily: 'Custom', ...HOP },
      [
        'spec.amiSelectorTerms is required in v1, and amiFamily Custom has no alias: which AMIs should it select?',
        'amiFamily Custom: do its nodes register with the taint karpenter.sh/unregistered:NoExecute? 1.0 wants it, by user data or in the AMI.',
      ],
    ],
    [
      'Custom that registers as 1.0 wants it',
      nodeClass({
        amiFamily: 'Custom',
        amiSelectorTerms: [{ id: 'ami-1' }],
        userData: '--register-with-taints=karpenter.sh/unregistered:NoExecute',
      }),
      {
        amiFamily: 'Custom',
        amiSelectorTerms: [{ id: 'ami-1' }],
        userData: '--register-with-taints=karpenter.sh/unregistered:NoExecute',
        ...HOP,
      },
      [],
    ],
    [
      'Ubuntu with terms',
      nodeClass({ amiFamily: 'Ubuntu', amiSelectorTerms: [{ id: 'ami-u' }] }),
      {
        amiFamily: 'AL2',
        amiSelectorTerms: [{ id: 'ami-u' }],
        blockDeviceMappings: [
          { deviceName: '/dev/sda1', rootVolume: true, ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' } },
        ],
        ...HOP,
      },
      [],
    ],
    [
      'Ubuntu without terms',
      nodeClass({ amiFamily: 'Ubuntu', blockDeviceMappings: [] }),
      { amiFamily: 'AL2', blockDeviceMappings: [], ...HOP },
      ['spec.amiSelectorTerms is required in v1: which Ubuntu AMIs should it select?'],
    ],
  ];
  test.each(cases)('%s', (_title, before, spec, questions) => {
    const rewrite = nodeClassToV1(before);
    const metadata = { name: 'default' };
    expect(applyEdits(before, rewrite.edits)).toEqual({ ...before, apiVersion: 'karpenter.k8s.aws/v1', metadata, spec });
    expect(rewrite.questions).toEqual(questions);
  });
});

describe('all together', () => {
  const nameOf = (object: Manifest): unknown => at(object, ['metadata', 'name']);
  const classOf = (object: Manifest): unknown => at(object, ['spec', 'template', 'spec', 'nodeClassRef', 'name']);
  const CLASS = nodeClass({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], metadataOptions: { httpPutResponseHopLimit: 2 } });

  test('kubelet settings go to the class of their pool; what is not Karpenter’s is passed over', () => {
    const { migrated, added, questions } = migrateToV1([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } },
      pool({ kubelet: { maxPods: 20, systemReserved: { cpu: '1' } } }),
      pool({ kubelet: { systemReserved: { cpu: '1' }, maxPods: 20 } }, 'other'),
      CLASS,
    ]);
    expect(migrated.map(({ after }) => after.kind)).toEqual(['NodePool', 'NodePool', 'EC2NodeClass']);
    expect(migrated.map(({ after }) => JSON.stringify(after).includes('kubelet'))).toEqual([false, false, true]);
    expect(migrated[2]?.after).toMatchObject({ spec: { kubelet: { maxPods: 20, systemReserved: { cpu: '1' } } } });
    expect(added).toEqual([]);
    expect(questions).toEqual([]);
  });

  test('pools that share a class and differ in kubelet settings: the fewer get a class of their own, once', () => {
    const { migrated, added } = migrateToV1([
      pool({ kubelet: { maxPods: 20 } }, 'a'),
      pool({ kubelet: { maxPods: 20 } }, 'b'),
      pool({ kubelet: { maxPods: 20 } }, 'c'),
      pool({ kubelet: { maxPods: 90 } }, 'dense'),
      pool({ kubelet: { maxPods: 90 } }, 'denser'),
      pool({}, 'plain'),
      CLASS,
    ]);
    expect(migrated.slice(0, 6).map(({ after }) => classOf(after))).toEqual([
      'default',
      'default',
      'default',
      'default-dense',
      'default-dense',
      'default-plain',
    ]);
    expect(migrated[3]?.edits.map(({ why }) => why)).toContain(
      'its kubelet settings differ from those of other pools of the class: a class of its own; its nodes will drift',
    );
    expect(added.map(({ object, why }) => [object['metadata'], object['spec'], why])).toEqual([
      [
        { name: 'default-dense' },
        {
          amiFamily: 'AL2',
          amiSelectorTerms: [{ id: 'ami-1' }],
          metadataOptions: { httpPutResponseHopLimit: 2 },
          kubelet: { maxPods: 90 },
        },
        'NodePool denser shared default with pools of other kubelet settings',
      ],
      [
        { name: 'default-plain' },
        { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], metadataOptions: { httpPutResponseHopLimit: 2 } },
        'NodePool plain shared default with pools of other kubelet settings',
      ],
    ]);
  });

  test('a class that is not there is asked for', () => {
    expect(migrateToV1([pool({ kubelet: { maxPods: 20 } })]).questions).toEqual([
      'NodePool default has kubelet settings, and its EC2NodeClass default is not among these manifests: where is it?',
    ]);
  });

  test('without their class, pools of different kubelet settings go on naming it: no other one would be there', () => {
    const { migrated, added, questions } = migrateToV1([pool({ kubelet: { maxPods: 20 } }, 'a'), pool({}, 'plain')]);
    expect(migrated.map(({ after }) => [nameOf(after), classOf(after)])).toEqual([
      ['a', 'default'],
      ['plain', 'default'],
    ]);
    expect(added).toEqual([]);
    expect(questions).toEqual(['NodePool a has kubelet settings, and its EC2NodeClass default is not among these manifests: where is it?']);
  });
});
