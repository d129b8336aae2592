/** Workloads that name Karpenter's labels, taints or annotations by names that a later API has changed. Source: Karpenter's migration guides. */
import { at, type Edit, type Manifest, type Path, type Rewrite } from './edit.ts';
import { annotationEdits } from './to-v1.ts';

const POD_TEMPLATES: Record<string, Path> = {
  Pod: [],
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  Rollout: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

const OLD_POOL = 'karpenter.sh/provisioner-name';
const POOL = 'karpenter.sh/nodepool';
const OLD_TAINT = 'karpenter.sh/disruption';
const TAINT = 'karpenter.sh/disrupted';

/** For either step: what an earlier one already renamed is not there any more. undefined: no workload. */
export function workloadRewrite(object: Manifest, to: 'v1beta1' | 'v1'): Rewrite | undefined {
  const template = typeof object.kind === 'string' ? POD_TEMPLATES[object.kind] : undefined;
  if (template === undefined) return undefined;
  const spec = [...template, 'spec'];
  return {
    edits: [
      ...annotationEdits(object, [...template, 'metadata', 'annotations']),
      ...poolLabelEdits(object, spec),
      ...(to === 'v1' ? tolerationEdits(object, [...spec, 'tolerations']) : []),
    ],
    questions: [],
  };
}

const WHY_POOL = 'nodes of v1beta1 have this label; none has the old one, so the pod would stay Pending';

function poolLabelEdits(object: Manifest, spec: Path): Edit[] {
  const selector = [...spec, 'nodeSelector'];
  const selected = at(object, [...selector, OLD_POOL]);
  return [
    ...(selected === undefined ? [] : [{ op: 'move' as const, path: [...selector, OLD_POOL], to: [...selector, POOL], why: WHY_POOL }]),
    ...pathsTo(at(object, spec), OLD_POOL).map((path): Edit => ({ op: 'set', path: [...spec, ...path], value: POOL, why: WHY_POOL })),
  ];
}

/** Where a text stands as the key of an expression or of a spread. */
function pathsTo(value: unknown, text: string): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const step = Array.isArray(value) ? Number(key) : key;
    if (inner === text) return key === 'key' || key === 'topologyKey' ? [[step]] : [];
    return pathsTo(inner, text).map((path) => [step, ...path]);
  });
}

function tolerationEdits(object: Manifest, path: Path): Edit[] {
  const tolerations = at(object, path);
  if (!Array.isArray(tolerations)) return [];
  return tolerations.flatMap((each: unknown, index): Edit[] => {
    if (at(each, ['key']) !== OLD_TAINT) return [];
    const why = `v1 taints nodes that go with ${TAINT}:NoSchedule, without a value`;
    return [
      { op: 'set', path: [...path, index, 'key'], value: TAINT, why },
      { op: 'set', path: [...path, index, 'operator'], value: 'Exists', why },
      ...(at(each, ['value']) === undefined ? [] : [{ op: 'remove' as const, path: [...path, index, 'value'], why }]),
    ];
  });
}
