/** Roles that are assumed for a cluster: one that reads, and one of its own for changes. */
import { ROLE_ARN } from '../../../core/cluster-ref.ts';
import { flag, text } from '../base/fields.ts';
import type { KeyPath } from '../base/errors.ts';

export const roleFields = {
  role: text('write a role ARN such as arn:aws:iam::123456789012:role/belay', ROLE_ARN)
    .describe('Role to assume for this cluster')
    .optional(),
  writeRole: text('write a role ARN such as arn:aws:iam::123456789012:role/belay-write', ROLE_ARN)
    .describe('Role for changing steps only; role then only reads')
    .optional(),
  externalId: text('write 2 to 1224 letters, digits and any of +=,.@:/_-', /^[\w+=,.@:/-]{2,1224}$/)
    .describe('Sent with AssumeRole for role and writeRole, for trust policies with sts:ExternalId')
    .optional(),
  sessionTags: flag()
    .describe(
      'Tag sessions of these roles with belay:cluster, belay:upgrade and belay:access; needs sts:TagSession in their trust policies',
    )
    .optional(),
};

interface Roles {
  role?: string;
  writeRole?: string;
  account?: string;
  kubernetes?: { kubeconfig?: string };
}

/** What is wrong with two roles; undefined: nothing. */
export function writeRoleProblem({ role, writeRole, account, kubernetes }: Roles): { path: KeyPath; message: string } | undefined {
  if (writeRole === undefined) return undefined;
  const path = ['writeRole'];
  if (writeRole === role) return { path, message: 'names the same role as role; name one of its own for changes, or leave it out' };
  const [, , , , of] = writeRole.split(':');
  if (account !== undefined && of !== account)
    return { path, message: `names a role of account ${of}, but the cluster is in ${account}; name one of the cluster's account` };
  if (kubernetes?.kubeconfig !== undefined)
    return {
      path: ['kubernetes', 'kubeconfig'],
      message:
        'names one identity for reading and for changes; leave it out, so that tokens are made from role and writeRole, or leave writeRole out',
    };
  return undefined;
}
