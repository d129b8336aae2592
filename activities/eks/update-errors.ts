/** What each error code of a failed update means and what to do next. Codes: ErrorCode of @aws-sdk/client-eks (17). */
import type { ErrorCode, ErrorDetail } from '@aws-sdk/client-eks';
import type { UpdateOutcome } from '../contract.ts';

/** One sentence: what happened, and the next action. */
export const UPDATE_ERRORS: Readonly<Record<ErrorCode, string>> = {
  SubnetNotFound: 'A subnet of the cluster is gone: create one in the same zone, set it on the cluster, then retry.',
  SecurityGroupNotFound: 'A security group of the cluster is gone: set an existing one on the cluster, then retry.',
  EniLimitReached: 'The account has no network interfaces left: delete unused ones or raise the quota, then retry.',
  IpNotAvailable: 'A subnet has no free addresses: free some or add a subnet (EKS needs up to five), then retry.',
  AccessDenied: "EKS may not do what the update needs: restore the policies of the cluster's or the nodes' role, then retry.",
  OperationNotPermitted: "The cluster's role or EKS's service-linked role lacks a permission: restore it, then retry.",
  VpcIdNotFound: "The cluster's VPC is gone: the cluster cannot be updated; restore the network or build a new cluster.",
  Unknown: 'EKS does not say what failed: retry once, then open a case with AWS Support with the update id.',
  NodeCreationFailure: 'New nodes did not join: check capacity, user data, the node role and the subnets of the group, then retry.',
  PodEvictionFailure: 'Pods could not be evicted within 15 minutes: find the disruption budget in the way, make room for it, then retry.',
  InsufficientFreeAddresses: 'The subnets have too few free addresses (EKS needs up to five): free some, then retry.',
  ClusterUnreachable: "EKS cannot reach the cluster's API: check webhooks, security groups and endpoint access, then retry.",
  InsufficientNumberOfReplicas: "The add-on's pods did not become ready: make room or tolerations for them, then retry.",
  ConfigurationConflict: 'Fields of the add-on were changed by others: keep them in its configuration, or decide to overwrite, then retry.',
  AdmissionRequestDenied: 'An admission webhook or policy refused a change: exempt the add-on there, then retry.',
  UnsupportedAddonModification: 'The add-on does not allow this change: choose another version or correct its configuration, then retry.',
  K8sResourceNotFound: 'An object that the add-on needs is gone: restore it or install the add-on anew, then retry.',
};

/** EKS's errors with our sentence behind EKS's own message. A code that is not in the table keeps EKS's message alone. */
export function explainErrors(errors: readonly ErrorDetail[] | undefined): UpdateOutcome['errors'] {
  return (errors ?? []).map((error) => {
    const code = error.errorCode ?? 'Unknown';
    const said = error.errorMessage ?? '';
    const meaning: string | undefined = UPDATE_ERRORS[code];
    return {
      code,
      message: [meaning, said === '' ? undefined : `EKS says: ${said}`].filter((part) => part !== undefined).join(' '),
      resourceIds: (error.resourceIds ?? []).slice(0, 5),
    };
  });
}
