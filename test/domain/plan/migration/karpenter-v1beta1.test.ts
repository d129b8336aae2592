/** Karpenter v1alpha5 → v1beta1: what held by default is written down, so that nothing changes by the migration alone. */
import { describe, expect, test } from 'vitest';
import { applyEdits, type Manifest } from '../../../../domain/plan/migration/edit.ts';
import { nodeTemplateToNodeClass } from '../../../../domain/plan/migration/node-template.ts';
import { provisionerToNodePool } from '../../../../domain/plan/migration/provisioner.ts';

const provisioner = (spec: object): Manifest => ({
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata: { name: 'default', labels: { team: 'a' } },
  spec,
});

const LINUX = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
const AMD64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] };
const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] };
const CATEGORY = { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] };
const GENERATION = { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] };
const CLASS_REF = { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' };

describe('Provisioner', () => {
  test('the whole of it', () => {
    const before: Manifest = {
      ...provisioner({
        labels: { 'billing-team': 'mine' },
        annotations: { 'example.com/owner': 'mine' },
        taints: [{ key: 'special', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'starting', effect: 'NoSchedule' }],
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m6i.large'] }, ON_DEMAND],
        kubeletConfiguration: { maxPods: 20, containerRuntime: 'containerd' },
        limits: { resources: { cpu: '1000', memory: '1000Gi' } },
        providerRef: { name: 'default' },
        ttlSecondsUntilExpired: 2_592_000,
        ttlSecondsAfterEmpty: 30,
        weight: 10,
      }),
      status: { resources: { cpu: '3' } },
    };
    const { edits, questions } = provisionerToNodePool(before);
    expect(questions).toEqual([]);
    expect(applyEdits(before, edits)).toEqual({
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'default', labels: { team: 'a' } },
      spec: {
        template: {
          metadata: { labels: { 'billing-team': 'mine' }, annotations: { 'example.com/owner': 'mine' } },
          spec: {
            nodeClassRef: CLASS_REF,
            taints: [{ key: 'special', effect: 'NoSchedule' }],
            startupTaints: [{ key: 'starting', effect: 'NoSchedule' }],
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m6i.large'] }, ON_DEMAND, LINUX, AMD64],
            kubelet: { maxPods: 20 },
          },
        },
        limits: { cpu: '1000', memory: '1000Gi' },
        disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s', expireAfter: '2592000s' },
        weight: 10,
      },
    });
  });

  test('requirements that v1alpha5 had by default are written down: without them spot instances would come', () => {
    const before = provisioner({ providerRef: { name: 'default' } });
    const { edits } = provisionerToNodePool(before);
    expect(applyEdits(before, edits)).toMatchObject({
      spec: { template: { spec: { requirements: [LINUX, AMD64, ON_DEMAND, CATEGORY, GENERATION] } } },
    });
    expect(edits.filter(({ path }) => path.at(-1) === 2).map(({ why }) => why)).toEqual([
      'v1alpha5 had it by default, v1beta1 has no defaults: without it Karpenter chooses among everything, spot included',
    ]);
  });

  const disruptions: [title: string, spec: object, disruption: object][] = [
    ['consolidation on', { consolidation: { enabled: true } }, { consolidationPolicy: 'WhenUnderutilized', expireAfter: 'Never' }],
    ['nothing said: nothing was ever removed', {}, { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', expireAfter: 'Never' }],
    [
      'consolidation off, empty nodes at once',
      { consolidation: { enabled: false }, ttlSecondsAfterEmpty: 0 },
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', expireAfter: 'Never' },
    ],
  ];
  test.each(disruptions)('%s', (_title, spec, disruption) => {
    const before = provisioner({ providerRef: { name: 'default' }, ...spec });
    expect(applyEdits(before, provisionerToNodePool(before).edits)).toMatchObject({ spec: { disruption } });
  });

  test('an inline provider has no successor', () => {
    expect(provisionerToNodePool(provisioner({ provider: { subnetSelector: {} } })).questions).toEqual([
      'spec.providerRef is missing (spec.provider has no successor): which EC2NodeClass should its nodes be of?',
    ]);
  });
});

describe('AWSNodeTemplate', () => {
  const template = (spec: object): Manifest => ({
    apiVersion: 'karpenter.k8s.aws/v1alpha1',
    kind: 'AWSNodeTemplate',
    metadata: { name: 'default' },
    spec,
  });

  test('selectors become terms: lists are alternatives, keys hold together', () => {
    const before = template({
      amiFamily: 'Bottlerocket',
      amiSelector: { 'aws::ids': 'ami-1,ami-2', 'aws::owners': 'self', 'aws::name': 'mine', MyTag: '*' },
      subnetSelector: { 'net/a': 'one,two', 'net/b': 'three, four' },
      securityGroupSelector: { 'aws-ids': 'sg-1,sg-2' },
      tags: { MyTag: '1234' },
      role: 'node',
    });
    const { edits, questions } = nodeTemplateToNodeClass(before);
    expect(questions).toEqual([]);
    expect(applyEdits(before, edits)).toEqual({
      apiVersion: 'karpenter.k8s.aws/v1beta1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: {
        amiFamily: 'Bottlerocket',
        amiSelectorTerms: [
          { id: 'ami-1', owner: 'self', name: 'mine', tags: { MyTag: '*' } },
          { id: 'ami-2', owner: 'self', name: 'mine', tags: { MyTag: '*' } },
        ],
        subnetSelectorTerms: [
          { tags: { 'net/a': 'one', 'net/b': 'three' } },
          { tags: { 'net/a': 'one', 'net/b': 'four' } },
          { tags: { 'net/a': 'two', 'net/b': 'three' } },
          { tags: { 'net/a': 'two', 'net/b': 'four' } },
        ],
        securityGroupSelectorTerms: [{ id: 'sg-1' }, { id: 'sg-2' }],
        tags: { MyTag: '1234' },
        role: 'node',
      },
    });
  });

  test('what has no successor is asked about', () => {
    const before = template({ instanceProfile: 'KarpenterNodes', launchTemplate: 'hardened', subnetSelector: { a: 'b' } });
    const { edits, questions } = nodeTemplateToNodeClass(before);
    expect(applyEdits(before, edits)['spec']).toEqual({
      amiFamily: 'AL2',
      instanceProfile: 'KarpenterNodes',
      subnetSelectorTerms: [{ tags: { a: 'b' } }],
    });
    expect(questions).toEqual([
      'spec.launchTemplate hardened has no successor: write what it sets as amiSelectorTerms, userData, blockDeviceMappings and tags.',
    ]);
  });

  test('without a role and a profile, the global settings have it', () => {
    expect(nodeTemplateToNodeClass(template({})).questions).toEqual([
      'spec.role is required: write the name of the IAM role in aws.defaultInstanceProfile of karpenter-global-settings (Karpenter makes instance profiles itself then, and needs the permissions), or that profile as spec.instanceProfile.',
    ]);
  });
});
