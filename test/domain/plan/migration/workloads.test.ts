/** Workloads that name what a later API of Karpenter calls otherwise: their pods would wait for ever, or be moved at the wrong time. */
import { describe, expect, test } from 'vitest';
import { applyEdits, type Manifest } from '../../../../domain/plan/migration/edit.ts';
import { workloadRewrite } from '../../../../domain/plan/migration/workloads.ts';

const deployment = (spec: object, annotations?: object): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    template: { ...(annotations === undefined ? {} : { metadata: { annotations } }), spec: { priority: 3, volumes: null, ...spec } },
  },
});

function rewritten(object: Manifest, to: 'v1beta1' | 'v1' = 'v1'): Manifest {
  const rewrite = workloadRewrite(object, to);
  if (rewrite === undefined) throw new Error('it is no workload');
  return applyEdits(object, rewrite.edits);
}

describe('the label of the pool', () => {
  const required = (key: string, ...others: string[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [...others.map((each) => ({ key: each, operator: 'Exists' })), { key, operator: 'In', values: ['default'] }],
          },
        ],
      },
    },
  });
  const [OLD, NEW] = ['karpenter.sh/provisioner-name', 'karpenter.sh/nodepool'];

  test.each<[string, object, object]>([
    ['in a node selector', { nodeSelector: { [OLD]: 'default', zone: 'a' } }, { nodeSelector: { zone: 'a', [NEW]: 'default' } }],
    ['in an affinity, wherever it stands', { affinity: required(OLD, 'zone') }, { affinity: required(NEW, 'zone') }],
    [
      'in a spread over pools',
      { topologySpreadConstraints: [{ topologyKey: 'zone' }, { topologyKey: OLD, maxSkew: 1 }] },
      { topologySpreadConstraints: [{ topologyKey: 'zone' }, { topologyKey: NEW, maxSkew: 1 }] },
    ],
    [
      'not where it is somebody’s own value',
      { containers: [{ env: [{ name: 'POOL_LABEL', value: OLD }], args: [OLD] }] },
      { containers: [{ env: [{ name: 'POOL_LABEL', value: OLD }], args: [OLD] }] },
    ],
  ])('%s', (_where, before, after) => {
    expect(rewritten(deployment(before))).toEqual(deployment(after));
    expect(rewritten(deployment(before), 'v1beta1')).toEqual(deployment(after));
  });
});

describe('tolerations of nodes that go', () => {
  const OTHER = { key: 'gpu', operator: 'Exists' };
  test.each<[string, object, object]>([
    [
      'with a value',
      { key: 'karpenter.sh/disruption', operator: 'Equal', value: 'disrupting' },
      { key: 'karpenter.sh/disrupted', operator: 'Exists' },
    ],
    ['of any value', { key: 'karpenter.sh/disruption', operator: 'Exists' }, { key: 'karpenter.sh/disrupted', operator: 'Exists' }],
  ])('%s: by the taint of v1, and others stay', (_which, before, after) => {
    expect(rewritten(deployment({ tolerations: [OTHER, before] }))).toEqual(deployment({ tolerations: [OTHER, after] }));
    expect(rewritten(deployment({ tolerations: [OTHER, before] }), 'v1beta1')).toEqual(deployment({ tolerations: [OTHER, before] }));
  });
});

test('a pod that is not to be moved says so by the annotation that is known', () => {
  const before = deployment({}, { 'karpenter.sh/do-not-evict': 'true' });
  expect(rewritten(before)).toEqual(deployment({}, { 'karpenter.sh/do-not-disrupt': 'true' }));
});

test('what has no pods is no workload', () => {
  expect(workloadRewrite({ kind: 'ConfigMap', data: { key: 'karpenter.sh/provisioner-name' } }, 'v1')).toBeUndefined();
  expect(workloadRewrite({ spec: {} }, 'v1')).toBeUndefined();
});
