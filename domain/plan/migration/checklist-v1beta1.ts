/** v1alpha5 → v1beta1: the steps of the v1beta1 migration guide, in its order, and the ways in which nodes can move. */
import { compareComponentVersions, compareMinors, parseComponentVersion } from '../../core/component-version.ts';
import { count } from '../../core/text.ts';
import { type Beside, byVersion, done, iamStep, type MigrationStep, open, unknown, type Verdict } from './checklist.ts';
import type { MigrationState } from './state.ts';

/** Serves both APIs; its newest patch. */
const BRIDGE = 'v0.32.10';
/** The only release to which 0.32 can be rolled back, with its later patches. */
const BEFORE = 'v0.31.4';
const NAMES = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];

export interface WayToMove {
  title: string;
  how: string;
  cost: string;
}

/** Machines stay what they are: their nodes have to be replaced by nodes of a NodePool. */
export const WAYS_TO_MOVE: readonly WayToMove[] = [
  {
    title: 'Drift, one node after the other',
    how: 'Turn on the drift feature gate (settings.featureGates.drift=true) and give each Provisioner the taint karpenter.sh/legacy=true:NoSchedule: Karpenter replaces node by node.',
    cost: 'One extra node at a time; PodDisruptionBudgets are respected; about a minute for each node. Can be stopped by removing the taint.',
  },
  {
    title: 'Delete the Provisioner',
    how: 'kubectl delete provisioner NAME --cascade=foreground: all of its nodes drain at once, and the new NodePool makes room as pods wait.',
    cost: 'The quickest, and not rolling: PodDisruptionBudgets are all that slows it down; pods wait until new nodes are there. Cannot be stopped.',
  },
  {
    title: 'By hand',
    how: 'Give each Provisioner the taint karpenter.sh/legacy=true:NoSchedule, then kubectl delete node NAME, one by one; Karpenter drains it.',
    cost: 'As slow and as careful as you are; somebody has to be there all the time.',
  },
];

export function stepsToV1beta1(state: MigrationState, beside: Beside): MigrationStep[] {
  return [
    { id: 'patch', title: `The controller runs ${BEFORE} or newer, so that 0.32 can be gone back from`, ...before(state) },
    {
      id: 'iam',
      title: 'The IAM policy of 0.32 is attached',
      ...iamStep(beside, '0.32 makes instance profiles itself and tags what it makes with karpenter.sh/nodepool.'),
    },
    { id: 'definitions', title: 'The CRDs of 0.32 are there, all six', ...definitions(state) },
    { id: 'controller', title: `The controller of 0.32 (${BRIDGE}), the only one that serves both APIs`, ...bridge(state) },
    {
      id: 'manifests',
      title: 'NodePools and EC2NodeClasses stand beside what they follow; workloads name the new label',
      ...manifests(beside),
    },
    { id: 'nodes', title: 'The nodes have moved', ...nodes(state) },
    { id: 'old-objects', title: 'Provisioners and AWSNodeTemplates are deleted', ...deleted(beside) },
    { id: 'beyond', title: 'Karpenter 0.33 or newer', ...beyond(state) },
  ];
}

function before(state: MigrationState): Verdict {
  return byVersion(state, (version, text) =>
    compareComponentVersions(version, parseComponentVersion(BEFORE)) >= 0
      ? done(`${text} runs.`)
      : open(`${text} runs.`, `Install ${BEFORE} or a later patch of 0.31 first.`),
  );
}

function definitions({ definitions: seen }: MigrationState): Verdict {
  if (seen === undefined) return unknown('The CRDs could not be read.');
  const missing = NAMES.filter((name) => !seen.some((each) => each.name === name));
  if (missing.length === 0) return done('They are.');
  return open(
    `There is no ${missing.join(', ')}.`,
    'Apply the six CRDs of 0.32 before its controller; Helm does not upgrade CRDs of a chart.',
  );
}

function bridge(state: MigrationState): Verdict {
  return byVersion(state, (version, text) => {
    const distance = compareMinors(version, parseComponentVersion(BRIDGE));
    if (distance === 0) return done(`${text} runs.`);
    if (distance > 0) return done(`${text} runs; it does not see v1alpha5 any more.`);
    return open(
      `${text} runs.`,
      `Install ${BRIDGE}. Rollback only to ${BEFORE} or a later patch of 0.31, and NodePools and EC2NodeClasses are removed before.`,
    );
  });
}

function manifests({ left }: Beside): Verdict {
  if (left === undefined) return unknown('Not all objects could be read.');
  const { own, workloads } = left;
  if (own + workloads === 0) return done('Nothing of v1alpha5 is left.');
  return open(
    `${count(own, 'object')} of Karpenter’s and ${count(workloads, 'workload')} would be written otherwise: see below.`,
    'Apply what is below (--out FOLDER writes it) beside the old objects, and change it where it comes from: belay migrate karpenter --dir CHECKOUT --to v1beta1 --write.',
  );
}

function nodes({ machineCount }: MigrationState): Verdict {
  if (machineCount === undefined) return unknown('Machines could not be read.');
  if (machineCount === 0) return done('No Machine is left.');
  const ways = WAYS_TO_MOVE.map(({ title, how, cost }) => `${title}: ${how} Cost: ${cost}`).join('\n');
  return open(`${count(machineCount, 'Machine')} left: their nodes have to be replaced.`, `One of three ways.\n${ways}`);
}

function deleted({ left }: Beside): Verdict {
  if (left === undefined) return unknown('Not all objects could be read.');
  const { own } = left;
  if (own === 0) return done('None is left.');
  return open(
    `${count(own, 'object')} of v1alpha5 left.`,
    'Delete them when the nodes have moved; deleting a Provisioner deletes its nodes.',
  );
}

function beyond(state: MigrationState): Verdict {
  return byVersion(state, (version, text) =>
    compareMinors(version, parseComponentVersion('0.33')) >= 0
      ? done(`${text} runs.`)
      : open(
          `${text} runs.`,
          'ConfigMap karpenter-global-settings is ignored from then on: its settings become values of the chart. Then: belay migrate karpenter CLUSTER --to v1.',
        ),
  );
}
