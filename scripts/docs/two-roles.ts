/**
 * The rights of deploy/ in two parts, for `role` and `writeRole` of belay.yaml: what only reads, and what changes something. Made of the same files as
 * one role has, so that no right is told twice.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import type { Access } from '../../activities/clients/session.ts';

const deploy = new URL('../../deploy/', import.meta.url);
const ACCESSES: readonly Access[] = ['read', 'write'];

/** Changes nothing of the cluster: EKS looks again. */
const ALSO_READS: ReadonlySet<string> = new Set(['eks:StartInsightsRefresh']);
const READING_ACTION = /^[a-z0-9]+:(Describe|Get|List|Query|Simulate)/;

const policy = z.strictObject({ Version: z.string(), Statement: z.array(z.looseObject({ Sid: z.string(), Action: z.array(z.string()) })) });

const rule = z.looseObject({ resources: z.array(z.string()).optional(), verbs: z.array(z.string()) });
const role = z.looseObject({ kind: z.enum(['ClusterRole', 'Role']), metadata: z.looseObject({ name: z.string() }), rules: z.array(rule) });
const binding = z.looseObject({
  kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
  metadata: z.looseObject({ name: z.string() }),
  roleRef: z.looseObject({ name: z.string() }),
  subjects: z.tuple([z.looseObject({ kind: z.literal('Group'), name: z.literal('belay') })]),
});

/** What a change by Helm reads by itself: was the release of an earlier attempt left half-way? Whoever runs Helm is an administrator. */
const READ_FOR_HELM = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];

/** Path in the repository and text, for each part of each file that is not empty. */
export function twoRoles(): { path: string; text: string }[] {
  const names = readdirSync(deploy).sort();
  const of = (pattern: RegExp): string[] => names.filter((name) => pattern.test(name));
  return ACCESSES.flatMap((access) =>
    [
      ...of(/^iam-policy.*\.json$/).map((name) => ({ name, text: policyFor(access, name) })),
      ...of(/^kubernetes-rbac.*\.yaml$/).map((name) => ({ name, text: rolesFor(access, name) })),
    ].flatMap(({ name, text }) =>
      text === undefined ? [] : [{ path: `deploy/two-roles/${name.replace(/\.\w+$/, `-${access}$&`)}`, text }],
    ),
  );
}

function policyFor(access: Access, name: string): string | undefined {
  const { Version, Statement } = policy.parse(JSON.parse(textOf(name)));
  const statements = Statement.flatMap(({ Action, ...rest }) => {
    const actions = Action.filter((action) => (READING_ACTION.test(action) || ALSO_READS.has(action)) === (access === 'read'));
    // In the order of AWS's own examples.
    const { Sid, Effect, ...where } = rest;
    return actions.length === 0 ? [] : [{ Sid, Effect, Action: actions, ...where }];
  });
  return statements.length === 0 ? undefined : `${JSON.stringify({ Version, Statement: statements }, null, 2)}\n`;
}

function rolesFor(access: Access, name: string): string | undefined {
  const documents = parseAllDocuments(textOf(name)).map((document): unknown => document.toJS());
  const found = documents.map((document) => role.safeParse(document).data).find((parsed) => parsed !== undefined);
  const bound = binding.parse(documents.at(-1));
  // Helm's: bound to cluster-admin.
  if (found === undefined && access === 'write') return written(name, [forGroup(bound, access, bound.roleRef.name)]);
  const own: z.infer<typeof role> = found ?? {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: bound.metadata,
    rules: READ_FOR_HELM,
  };
  const rules = own.rules.flatMap((each) => {
    const verbs = each.verbs.filter((verb) => (isReading(verb) || isForwarding(each)) === (access === 'read'));
    return verbs.length === 0 ? [] : [{ ...each, verbs }];
  });
  if (rules.length === 0) return undefined;
  const roleName = `${own.metadata.name}-${access}`;
  return written(name, [{ ...own, metadata: { ...own.metadata, name: roleName }, rules }, forGroup(bound, access, roleName)]);
}

const isReading = (verb: string): boolean => verb === 'get' || verb === 'list';
/** Asking a program in a pod is reading, though Kubernetes asks for create. */
const isForwarding = ({ resources }: z.infer<typeof rule>): boolean => resources?.includes('pods/portforward') === true;

function forGroup(bound: z.infer<typeof binding>, access: Access, roleName: string): object {
  const [group] = bound.subjects;
  return {
    ...bound,
    metadata: { ...bound.metadata, name: `${bound.metadata.name}-${access}` },
    roleRef: { ...bound.roleRef, name: roleName },
    subjects: [{ ...group, name: `belay-${access}` }],
  };
}

function written(name: string, documents: object[]): string {
  const head = `# Written by npm run docs: a part of ../${name}, which says why.\n`;
  return head + documents.map((document) => stringify(document, { lineWidth: 0, sortMapEntries: inUsualOrder })).join('---\n');
}

/** As people write them: what it is, then what it is called, then what is in it. */
const KEYS = [
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'namespace',
  'labels',
  'apiGroups',
  'resources',
  'resourceNames',
  'nonResourceURLs',
  'verbs',
];

function inUsualOrder(a: { key: unknown }, b: { key: unknown }): number {
  const [first, second] = [a, b].map(({ key }) => (KEYS.indexOf(String(key)) + KEYS.length + 1) % (KEYS.length + 1));
  return (first ?? 0) - (second ?? 0);
}

function textOf(name: string): string {
  return readFileSync(new URL(name, deploy), 'utf8');
}
