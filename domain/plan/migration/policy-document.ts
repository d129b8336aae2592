/**
 * Would an IAM policy document allow a request, as far as actions, kinds of resources and tags say? Names of clusters, accounts and regions are
 * not compared: documents are templates as often as not. Source: IAM's policy evaluation logic and condition operators.
 */
import { field } from '../../core/unknown.ts';
import { defined } from '../../core/defined.ts';

export interface PolicyDocument {
  statements: unknown[];
}

export interface Request {
  action: string;
  /** "instance", as an ARN has it; absent: any. */
  resource?: string;
  requestTags: readonly string[];
  resourceTags: readonly string[];
  /** ec2:CreateAction: tags that come with the making of something. */
  createAction?: string;
}

export interface Gap {
  action: string;
  resource?: string;
  /** Which condition is in the way, or that no statement has the action. */
  why: string;
}

/** undefined: it is allowed. A statement that nobody can judge here (NotAction, NotResource) does not allow. */
export function refusal({ statements }: PolicyDocument, request: Request): Gap | undefined {
  const about = { action: request.action, ...defined({ resource: request.resource }) };
  const concerned = statements.filter((each) => matchesAny(field(each, 'Action'), request.action) && coversResource(each, request));
  const denied = concerned.find((each) => field(each, 'Effect') === 'Deny' && missingOf(each, request).length === 0);
  if (denied !== undefined) return { ...about, why: `${nameOf(denied)} denies it` };
  const allowing = concerned.filter((each) => field(each, 'Effect') === 'Allow');
  if (allowing.length === 0) return { ...about, why: 'no statement allows it' };
  const reasons = allowing.map((each) => ({ each, missing: missingOf(each, request) }));
  if (reasons.some(({ missing }) => missing.length === 0)) return undefined;
  return { ...about, why: reasons.map(({ each, missing }) => `${nameOf(each)}: ${missing.join(', ')}`).join('; ') };
}

const nameOf = (statement: unknown): string => {
  const sid = field(statement, 'Sid');
  return typeof sid === 'string' ? sid : 'a statement without a Sid';
};

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

/** IAM's wildcards; actions know no case. */
function matchesAny(patterns: unknown, text: string): boolean {
  return listOf(patterns).some((pattern) => {
    const source = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${source}$`, 'i').test(text);
  });
}

/** By the kind alone: "…:instance/*" covers instances. */
function coversResource(statement: unknown, { resource }: Request): boolean {
  if (resource === undefined) return field(statement, 'Resource') !== undefined;
  return listOf(field(statement, 'Resource')).some((arn) => {
    if (arn === '*') return true;
    const kind = /[^:]*$/.exec(arn)?.[0].split('/')[0];
    return kind === '*' || kind === resource;
  });
}

/** Conditions that the request does not meet, in words. */
function missingOf(statement: unknown, request: Request): string[] {
  const conditions = field(statement, 'Condition');
  if (typeof conditions !== 'object' || conditions === null) return [];
  return Object.entries(conditions).flatMap(([operator, keys]: [string, unknown]) =>
    Object.entries(typeof keys === 'object' && keys !== null ? keys : {}).flatMap(([key, values]: [string, unknown]) =>
      unmet(operator, key, values, request),
    ),
  );
}

function unmet(operator: string, key: string, values: unknown, request: Request): string[] {
  const has = (tags: readonly string[], name: string): boolean => tags.some((tag) => sameTag(tag, name));
  const optional = operator.endsWith('IfExists');
  const [, where, tag = ''] = /^aws:(RequestTag|ResourceTag)\/(.+)$/i.exec(key) ?? [];
  if (where !== undefined) {
    const onRequest = where.toLowerCase() === 'requesttag';
    if (optional || has(onRequest ? request.requestTags : request.resourceTags, tag)) return [];
    return [`wants the tag ${tag} ${onRequest ? 'in the request' : 'on the resource'}`];
  }
  if (/^aws:TagKeys$/i.test(key) && operator.startsWith('ForAllValues:')) {
    const others = request.requestTags.filter((name) => !listOf(values).some((allowed) => sameTag(name, allowed)));
    return others.length === 0 ? [] : [`does not allow the tag ${others.join(', ')}`];
  }
  if (/^ec2:CreateAction$/i.test(key) && !optional && (request.createAction === undefined || !matchesAny(values, request.createAction)))
    return ['only as something is made'];
  return [];
}

const CLUSTER_TAG = 'kubernetes.io/cluster/';
/** Whatever the cluster is called. */
const sameTag = (a: string, b: string): boolean => a === b || (a.startsWith(CLUSTER_TAG) && b.startsWith(CLUSTER_TAG));
