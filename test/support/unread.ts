/** What inspection could not read, by what it calls that. */
import type { ClusterFacts, Inspected } from '../../domain/facts/facts.ts';

const PARTS: Record<string, Inspected['part']> = {
  'the updates in progress': 'updates',
  'the managed node groups': 'node-groups',
  'the add-ons': 'add-ons',
  'the nodes': 'nodes',
  'the Karpenter Deployment': 'karpenter',
  'the Karpenter NodePools': 'node-pools',
  'the EC2NodeClasses': 'node-classes',
  'the NodeClaims': 'node-claims',
  'the istiod Deployments': 'istiods',
  'the namespaces': 'namespaces',
  'the Istio revision tags': 'revision-tags',
};

/** What comes before or after the name of one of several. */
const NAMED: readonly [RegExp, Inspected['part']][] = [
  [/^node group (?<name>.+)$/, 'node-groups'],
  [/^add-on (?<name>.+)$/, 'add-ons'],
  [/^(?<name>.+) in kube-system$/, 'self-managed-add-ons'],
  [/^the kubelet version of node /, 'kubelet-versions'],
  [/^the Istio revision of /, 'revision-choices'],
];

export function unread(what: string, why = 'access denied'): ClusterFacts['unknowns'][number] {
  const named = NAMED.find(([pattern]) => pattern.test(what));
  const part = PARTS[what] ?? named?.[1];
  if (part === undefined) throw new Error(`inspection calls nothing "${what}": add it to test/support/unread.ts`);
  const name = named?.[0].exec(what)?.groups?.['name'];
  return { part, ...(name === undefined ? {} : { name }), what, why };
}
