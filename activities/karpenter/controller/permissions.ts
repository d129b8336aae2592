/** May the role of Karpenter's controller do what a version needs? IAM is asked; what it does not say is unknown, never a yes. */
import { DescribePodIdentityAssociationCommand, ListPodIdentityAssociationsCommand } from '@aws-sdk/client-eks';
import type { EvaluationResult } from '@aws-sdk/client-iam';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { PermissionFinding } from '../../contract/delivery.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { byMarker } from '../../clients/aws/pages.ts';
import { during, failureType } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface RoleSources {
  aws: AwsClients;
  account: AccountClients;
  port: KubernetesPort;
}

/** Annotation of ServiceAccounts: https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html */
const ROLE_ARN = 'eks.amazonaws.com/role-arn';

interface Account {
  namespace: string;
  name: string;
}

/**
 * One finding per action, by a simulation against the role's policies (iam:SimulatePrincipalPolicy). What cannot be read makes all of them
 * unknown and says the missing right; failures that pass are thrown.
 */
export async function checkPermissions(
  sources: RoleSources,
  cluster: ClusterRef,
  account: Account,
  actions: readonly string[],
): Promise<PermissionFinding[]> {
  if (actions.length === 0) return [];
  try {
    const role = await roleOf(sources, cluster, account);
    if (role === undefined) {
      const why = noRole(account);
      return actions.map((action) => ({ action, granted: 'unknown', why }));
    }
    return await simulate(sources.account, role, actions);
  } catch (error) {
    if (failureType(error) !== 'AccessDenied') throw error;
    const why = error instanceof Error ? error.message : String(error);
    return actions.map((action) => ({ action, granted: 'unknown', why }));
  }
}

/** Why a role is not known. */
export const noRole = ({ namespace, name }: Account): string =>
  `ServiceAccount ${namespace}/${name} has neither ${ROLE_ARN} nor a Pod Identity association, so its role is not known`;

/** IRSA’s annotation, else EKS Pod Identity: where both are there, the SDKs take the web identity first. */
export async function roleOf({ aws, port }: RoleSources, cluster: ClusterRef, { namespace, name }: Account): Promise<string | undefined> {
  const found = await port.get({ apiVersion: 'v1', plural: 'serviceaccounts', namespace, name });
  const annotated = found?.metadata.annotations?.[ROLE_ARN];
  if (annotated !== undefined) return annotated;
  return await during(`reading the Pod Identity association of ${namespace}/${name}`, async () => {
    const signal = { abortSignal: currentSignal() };
    const query = new ListPodIdentityAssociationsCommand({ clusterName: cluster.name, namespace, serviceAccount: name });
    const { associations = [] } = await aws.eks.send(query, signal);
    const associationId = associations[0]?.associationId;
    if (associationId === undefined) return undefined;
    const { association } = await aws.eks.send(
      new DescribePodIdentityAssociationCommand({ clusterName: cluster.name, associationId }),
      signal,
    );
    return association?.roleArn;
  });
}

async function simulate(account: AccountClients, role: string, actions: readonly string[]): Promise<PermissionFinding[]> {
  return await during(`simulating the policies of ${role}`, async () => {
    const iam = await account.iam();
    const query = { PolicySourceArn: role, ActionNames: [...actions] };
    const results: EvaluationResult[] = [];
    for await (const { EvaluationResults = [] } of byMarker((page) =>
      iam.simulatePrincipalPolicy({ ...query, ...page }, { abortSignal: currentSignal() }),
    ))
      results.push(...EvaluationResults);
    return actions.map((action): PermissionFinding => {
      const decision = results.find(({ EvalActionName }) => EvalActionName === action)?.EvalDecision;
      if (decision === undefined) return { action, granted: 'unknown', why: `IAM says nothing of ${action} for ${role}` };
      return decision === 'allowed' ? { action, granted: 'yes' } : { action, granted: 'no', why: `${role}: ${decision}` };
    });
  });
}
