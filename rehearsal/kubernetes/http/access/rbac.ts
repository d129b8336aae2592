/** RBAC as the API server evaluates it: the objects in the store, and the few roles that every signed-in user has. */
import type { KubeObject, ObjectStore } from '../../store.ts';
import type { Identity } from './authentication.ts';

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** What a request wants to do with a resource. */
export interface AccessAttributes {
  verb: string;
  group: string;
  /** "pods", "pods/eviction" */
  resource: string;
  namespace?: string;
  name?: string;
}

export interface PathAttributes {
  path: string;
  /** "get" */
  verb: string;
}

/** A rule, and how the API server explains that it applied. */
interface Grant {
  rule: PolicyRule;
  reason: string;
}

export type Verdict = { allowed: true; reason?: string } | { allowed: false };

const SUPERUSERS = 'system:masters';
const EVERYBODY = 'system:authenticated';

/** Does RBAC let this user do that? */
export function authorize(store: ObjectStore, identity: Identity, wanted: AccessAttributes | PathAttributes): Verdict {
  if (identity.groups?.includes(SUPERUSERS)) return { allowed: true };
  const namespace = 'path' in wanted ? undefined : wanted.namespace;
  const grant = grantsOf(store, identity, namespace).find(({ rule }) => allows([rule], wanted));
  return grant ? { allowed: true, reason: grant.reason } : { allowed: false };
}

/** What administrators may do. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** All rules that apply to a user in a namespace, for SelfSubjectRulesReview. */
export function rulesOf(store: ObjectStore, identity: Identity, namespace: string): PolicyRule[] {
  const own = identity.groups?.includes(SUPERUSERS) ? EVERYTHING : [];
  return [...own, ...grantsOf(store, identity, namespace).map(({ rule }) => rule)];
}

/** These rules and what everybody who is signed in may do. */
export function withDefaults(rules: readonly PolicyRule[]): PolicyRule[] {
  return [...rules, ...DEFAULT_GRANTS.flatMap(([, own]) => own)];
}

/** Does one of the rules let somebody do that? */
export function allows(rules: readonly PolicyRule[], wanted: AccessAttributes | PathAttributes): boolean {
  return rules.some('path' in wanted ? coversPath(wanted) : coversResource(wanted));
}

function coversPath({ path, verb }: PathAttributes): (rule: PolicyRule) => boolean {
  return (rule) =>
    holds(rule.verbs, verb) &&
    (rule.nonResourceURLs ?? []).some(
      (known) => known === '*' || known === path || (known.endsWith('*') && path.startsWith(known.slice(0, -1))),
    );
}

function coversResource({ verb, group, resource, name }: AccessAttributes): (rule: PolicyRule) => boolean {
  const anySubresource = resource.includes('/') ? `*/${resource.split('/')[1]}` : undefined;
  return (rule) =>
    holds(rule.verbs, verb) &&
    holds(rule.apiGroups ?? [], group) &&
    (holds(rule.resources ?? [], resource) || (anySubresource !== undefined && (rule.resources ?? []).includes(anySubresource))) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name)));
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** The default roles of every signed-in user: kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy. */
const DEFAULT_GRANTS: readonly [role: string, rules: PolicyRule[]][] = [
  [
    'system:basic-user',
    [
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
  ],
  [
    'system:discovery',
    [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
      },
    ],
  ],
  ['system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] }]],
];

function grantsOf(store: ObjectStore, identity: Identity, namespace: string | undefined): Grant[] {
  const groups = [...(identity.groups ?? []), ...(identity.groups?.includes('system:unauthenticated') ? [] : [EVERYBODY])];
  const anonymous = !groups.includes(EVERYBODY);
  const grants: Grant[] = DEFAULT_GRANTS.filter(([role]) => !anonymous || role === 'system:public-info-viewer').flatMap(([role, rules]) => {
    const reason = `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "${anonymous ? 'system:unauthenticated' : EVERYBODY}"`;
    return rules.map((rule) => ({ rule, reason }));
  });
  const bindings = [...store.list('clusterrolebindings'), ...(namespace === undefined ? [] : store.list('rolebindings', { namespace }))];
  for (const binding of bindings) {
    const subject = subjectOf(binding, identity.username, groups);
    if (subject === undefined) continue;
    const { kind, name } = binding.roleRef ?? {};
    const role = kind === 'Role' ? store.get('roles', name, binding.metadata.namespace) : store.get('clusterroles', name);
    const place = binding.metadata.namespace === undefined ? '' : `/${binding.metadata.namespace}`;
    const reason = `RBAC: allowed by ${binding.kind} "${binding.metadata.name}${place}" of ${kind} "${name}" to ${subject}`;
    const rules: PolicyRule[] = role?.rules ?? [];
    for (const rule of rules) grants.push({ rule, reason });
  }
  return grants;
}

function subjectOf(binding: KubeObject, username: string, groups: string[]): string | undefined {
  const subjects: { kind: string; name: string }[] = binding.subjects ?? [];
  const subject = subjects.find(({ kind, name }) => (kind === 'User' && name === username) || (kind === 'Group' && groups.includes(name)));
  return subject && `${subject.kind} "${subject.name}"`;
}
