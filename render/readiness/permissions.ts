/** The least privilege of `belay check`: an IAM policy, then a ClusterRole. */
import { stringify } from 'yaml';
import type { permissionsOf } from '../../domain/readiness/model/sources.ts';

export function renderPermissions({ iam, rbac }: ReturnType<typeof permissionsOf>): string {
  const policy = { Version: '2012-10-17', Statement: [{ Sid: 'BelayCheck', Effect: 'Allow', Action: iam, Resource: '*' }] };
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'belay-check' },
    rules: rbac.map((rule) => structuredClone(rule)),
  };
  return `# IAM policy of the role that runs belay check\n${JSON.stringify(policy, null, 2)}\n\n# ClusterRole, bound to the group of its access entry\n${stringify(role)}`.trimEnd();
}
