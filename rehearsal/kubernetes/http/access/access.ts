/** Lets requests through or refuses them: by RBAC for users with tokens, by the server's option `rules` for everybody else. */
import { DetailedError, forbidden } from '../../failures.ts';
import type { StoreError } from '../../store.ts';
import type { Identity } from './authentication.ts';
import {
  type AccessAttributes,
  allows,
  authorize,
  EVERYTHING,
  type PathAttributes,
  type PolicyRule,
  rulesOf,
  type Verdict,
  withDefaults,
} from './rbac.ts';
import type { RequestInfo } from '../request-info.ts';
import type { KubernetesServerOptions } from '../server-options.ts';

/** May this identity do that, and why. */
export function judge(options: KubernetesServerOptions, identity: Identity, wanted: AccessAttributes | PathAttributes): Verdict {
  if (identity.groups) return authorize(options.store, identity, wanted);
  return { allowed: allows(rulesFor(options, identity), wanted) };
}

/** What an identity may do in a namespace. */
export function rulesFor(options: KubernetesServerOptions, identity: Identity, namespace = ''): PolicyRule[] {
  if (identity.groups) return rulesOf(options.store, identity, namespace);
  return withDefaults(options.rules?.(identity) ?? EVERYTHING);
}

/** Throws Forbidden, as RBAC words it. */
export function checkAccess(options: KubernetesServerOptions, identity: Identity, info: RequestInfo): void {
  const wanted = info.resource ? attributesOf(info.resource) : { path: info.path, verb: info.verb };
  if (!judge(options, identity, wanted).allowed) throw refusal(wanted, identity.username);
}

function attributesOf({ verb, group, plural, subresource, namespace, name }: NonNullable<RequestInfo['resource']>): AccessAttributes {
  return {
    verb,
    group,
    resource: subresource ? `${plural}/${subresource}` : plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

function refusal(wanted: AccessAttributes | PathAttributes, username: string): StoreError {
  if ('path' in wanted)
    return new DetailedError(403, 'Forbidden', `forbidden: User "${username}" cannot ${wanted.verb} path "${wanted.path}"`, {});
  const { verb, group, resource, namespace, name } = wanted;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${username}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return forbidden({ group, plural: resource.split('/')[0] ?? '' }, name, why);
}
