/**
 * Karpenter's v1alpha5 Provisioner as a v1beta1 NodePool. Sources: the v1beta1 migration guide, and what the webhook of 0.31 filled in
 * (pkg/apis/v1alpha5/provisioner.go of karpenter 0.31), which v1beta1 does not.
 */
import { at, type Edit, type Manifest, type Rewrite } from './edit.ts';
import { NODE_CLASS_BETA, NODE_POOL_BETA } from './to-v1.ts';

export const PROVISIONER = 'karpenter.sh/v1alpha5';
export const LEGACY_NODE_TEMPLATE = 'karpenter.k8s.aws/v1alpha1';

const TEMPLATE = ['spec', 'template'];
const REQUIREMENTS = [...TEMPLATE, 'spec', 'requirements'];

interface Requirement {
  key: string;
  operator: string;
  values: string[];
}

/** A default that held where no requirement had one of these keys. */
const DEFAULTS: readonly { unless: readonly string[]; requirement: Requirement }[] = [
  { unless: ['kubernetes.io/os'], requirement: { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] } },
  { unless: ['kubernetes.io/arch'], requirement: { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] } },
  {
    unless: ['karpenter.sh/capacity-type'],
    requirement: { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  },
  ...['karpenter.k8s.aws/instance-category', 'karpenter.k8s.aws/instance-generation'].map((key) => ({
    unless: [
      'node.kubernetes.io/instance-type',
      'karpenter.k8s.aws/instance-family',
      'karpenter.k8s.aws/instance-category',
      'karpenter.k8s.aws/instance-generation',
    ],
    requirement: key.endsWith('category') ? { key, operator: 'In', values: ['c', 'm', 'r'] } : { key, operator: 'Gt', values: ['2'] },
  })),
];

/** Moves as they are: from below spec, to below the template. */
const MOVES: readonly [from: string, to: readonly string[]][] = [
  ['labels', ['metadata', 'labels']],
  ['annotations', ['metadata', 'annotations']],
  ['taints', ['spec', 'taints']],
  ['startupTaints', ['spec', 'startupTaints']],
  ['requirements', ['spec', 'requirements']],
  ['kubeletConfiguration', ['spec', 'kubelet']],
];

export function provisionerToNodePool(provisioner: Manifest): Rewrite {
  const spec = (key: string): unknown => at(provisioner, ['spec', key]);
  const reference = at(provisioner, ['spec', 'providerRef', 'name']);
  return {
    edits: [
      { op: 'set', path: ['apiVersion'], value: NODE_POOL_BETA, why: 'Karpenter 0.33 and later do not see v1alpha5' },
      { op: 'set', path: ['kind'], value: 'NodePool', why: 'the Provisioner’s name in v1beta1' },
      ...(at(provisioner, ['spec', 'kubeletConfiguration', 'containerRuntime']) === undefined
        ? []
        : [
            {
              op: 'remove' as const,
              path: ['spec', 'kubeletConfiguration', 'containerRuntime'],
              why: 'v1beta1 does not have it: containerd is the only one',
            },
          ]),
      ...MOVES.filter(([from]) => spec(from) !== undefined).map(
        ([from, to]): Edit => ({
          op: 'move',
          path: ['spec', from],
          to: [...TEMPLATE, ...to],
          why: 'in v1beta1 it belongs to the template',
        }),
      ),
      ...defaultEdits(spec('requirements')),
      ...(reference === undefined ? [] : referenceEdits(reference)),
      ...(at(provisioner, ['spec', 'limits', 'resources']) === undefined
        ? []
        : [
            {
              op: 'move' as const,
              path: ['spec', 'limits', 'resources'],
              to: ['spec', 'limits'],
              why: 'v1beta1 has no resources in between',
            },
          ]),
      ...disruptionEdits(provisioner),
      ...(provisioner['status'] === undefined ? [] : [{ op: 'remove' as const, path: ['status'], why: 'Karpenter writes it' }]),
    ],
    questions:
      reference === undefined
        ? ['spec.providerRef is missing (spec.provider has no successor): which EC2NodeClass should its nodes be of?']
        : [],
  };
}

function referenceEdits(name: unknown): Edit[] {
  const value = { apiVersion: NODE_CLASS_BETA, kind: 'EC2NodeClass', name };
  return [
    { op: 'remove', path: ['spec', 'providerRef'], why: 'nodeClassRef takes its place' },
    { op: 'set', path: [...TEMPLATE, 'spec', 'nodeClassRef'], value, why: 'the successor of providerRef' },
  ];
}

function defaultEdits(requirements: unknown): Edit[] {
  const keys = new Set(Array.isArray(requirements) ? requirements.map((each: unknown) => at(each, ['key'])) : []);
  const start = Array.isArray(requirements) ? requirements.length : 0;
  return DEFAULTS.filter(({ unless }) => !unless.some((key) => keys.has(key))).map(
    ({ requirement }, index): Edit => ({
      op: 'set',
      path: [...REQUIREMENTS, start + index],
      value: requirement,
      why: 'v1alpha5 had it by default, v1beta1 has no defaults: without it Karpenter chooses among everything, spot included',
    }),
  );
}

function disruptionEdits(provisioner: Manifest): Edit[] {
  const consolidates = at(provisioner, ['spec', 'consolidation', 'enabled']) === true;
  // v1alpha5 refused both; of a manifest that has both anyhow, consolidation is what v1beta1 can say.
  const passed = ['consolidation', ...(consolidates ? ['ttlSecondsAfterEmpty'] : [])];
  const disruption = (key: string, value: string, why: string): Edit => ({ op: 'set', path: ['spec', 'disruption', key], value, why });
  return [
    ...passed
      .filter((key) => at(provisioner, ['spec', key]) !== undefined)
      .map((key): Edit => ({ op: 'remove', path: ['spec', key], why: 'spec.disruption says it in v1beta1' })),
    ...(consolidates
      ? [disruption('consolidationPolicy', 'WhenUnderutilized', 'what consolidation.enabled was')]
      : [
          disruption('consolidationPolicy', 'WhenEmpty', 'consolidation was off, and would be on by v1beta1’s default'),
          ...durationEdits(provisioner, 'ttlSecondsAfterEmpty', 'consolidateAfter', 'empty nodes stayed'),
        ]),
    ...durationEdits(
      provisioner,
      'ttlSecondsUntilExpired',
      'expireAfter',
      'nodes did not expire, and would after 720h by v1beta1’s default',
    ),
  ];
}

/** Seconds become a duration and keep their comment. */
function durationEdits(provisioner: Manifest, from: string, to: string, whyNever: string): Edit[] {
  const seconds = at(provisioner, ['spec', from]);
  const path = ['spec', 'disruption', to];
  if (typeof seconds !== 'number') return [{ op: 'set', path, value: 'Never', why: whyNever }];
  return [
    { op: 'move', path: ['spec', from], to: path, why: 'spec.disruption says it in v1beta1' },
    { op: 'set', path, value: `${seconds}s`, why: `what ${from} was` },
  ];
}
