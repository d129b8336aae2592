/** What pods, workloads and budgets need at least: kubernetes/pkg/apis/{core,apps,policy}/validation. */
import { type FieldError, fieldError } from '../failures.ts';
import { equalJson } from '../json.ts';
import { matchesSelector } from '../selectors.ts';
import type { KubeObject } from '../store.ts';

const NOT_NEGATIVE = 'must be greater than or equal to 0';
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

export function podSpecErrors(spec: KubeObject['spec'], path: string): FieldError[] {
  const containers: { name?: string; image?: string }[] = spec?.containers ?? [];
  if (containers.length === 0) return [fieldError.required(`${path}.containers`)];
  const errors = containers.flatMap((container, index) => [
    ...(container.name ? [] : [fieldError.required(`${path}.containers[${index}].name`)]),
    ...(container.image ? [] : [fieldError.required(`${path}.containers[${index}].image`)]),
  ]);
  if (spec.restartPolicy && !RESTART_POLICIES.includes(spec.restartPolicy))
    errors.push(fieldError.unsupported(`${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES));
  return errors;
}

/** Deployments, ReplicaSets, StatefulSets and DaemonSets. */
export function workloadErrors(object: KubeObject): FieldError[] {
  const { replicas, selector, template } = object.spec ?? {};
  const errors: FieldError[] = [];
  if (typeof replicas === 'number' && replicas < 0) errors.push(fieldError.invalid('spec.replicas', replicas, NOT_NEGATIVE));
  if (selector === undefined) errors.push(fieldError.required('spec.selector'));
  if (object.kind === 'Deployment') errors.push(...strategyErrors(object.spec?.strategy));
  const labels = template?.metadata?.labels;
  if (!matchesSelector(selector, labels)) {
    errors.push(fieldError.invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'));
  }
  return [...errors, ...podSpecErrors(template?.spec, 'spec.template.spec')];
}

function strategyErrors(strategy: KubeObject['spec']): FieldError[] {
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {};
  if (type !== 'RollingUpdate' && type !== 'Recreate') {
    const value = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [fieldError.unsupported('spec.strategy', value, ['Recreate', 'RollingUpdate'])];
  }
  const nothing = (value: unknown) => value === 0 || value === '0%';
  if (type === 'Recreate' || !nothing(rollingUpdate?.maxSurge) || !nothing(rollingUpdate?.maxUnavailable)) return [];
  return [
    fieldError.invalid('spec.strategy.rollingUpdate.maxUnavailable', rollingUpdate.maxUnavailable, 'may not be 0 when `maxSurge` is 0'),
  ];
}

export function budgetErrors(object: KubeObject): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = object.spec ?? {};
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const value = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    return [fieldError.invalid('spec', value, 'minAvailable and maxUnavailable cannot be both set')];
  }
  const [field, value] = minAvailable === undefined ? ['spec.maxUnavailable', maxUnavailable] : ['spec.minAvailable', minAvailable];
  if (typeof value === 'number' && value < 0) return [fieldError.invalid(field, value, NOT_NEGATIVE)];
  if (typeof value !== 'string' || /^[0-9]+%$/.test(value)) return [];
  const why = `a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`;
  return [fieldError.invalid(field, value, why)];
}

/** Fields that no update may change. */
export function immutableErrors(before: KubeObject, after: KubeObject): FieldError[] {
  const fixed = (field: string, value: unknown) => fieldError.invalid(field, value, 'field is immutable');
  switch (after.kind) {
    case 'Deployment':
    case 'ReplicaSet':
    case 'DaemonSet':
    case 'StatefulSet':
      return equalJson(before.spec?.selector, after.spec?.selector) ? [] : [fixed('spec.selector', after.spec?.selector)];
    case 'Secret':
      return before.type === after.type ? [] : [fixed('type', after.type)];
    case 'ConfigMap':
      return before.immutable !== true || equalJson(before.data, after.data)
        ? []
        : [fieldError.forbidden('data', 'field is immutable when `immutable` is set')];
    case 'Pod':
      return podChangeErrors(before, after);
    default:
      return [];
  }
}

const POD_MAY_CHANGE = [
  'containers[*].image',
  'initContainers[*].image',
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
];

function podChangeErrors(before: KubeObject, after: KubeObject): FieldError[] {
  const frozen = ({ spec }: KubeObject) => {
    const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, terminationGracePeriodSeconds: _grace, ...rest } = spec ?? {};
    const nameless = (containers: { image?: string }[] | undefined) => containers?.map(({ image: _image, ...container }) => container);
    return { ...rest, containers: nameless(rest.containers), initContainers: nameless(rest.initContainers) };
  };
  if (equalJson(frozen(before), frozen(after))) return [];
  const [containers, initContainers, deadline, tolerations, grace] = POD_MAY_CHANGE.map((field) => `\`spec.${field}\``);
  const allowed = [
    containers,
    initContainers,
    deadline,
    `${tolerations} (only additions to existing tolerations)`,
    `${grace} (allow it to be set to 1 if it was previously negative)`,
  ];
  return [fieldError.forbidden('spec', `pod updates may not change fields other than ${allowed.join(',')}`)];
}
