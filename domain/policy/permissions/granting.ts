/** Which role of deploy/ lets Belay make a change: what the doctor tries out, and what a refusal names. */
import { CHANGES } from './changes.ts';
import type { Operation } from './fields.ts';
import { type AdmissionOption, roleFile } from './options.ts';
import { defined } from '../../core/defined.ts';

/** Of a SelfSubjectAccessReview's resourceAttributes. */
export interface Right {
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  /** Roles grant it for some objects alone. */
  name?: string;
}

/** CONNECT is another verb for each subresource; whoever forwards a port or scrapes says itself what it lacks. */
const VERBS: Partial<Record<Operation, string>> = { CREATE: 'create', UPDATE: 'patch', DELETE: 'delete' };

/** What a role lets Belay change; of an option, beyond the base role. */
export function rightsOf(option?: AdmissionOption): Right[] {
  const base = CHANGES.filter((change) => change.option === undefined).map(keyOf);
  const own = CHANGES.filter((change) => change.option === option && (option === undefined || !base.includes(keyOf(change))));
  return [...new Map(own.map((change) => [keyOf(change), change])).values()].flatMap(({ operation, resource, names = [undefined] }) => {
    const verb = VERBS[operation];
    if (verb === undefined) return [];
    const [group = '', plural = '', subresource] = resource.split('/');
    const right = { verb, group, resource: plural, ...defined({ subresource }) };
    return names.map((name): Right => (name === undefined ? right : { ...right, name }));
  });
}

const keyOf = ({ operation, resource }: { operation: Operation; resource: string }): string => `${operation} ${resource}`;

/** What mends a refusal, by the authorizer's own words. undefined: neither a policy of Belay's nor an optional role has to do with it. */
export function mendOf(refusal: string): string | undefined {
  // Beyond the roles: no role mends it.
  if (refusal.includes("ValidatingAdmissionPolicy 'belay-"))
    return 'apply deploy/kubernetes-admission.yaml, or what belay permissions prints for this belay.yaml';
  const [, verb = '', resource = '', group = ''] = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(refusal) ?? [];
  const options = CHANGES.flatMap((change) => {
    const asked = change.resource === `${group}/${resource}` && VERBS[change.operation] === verb;
    return asked ? [change.option] : [];
  });
  if (options.length === 0 || options.includes(undefined)) return undefined;
  return `apply ${[...new Set(options)].map(roleFile).join(' or ')}`;
}
