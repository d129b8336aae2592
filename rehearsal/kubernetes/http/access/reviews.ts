/** Questions about oneself: may I, what may I, who am I. */
import { badRequest, fieldError, invalid } from '../../failures.ts';
import { isObject } from '../../json.ts';
import { kubeTime } from '../../pods/pods.ts';
import { judge, rulesFor } from './access.ts';
import type { Identity } from './authentication.ts';
import { parseOr400 } from '../views/go-json.ts';
import type { AccessAttributes, PathAttributes } from './rbac.ts';
import type { KubernetesServerOptions } from '../server-options.ts';

type Review = (options: KubernetesServerOptions, identity: Identity, body: Record<string, unknown>) => object;

const AUTHORIZATION = { group: 'authorization.k8s.io', kind: '' };

/** By "group/plural". */
const REVIEWS: Record<string, Review> = {
  'authorization.k8s.io/selfsubjectaccessreviews': reviewAccess,
  'authorization.k8s.io/selfsubjectrulesreviews': reviewRules,
  'authentication.k8s.io/selfsubjectreviews': reviewSubject,
};

/** The review of a path such as /apis/authorization.k8s.io/v1/selfsubjectaccessreviews; undefined for others. */
export function reviewAt(path: string): ((options: KubernetesServerOptions, identity: Identity, body: string) => object) | undefined {
  const match = /^\/apis\/([^/]+)\/v1\/([^/]+)\/?$/.exec(path);
  const review = match ? REVIEWS[`${match[1]}/${match[2]}`] : undefined;
  if (!review) return undefined;
  return (options, identity, body) => {
    const value = parseOr400(body);
    return review(options, identity, isObject(value) ? value : {});
  };
}

function reviewAccess(options: KubernetesServerOptions, identity: Identity, body: Record<string, unknown>): object {
  const spec = isObject(body.spec) ? body.spec : {};
  const resource = isObject(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
  const path = isObject(spec.nonResourceAttributes) ? spec.nonResourceAttributes : undefined;
  if (resource && path) {
    const value = { Path: path.path ?? '', Verb: path.verb ?? '' };
    const why = 'cannot be specified in combination with resourceAttributes';
    throw invalid(AUTHORIZATION, '', fieldError.invalid('spec.nonResourceAttributes', value, why));
  }
  const wanted = resource ? resourceWanted(resource) : path ? pathWanted(path) : undefined;
  if (!wanted) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalid(AUTHORIZATION, '', fieldError.invalid('spec.resourceAttributes', null, why));
  }
  const status = judge(options, identity, wanted);
  return { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status };
}

function reviewRules(options: KubernetesServerOptions, identity: Identity, body: Record<string, unknown>): object {
  const namespace = isObject(body.spec) ? text(body.spec, 'namespace') : '';
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = rulesFor(options, identity, namespace);
  const status = {
    resourceRules: rules
      .filter((rule) => rule.resources !== undefined)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames ? { resourceNames } : {}),
      })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs !== undefined)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
  return { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec: {}, status };
}

function reviewSubject({ now }: KubernetesServerOptions, { username, groups = [] }: Identity): object {
  return {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: kubeTime(now().getTime()) },
    status: { userInfo: { username, uid: username, groups: [...groups, 'system:authenticated'] } },
  };
}

function resourceWanted(wanted: Record<string, unknown>): AccessAttributes {
  const subresource = text(wanted, 'subresource');
  const [namespace, name] = [text(wanted, 'namespace'), text(wanted, 'name')];
  return {
    verb: text(wanted, 'verb'),
    group: text(wanted, 'group'),
    resource: subresource === '' ? text(wanted, 'resource') : `${text(wanted, 'resource')}/${subresource}`,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
  };
}

function pathWanted(wanted: Record<string, unknown>): PathAttributes {
  return { path: text(wanted, 'path'), verb: text(wanted, 'verb') };
}

function text(object: Record<string, unknown>, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}
