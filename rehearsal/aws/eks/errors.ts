/** The errors of EKS, named and numbered as in its service model (botocore data/eks/2017-11-01). */

/** An AWS error: its name goes to the x-amzn-ErrorType header (REST-JSON) or the body (JSON 1.1, query). */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Further members of the error's shape, e.g. clusterName. */
  readonly members: Record<string, unknown>;

  constructor(status: number, code: string, message: string, members: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.members = members;
  }
}

/** HTTP status of each error that EKS has. */
export const EKS_ERRORS = {
  AccessDeniedException: 403,
  BadRequestException: 400,
  ClientException: 400,
  InvalidParameterException: 400,
  InvalidRequestException: 400,
  InvalidStateException: 400,
  NotFoundException: 404,
  ResourceInUseException: 409,
  ResourceLimitExceededException: 400,
  ResourceNotFoundException: 404,
  ResourcePropagationDelayException: 428,
  ServerException: 500,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  UnsupportedAvailabilityZoneException: 400,
} as const;

export type EksErrorName = keyof typeof EKS_ERRORS;

export const eksError = (name: EksErrorName, message: string, members: Record<string, unknown> = {}): AwsError =>
  new AwsError(EKS_ERRORS[name], name, message, members);

type Make = (message: string, members?: Record<string, unknown>) => AwsError;
const maker =
  (name: EksErrorName): Make =>
  (message, members) =>
    eksError(name, message, members);

export const notFound = maker('ResourceNotFoundException');
export const invalidParameter = maker('InvalidParameterException');
export const invalidRequest = maker('InvalidRequestException');
export const invalidState = maker('InvalidStateException');
export const inUse = maker('ResourceInUseException');
