/** The twin grants Belay the rights that deploy/ grants it, and no others: what is missing there shows in the next rehearsal. */
import { existsSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { RoleOption } from '../../../domain/policy/permissions/options.ts';
import type { AssumedRole } from '../../aws/eks/state.ts';
import type { PolicyRule } from '../../kubernetes/http/access/rbac.ts';

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

/** Which part of the rights of deploy/ somebody has: all, or those of one of two roles. */
export type Part = 'all' | 'read' | 'write';

/** What the ClusterRole of deploy/kubernetes-rbac.yaml allows, with those of deploy/kubernetes-rbac-<option>.yaml. */
export function kubernetesRules(options: readonly RoleOption[] = [], part: Part = 'all'): PolicyRule[] {
  const files = ['kubernetes-rbac', ...options.map((option) => `kubernetes-rbac-${option}`)].map((name) => fileOf(name, 'yaml', part));
  const documents = files
    .flatMap((text) => (text === undefined ? [] : parseAllDocuments(text)))
    .map((document): unknown => document.toJS());
  return documents.flatMap((document) => clusterRole.safeParse(document).data?.rules ?? []);
}

/** True for actions, such as eks:DescribeCluster, that no policy of deploy/ allows. */
export function awsRights(part: Part = 'all'): (action: string) => boolean {
  const texts = ['iam-policy', 'iam-policy-optional', 'iam-policy-self-managed'].map((name) => fileOf(name, 'json', part));
  const statements = texts.flatMap((text) => (text === undefined ? [] : policy.parse(JSON.parse(text)).Statement));
  const allowed = new Set(statements.flatMap(({ Action }) => Action));
  return (action) => !allowed.has(action);
}

/** What Belay's roles are for, where belay.yaml names any. */
export interface Roles {
  role?: string;
  writeRole?: string;
}

/**
 * The part of the rights that belongs to whoever signs with an access key. `none`: Belay's own, where it has to assume a role first, or a role that
 * nobody has granted anything. undefined: people, who may do everything.
 */
export function partOf(accessKeyId: string, { role, writeRole }: Roles, assumed: readonly AssumedRole[]): Part | 'none' | undefined {
  const session = assumed.find((known) => known.accessKeyId === accessKeyId);
  if (session === undefined) {
    if (accessKeyId !== BELAY_ACCESS_KEY) return undefined;
    return role === undefined ? 'all' : 'none';
  }
  if (session.role === writeRole) return 'write';
  if (session.role === role) return writeRole === undefined ? 'all' : 'read';
  return 'none';
}

/** undefined: there is no such part. */
function fileOf(name: string, extension: string, part: Part): string | undefined {
  if (part === 'all') return deployFile(`${name}.${extension}`);
  const path = `two-roles/${name}-${part}.${extension}`;
  return existsSync(deployPath(path)) ? deployFile(path) : undefined;
}

const deployPath = (name: string): URL => new URL(`../../../deploy/${name}`, import.meta.url);

function deployFile(name: string): string {
  return readFileSync(deployPath(name), 'utf8');
}
