/**
 * The roles of deploy/ for one of two identities: what only reads, or what changes something. Made of the same files as one role has, so that no
 * right is told twice.
 */
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

export type Access = 'read' | 'write';

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

/** `text`: of deploy/NAME. undefined: it has nothing of the kind. */
export function rolesFor(access: Access, name: string, text: string): string | undefined {
  const documents = parseAllDocuments(text).map((document): unknown => document.toJS());
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
