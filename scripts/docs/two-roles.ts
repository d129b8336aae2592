/** deploy/iam-policy*.json, for an example of a cluster that uses everything, and deploy/two-roles: the rights of deploy/ in two parts. */
import { readdirSync, readFileSync } from 'node:fs';
import { accessPart, iamStatements, policyDocument } from '../../domain/policy/permissions/iam.ts';
import { type Access, rolesFor } from '../../cli/permissions/roles.ts';
import { type AwsUse, type ClusterPlace, EVERYTHING, IAM_PARTS } from '../../domain/policy/permissions/iam-use.ts';

const deploy = new URL('../../deploy/', import.meta.url);
const ACCESSES: readonly Access[] = ['read', 'write'];

/** As `belay permissions --cluster prod --add-on-role prod-ebs-csi --node-role prod-nodes` has it where belay.yaml uses everything. */
export const EXAMPLE: { cluster: ClusterPlace; use: AwsUse } = {
  cluster: { name: 'prod', region: 'eu-west-1', account: '123456789012' },
  use: { ...EVERYTHING, addOnRoles: ['prod-ebs-csi'], nodeRoles: ['prod-nodes'], launchTemplates: [] },
};

/** Path in the repository and text of each policy, and of each part that is not empty. */
export function policiesAndParts(): { path: string; text: string }[] {
  const policies = IAM_PARTS.map((part) => ({ part, policy: policyDocument(iamStatements(part, EXAMPLE.cluster, EXAMPLE.use)) }));
  const roles = readdirSync(deploy)
    .filter((name) => /^kubernetes-rbac.*\.yaml$/.test(name))
    .sort();
  return [
    ...policies.map(({ part, policy }) => ({ path: `deploy/${part}.json`, text: json(policy) })),
    ...ACCESSES.flatMap((access) => [
      ...policies.flatMap(({ part, policy }) => {
        const half = accessPart(policy, access);
        return half === undefined ? [] : [{ path: `deploy/two-roles/${part}-${access}.json`, text: json(half) }];
      }),
      ...roles.flatMap((name) => {
        const text = rolesFor(access, name, readFileSync(new URL(name, deploy), 'utf8'));
        return text === undefined ? [] : [{ path: `deploy/two-roles/${name.replace('.yaml', `-${access}.yaml`)}`, text }];
      }),
    ]),
  ];
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
