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
import { someOf } from '../../../domain/core/text.ts';
import { partitionOf } from '../../../domain/policy/permissions/iam-use.ts';

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
    return await simulate(sources.account, role, cluster, actions);
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

/** Where IAM itself answers, which is the region of every request to it (the endpoint rules of @aws-sdk/client-iam). */
const REGION_OF_IAM: Record<ReturnType<typeof partitionOf>, string> = {
  aws: 'us-east-1',
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
  'aws-eusc': 'eusc-de-east-1',
  'aws-iso': 'us-iso-east-1',
  'aws-iso-b': 'us-isob-east-1',
  'aws-iso-e': 'eu-isoe-west-1',
  'aws-iso-f': 'us-isof-south-1',
};

async function simulate(account: AccountClients, role: string, { region }: ClusterRef, actions: readonly string[]) {
  return await during(`simulating the policies of ${role}`, async (): Promise<PermissionFinding[]> => {
    const iam = await account.iam();
    const results: EvaluationResult[] = [];
    // Karpenter's own policy allows most of what it reads in the cluster's region only: a simulation without a region says no to all of that.
    const isGlobal = (action: string): boolean => action.startsWith('iam:');
    for (const [where, ActionNames] of [
      [region, actions.filter((action) => !isGlobal(action))],
      [REGION_OF_IAM[partitionOf(region)], actions.filter(isGlobal)],
    ] as const) {
      if (ActionNames.length === 0) continue;
      const ContextEntries = ['aws:RequestedRegion', 'ec2:Region'].map((ContextKeyName) => ({
        ContextKeyName,
        ContextKeyType: 'string' as const,
        ContextKeyValues: [where],
      }));
      const query = { PolicySourceArn: role, ActionNames, ContextEntries };
      for await (const { EvaluationResults = [] } of byMarker((page) =>
        iam.simulatePrincipalPolicy({ ...query, ...page }, { abortSignal: currentSignal() }),
      ))
        results.push(...EvaluationResults);
    }
    return actions.map((action) =>
      findingOf(
        role,
        action,
        results.find(({ EvalActionName }) => EvalActionName === action),
      ),
    );
  });
}

function findingOf(role: string, action: string, result: EvaluationResult | undefined): PermissionFinding {
  const decision = result?.EvalDecision;
  if (decision === undefined) return { action, granted: 'unknown', why: `IAM says nothing of ${action} for ${role}` };
  if (decision === 'allowed') return { action, granted: 'yes' };
  const open = (result?.MissingContextValues ?? []).filter((key) => mayDecide(action, key));
  if (open.length === 0) return { action, granted: 'no', why: `${role}: ${decision}` };
  return {
    action,
    granted: 'unknown',
    why: `${role}: ${decision}, but its policies depend on ${someOf(open)}, which a simulation does not know`,
  };
}

/**
 * IAM names every key of the role's policies that had no value, also those of statements about other actions (boto/boto3#3111), and Karpenter's
 * policy has many such: tags and keys of a service. A request that only reads has neither, so for it they decide nothing; with them every no
 * would be unknown.
 */
function mayDecide(action: string, key: string): boolean {
  const onlyReads = /:(Describe|List|Get)/.test(action);
  return !onlyReads || /^aws:(?!RequestTag\/|ResourceTag\/|TagKeys$)/i.test(key);
}
