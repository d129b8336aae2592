/** Do the policies of Karpenter's role allow what its API of a version does? Documents are read, and judged as those of files are. */
import { checkKarpenterPolicies, type IamReport } from '../../../domain/plan/migration/iam.ts';
import type { Step } from '../../../domain/plan/migration/names.ts';
import type { Gap } from '../../../domain/plan/migration/policy-document.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { findController } from '../objects/find-controller.ts';
import { noRole, roleOf } from '../controller/permissions.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { byMarker } from '../../clients/aws/pages.ts';
import { during, failureType } from '../../runtime/translate-errors.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { RoleVerdict } from '../../contract/karpenter-migration.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { FailureType } from '../../../domain/core/failure-types.ts';

/** How a cluster's account is reached. */
export interface RoleClients {
  aws(cluster: ClusterRef): AwsClients;
  account(cluster: ClusterRef): AccountClients;
}

/** Gaps that are listed; the others are counted. */
const LISTED = 6;
const TEXT = 400;

/** What cannot be read is unknown, with the missing right; failures that pass are thrown. */
export async function judgeRole(clients: RoleClients, port: KubernetesPort, cluster: ClusterRef, step: Step): Promise<RoleVerdict> {
  try {
    const deployment = await findController(port);
    if (deployment === undefined) return unknown('there is no Karpenter whose role could be asked');
    const account = {
      namespace: deployment.metadata.namespace ?? '',
      name: deployment.spec?.template?.spec?.serviceAccountName ?? 'default',
    };
    const role = await roleOf({ aws: clients.aws(cluster), account: clients.account(cluster), port }, cluster, account);
    if (role === undefined) return unknown(noRole(account));
    const name = role.split('/').at(-1) ?? role;
    const { documents, bounded } = await during(`reading the policies of role ${name}`, () => readPolicies(clients.account(cluster), name));
    return verdictOf(name, checkKarpenterPolicies(documents, step), { bounded, step });
  } catch (error) {
    const type = failureType(error);
    if (!isUnknown(type) && !(error instanceof RangeError)) throw error;
    return unknown(messageOf(error));
  }
}

/** InvalidRequest: it is not clear whose role it is. */
const isUnknown = (type: FailureType | undefined): boolean => type === 'AccessDenied' || type === 'NotFound' || type === 'InvalidRequest';

const unknown = (why: string): RoleVerdict => ({ granted: 'unknown', lines: [`UNKNOWN ${why}`.slice(0, TEXT)] });

function verdictOf(role: string, { gaps, before }: IamReport, { bounded, step }: { bounded: boolean; step: Step }): RoleVerdict {
  const back =
    before.length === 0
      ? []
      : [`A rollback needs the policy of 0.3x as well, and role ${role} no longer has it: ${gapWords(before[0])}`.slice(0, TEXT)];
  if (gaps.length > 0) {
    const more = gaps.length - LISTED;
    const lines = gaps.slice(0, LISTED).map((gap) => `FAILED role ${role} lacks ${gapWords(gap)}`.slice(0, TEXT));
    return { granted: 'no', lines: [...lines, ...(more > 0 ? [`FAILED and ${more} more`] : []), ...back] };
  }
  if (bounded) return unknown(`role ${role} has a permissions boundary, which is not judged; its policies would do`);
  return {
    granted: 'yes',
    lines: [
      `role ${role} allows what the API ${step} does, by its policies (names and service control policies are not compared)`,
      ...back,
    ],
  };
}

const gapWords = (gap: Gap | undefined): string =>
  gap === undefined ? '' : `${gap.action}${gap.resource === undefined ? '' : ` on ${gap.resource}`} (${gap.why})`;

async function readPolicies(account: AccountClients, RoleName: string): Promise<{ documents: unknown[]; bounded: boolean }> {
  const iam = await account.iam();
  const options = { abortSignal: currentSignal() };
  const { Role } = await iam.getRole({ RoleName }, options);
  const documents: unknown[] = [];
  for await (const { PolicyNames = [] } of byMarker((page) => iam.listRolePolicies({ RoleName, ...page }, options))) {
    for (const PolicyName of PolicyNames)
      documents.push(parsed((await iam.getRolePolicy({ RoleName, PolicyName }, options)).PolicyDocument));
  }
  for await (const { AttachedPolicies = [] } of byMarker((page) => iam.listAttachedRolePolicies({ RoleName, ...page }, options))) {
    for (const { PolicyArn } of AttachedPolicies) {
      const { Policy } = await iam.getPolicy({ PolicyArn }, options);
      const version = { PolicyArn, VersionId: Policy?.DefaultVersionId };
      documents.push(parsed((await iam.getPolicyVersion(version, options)).PolicyVersion?.Document));
    }
  }
  return { documents, bounded: Role?.PermissionsBoundary !== undefined };
}

/** IAM gives documents as JSON that is percent-encoded (RFC 3986). */
const parsed = (document = ''): unknown => JSON.parse(decodeURIComponent(document));
