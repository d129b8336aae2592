/** The steps of both migrations by what a cluster shows: what could not be read is never done, and what is open says what to do. */
import { describe, expect, test } from 'vitest';
import type { Beside, MigrationStep, MigrationStepId } from '../../../../domain/plan/migration/checklist.ts';
import { stepsToV1 } from '../../../../domain/plan/migration/checklist-v1.ts';
import { stepsToV1beta1 } from '../../../../domain/plan/migration/checklist-v1beta1.ts';
import type { DefinitionSeen, MigrationState } from '../../../../domain/plan/migration/state.ts';

const runs = (version: string): MigrationState['controller'] => ({ version, namespace: 'kube-system', name: 'karpenter' });
const DEFINITIONS: DefinitionSeen[] = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'].map(
  (name) => ({
    name,
    served: ['v1beta1'],
    storage: 'v1beta1',
    storedVersions: ['v1beta1'],
    conversion: { kind: 'none' },
  }),
);

const LOOK = 'See what could not be read, below.';
const INSTALL_BRIDGE =
  'Install v0.32.10. Rollback only to v0.31.4 or a later patch of 0.31, and NodePools and EC2NodeClasses are removed before.';

type Row = [MigrationStepId, string, Partial<MigrationState>, Beside, state: MigrationStep['state'], seen: string, fix?: string];

function expectStep(steps: MigrationStep[], [id, , , , state, seen, fix]: Row): void {
  const { title: _title, ...step } = steps.find((each) => each.id === id) ?? { title: '' };
  expect(step).toEqual({ id, state, seen, ...(fix === undefined ? {} : { fix }) });
}

describe('to v1', () => {
  test.each<Row>([
    ['patch', 'a version that could not be read', {}, {}, 'unknown', 'Karpenter’s version could not be read.', LOOK],
    [
      'patch',
      'no controller',
      { controller: 'none' },
      {},
      'unknown',
      'No Deployment has the label app.kubernetes.io/name=karpenter.',
      'Say which Karpenter runs: `helm list -A`.',
    ],
    ['patch', 'an image by digest', { controller: runs('latest') }, {}, 'unknown', '"latest" is no version.', LOOK],
    [
      'patch',
      'a release that knows no v1beta1',
      { controller: runs('v0.31.4') },
      {},
      'open',
      'v0.31.4 runs: the way to 1.0 begins at 0.33.',
      'Migrate to v1beta1 first: belay migrate karpenter CLUSTER --to v1beta1.',
    ],
    ['iam', 'a policy without gaps', {}, { iamGaps: 0 }, 'done', 'The policy that was given has all of it.'],
    [
      'iam',
      'a policy with gaps',
      {},
      { iamGaps: 2 },
      'open',
      '1.0 tags what it makes with eks:eks-cluster-name. The policy that was given lacks something.',
      'Add what is listed under "IAM policy", below.',
    ],
    [
      'iam',
      'no policy',
      {},
      {},
      'unknown',
      '1.0 tags what it makes with eks:eks-cluster-name. No policy was looked at.',
      'Give the controller’s policy document: --iam-policy FILE.',
    ],
    ['kubelet', 'NodePools that could not be read', {}, {}, 'unknown', 'NodePools could not be read as v1.', LOOK],
    [
      'kubelet',
      'NodePools without the annotation',
      { kubeletAnnotated: [] },
      {},
      'done',
      'No NodePool has the annotation compatibility.karpenter.sh/v1beta1-kubelet-conversion.',
    ],
  ])('%s: %s', (...row) => {
    const [, , state, beside] = row;
    expectStep(stepsToV1({ step: 'v1', kubernetes: '1.30', objects: [], complete: true, unknowns: [], ...state }, beside), row);
  });
});

describe('to v1beta1', () => {
  test.each<Row>([
    ['definitions', 'CRDs that could not be read', {}, {}, 'unknown', 'The CRDs could not be read.', LOOK],
    ['definitions', 'all CRDs', { definitions: DEFINITIONS }, {}, 'done', 'They are.'],
    [
      'definitions',
      'CRDs of v1alpha5 alone',
      { definitions: DEFINITIONS.slice(2) },
      {},
      'open',
      'There is no nodepools.karpenter.sh, nodeclaims.karpenter.sh.',
      'Apply the six CRDs of 0.32 before its controller; Helm does not upgrade CRDs of a chart.',
    ],
    ['controller', 'the bridge', { controller: runs('v0.32.4') }, {}, 'done', 'v0.32.4 runs.'],
    ['controller', 'a later release', { controller: runs('v0.33.0') }, {}, 'done', 'v0.33.0 runs; it does not see v1alpha5 any more.'],
    ['controller', 'an earlier release', { controller: runs('v0.31.4') }, {}, 'open', 'v0.31.4 runs.', INSTALL_BRIDGE],
    ['manifests', 'objects that could not be read', {}, {}, 'unknown', 'Not all objects could be read.', LOOK],
    ['manifests', 'nothing of v1alpha5', {}, { left: { own: 0, workloads: 0 } }, 'done', 'Nothing of v1alpha5 is left.'],
    ['nodes', 'Machines that could not be read', {}, {}, 'unknown', 'Machines could not be read.', LOOK],
    ['nodes', 'no Machine', { machineCount: 0 }, {}, 'done', 'No Machine is left.'],
    ['old-objects', 'objects that could not be read', {}, {}, 'unknown', 'Not all objects could be read.', LOOK],
    ['old-objects', 'workloads alone', {}, { left: { own: 0, workloads: 3 } }, 'done', 'None is left.'],
    [
      'old-objects',
      'objects of v1alpha5',
      {},
      { left: { own: 2, workloads: 0 } },
      'open',
      '2 objects of v1alpha5 left.',
      'Delete them when the nodes have moved; deleting a Provisioner deletes its nodes.',
    ],
  ])('%s: %s', (...row) => {
    const [, , state, beside] = row;
    expectStep(stepsToV1beta1({ step: 'v1beta1', kubernetes: '1.28', objects: [], complete: true, unknowns: [], ...state }, beside), row);
  });
});
