/** Errors of EKS that come from the service itself and not from the cluster's state: what each says, and which operations have it (models/errors and commands of @aws-sdk/client-eks). */
import { EKS_ERRORS, type EksErrorName } from '../../../aws/eks/errors.ts';
import type { Arrival } from '../moments.ts';

interface ServiceError {
  name: EksErrorName;
  message: string;
  /** Operations that throw it; absent: only such as the stand-in does not have, and the fault may strike any other. */
  thrownBy?: RegExp;
}

const SERVICE_ERRORS: readonly ServiceError[] = [
  {
    name: 'ServerException',
    message: 'These errors are usually caused by a server-side issue.',
    // All but those on tags.
    thrownBy: /(?<!Resource)$/,
  },
  {
    name: 'ServiceUnavailableException',
    message: 'The service is unavailable. Back off and retry the operation.',
    thrownBy: /^((Describe|Create|Delete)(Cluster|Nodegroup)|List(Clusters|Nodegroups))$/,
  },
  {
    name: 'ClientException',
    message: 'These errors are usually caused by a client action.',
    thrownBy:
      /^(CancelUpdate|(Create|Delete|Describe|List|Update)(Addon|Cluster|FargateProfile|Nodegroup|Update)s?|Update(Cluster|Nodegroup)(Config|Version))$/,
  },
  // RegisterCluster alone.
  {
    name: 'ResourcePropagationDelayException',
    message: 'Required resources (such as service-linked roles) were created and are still propagating. Retry later.',
  },
  // CreateCluster and CreateFargateProfile alone.
  {
    name: 'UnsupportedAvailabilityZoneException',
    message: 'At least one of your specified cluster subnets is in an Availability Zone that does not support Amazon EKS.',
  },
];

export const SERVICE_ERROR_NAMES: readonly string[] = SERVICE_ERRORS.map(({ name }) => name);

/** How EKS refuses this request with the error of this name; undefined where the operation does not throw it. */
export function serviceError(
  name: string | undefined,
  { operation }: Arrival,
): { status: number; code: string; message: string } | undefined {
  const found = SERVICE_ERRORS.find((error) => error.name === name);
  if (found === undefined || found.thrownBy?.test(operation) === false) return undefined;
  return { status: EKS_ERRORS[found.name], code: found.name, message: found.message };
}
