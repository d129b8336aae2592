/**
 * ValidatingAdmissionPolicies that let Belay's groups change what changes.ts lists and nothing else: one that knows which writes there are at all, and
 * one per resource that compares old and new. Served by Kubernetes 1.30 and later (kubernetes.io, "Validating Admission Policy").
 */
import { capital } from '../../core/text.ts';
import { comparisonsOf } from './cel.ts';
import { type Change, fieldsOf } from './fields.ts';

/** To which access entries map Belay's roles. */
export const BELAY_GROUPS = ['belay', 'belay-read', 'belay-write'] as const;

const API = 'admissionregistration.k8s.io/v1';
const LABELS = { 'app.kubernetes.io/name': 'belay' };

interface Rule {
  apiGroups: string[];
  apiVersions: string[];
  operations: string[];
  resources: string[];
}

interface Validation {
  expression: string;
  message: string;
  reason: 'Forbidden';
}

export interface Policy {
  apiVersion: typeof API;
  kind: 'ValidatingAdmissionPolicy';
  metadata: { name: string; labels: typeof LABELS };
  spec: {
    failurePolicy: 'Fail';
    matchConstraints: { resourceRules: Rule[] };
    matchConditions: { name: string; expression: string }[];
    variables?: { name: string; expression: string }[];
    validations: Validation[];
  };
}

export interface PolicyBinding {
  apiVersion: typeof API;
  kind: 'ValidatingAdmissionPolicyBinding';
  metadata: { name: string; labels: typeof LABELS };
  spec: { policyName: string; validationActions: string[] };
}

/** Each policy followed by its binding. */
export function admissionPolicies(changes: readonly Change[], groups: readonly string[] = BELAY_GROUPS): (Policy | PolicyBinding)[] {
  const resources = [...new Set(changes.map(({ resource }) => resource))];
  return [nothingElse(changes, groups), ...resources.flatMap((resource) => policyOf(resource, changes, groups) ?? [])].flatMap((policy) => [
    policy,
    bindingOf(policy),
  ]);
}

/** What no right of a role can narrow to: creation of pods, subresources, kinds that nobody has thought of. */
function nothingElse(changes: readonly Change[], groups: readonly string[]): Policy {
  const known = [...new Set(changes.map(({ operation, resource }) => `${operation} ${resource}`))].sort();
  const asked =
    "request.operation + ' ' + request.resource.group + '/' + request.resource.resource + (has(request.subResource) && request.subResource != '' ? '/' + request.subResource : '')";
  return policy('belay-nothing-else', groups, [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }], {
    variables: [{ name: 'asked', expression: asked }],
    validations: [
      {
        expression: `variables.asked in [\n${known.map((each) => `  '${each}'`).join(',\n')}\n]`,
        message: 'Belay never does this: it is not among the changes that it makes (deploy/kubernetes-admission.yaml).',
        reason: 'Forbidden',
      },
    ],
  });
}

/** undefined: whatever is done to it is allowed by belay-nothing-else alone. */
function policyOf(resource: string, changes: readonly Change[], groups: readonly string[]): Policy | undefined {
  const own = changes.filter((change) => change.resource === resource);
  const fields = fieldsOf(own, resource);
  const { variables, comparisons } = fields === undefined ? { variables: [], comparisons: [] } : comparisonsOf(fields);
  const compared = comparisons.map(
    ({ expression, at, may }): Validation => ({
      expression: only('UPDATE', expression),
      message: `Belay changes ${at === '' ? `of ${plural(resource)}` : `in ${at}`} only ${may.join(', ') || 'nothing'}.`,
      reason: 'Forbidden',
    }),
  );
  const held = new Map(
    own.flatMap(({ operation, conditions = [] }) => conditions.map((each) => [only(operation, each.cel), each] as const)),
  );
  const conditions = [...held].map(
    ([expression, { refuses }]): Validation => ({
      expression,
      message: `${capital(refuses)}.`,
      reason: 'Forbidden',
    }),
  );
  if (compared.length + conditions.length === 0) return undefined;
  const [group, name] = [resource.slice(0, resource.indexOf('/')), plural(resource)];
  const operations = [...new Set(own.map(({ operation }) => operation))].sort();
  return policy(`belay-${name.replace('/', '-')}`, groups, [{ apiGroups: [group], apiVersions: ['*'], operations, resources: [name] }], {
    ...(variables.length === 0 ? {} : { variables }),
    validations: [...conditions, ...compared],
  });
}

const plural = (resource: string): string => resource.slice(resource.indexOf('/') + 1);
const only = (operation: string, expression: string): string => `request.operation != '${operation}' || (${expression})`;

function policy(
  name: string,
  groups: readonly string[],
  resourceRules: Rule[],
  rest: Pick<Policy['spec'], 'variables' | 'validations'>,
): Policy {
  const list = groups.map((group) => `'${group}'`).join(', ');
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels: LABELS },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules },
      matchConditions: [
        { name: 'belay', expression: `has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in [${list}])` },
      ],
      ...rest,
    },
  };
}

function bindingOf({ metadata: { name, labels } }: Policy): PolicyBinding {
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name, labels },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}
