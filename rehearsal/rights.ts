/** The twin grants Belay the rights that deploy/ grants it, and no others: what is missing there shows in the next rehearsal. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { PolicyRule } from './kubernetes/http/rbac.ts';

/** The access key that Belay's processes have in a rehearsal. Others (people's kubectl, Atlantis) may do everything. */
export const BELAY_ACCESS_KEY = 'AKIAREHEARSAL0000000';

/** Of a Role too: what it allows is in one namespace only, where the twin has nothing of the kind elsewhere. */
const clusterRole = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()).optional(),
      resources: z.array(z.string()).optional(),
      resourceNames: z.array(z.string()).optional(),
      nonResourceURLs: z.array(z.string()).optional(),
      verbs: z.array(z.string()),
    }),
  ),
});

const policy = z.object({ Statement: z.array(z.object({ Effect: z.literal('Allow'), Action: z.array(z.string()) })) });

/** What the ClusterRole of deploy/kubernetes-rbac.yaml allows, with those of deploy/kubernetes-rbac-<suffix>.yaml. */
export function kubernetesRules(suffixes: readonly string[] = []): PolicyRule[] {
  const files = ['kubernetes-rbac.yaml', ...suffixes.map((suffix) => `kubernetes-rbac-${suffix}.yaml`)];
  const documents = files.flatMap((name) => parseAllDocuments(deployFile(name))).map((document): unknown => document.toJS());
  return documents.flatMap((document) => clusterRole.safeParse(document).data?.rules ?? []);
}

/** True for actions, such as eks:DescribeCluster, that no policy of deploy/ allows. */
export function awsRights(): (action: string) => boolean {
  const statements = ['iam-policy.json', 'iam-policy-optional.json', 'iam-policy-self-managed.json'].flatMap(
    (name) => policy.parse(JSON.parse(deployFile(name))).Statement,
  );
  const allowed = new Set(statements.flatMap(({ Action }) => Action));
  return (action) => !allowed.has(action);
}

function deployFile(name: string): string {
  return readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8');
}
