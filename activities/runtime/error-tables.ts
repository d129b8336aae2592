/** Which error names and codes of AWS and of sockets mean which failure type. Names: @aws-sdk/client-eks errors; the classes are ours. */
import type { FailureType } from '../../domain/core/failure-types.ts';

interface AwsError {
  type: FailureType;
  /** What people can do about it. */
  advice?: string;
}

/** Not a missing permission: the session behind the credentials has ended. */
const EXPIRED: AwsError = { type: 'NoCredentials', advice: 'the session has expired: sign in again or renew the credentials' };

const denied = (advice: string): AwsError => ({ type: 'AccessDenied', advice });

export const AWS_ERRORS: Readonly<Record<string, AwsError>> = {
  // The fifteen of EKS.
  ThrottlingException: { type: 'Throttled' },
  ServerException: { type: 'Unavailable' },
  ServiceUnavailableException: { type: 'Unavailable' },
  ResourcePropagationDelayException: { type: 'Unavailable' },
  ResourceInUseException: { type: 'ResourceInUse' },
  AccessDeniedException: denied("allow it in the role's IAM policy (see deploy/)"),
  InvalidParameterException: { type: 'InvalidRequest' },
  InvalidRequestException: { type: 'InvalidRequest', advice: "read the resource's present state and retry" },
  BadRequestException: { type: 'InvalidRequest' },
  UnsupportedAvailabilityZoneException: { type: 'InvalidRequest', advice: 'choose subnets in supported zones' },
  ResourceLimitExceededException: { type: 'InvalidRequest', advice: 'raise the service quota and retry' },
  ResourceNotFoundException: { type: 'NotFound', advice: 'check name, region and account' },
  NotFoundException: { type: 'NotFound', advice: 'check name, region and account' },
  ClientException: { type: 'InvalidRequest', advice: "check the request and the role's permissions" },
  InvalidStateException: { type: 'ReadinessIssues', advice: 'fix the upgrade insights, or have an approver choose Retry with force' },

  // EC2's and Auto Scaling's.
  InstanceRefreshInProgressFault: { type: 'ResourceInUse' },
  ActiveInstanceRefreshNotFoundFault: { type: 'NotFound' },
  IrreversibleInstanceRefreshFault: { type: 'InvalidRequest' },
  ResourceContentionFault: { type: 'Unavailable' },
  ScalingActivityInProgressFault: { type: 'ResourceInUse' },
  LimitExceededFault: { type: 'InvalidRequest', advice: 'raise the service quota and retry' },
  ValidationError: { type: 'InvalidRequest' },
  UnauthorizedOperation: denied("allow it in the role's IAM policy (see deploy/)"),
  'InvalidLaunchTemplateId.NotFound': { type: 'NotFound' },
  'InvalidLaunchTemplateId.VersionNotFound': { type: 'NotFound' },
  'InvalidAMIID.NotFound': { type: 'NotFound' },

  // CloudWatch's.
  InternalServiceFault: { type: 'Unavailable' },
  InvalidParameterCombinationException: { type: 'InvalidRequest' },
  InvalidParameterValueException: { type: 'InvalidRequest' },
  MissingRequiredParameterException: { type: 'InvalidRequest' },
  ValidationException: { type: 'InvalidRequest' },

  // S3's. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
  NoSuchBucket: { type: 'NotFound', advice: 'create the bucket, or correct records.s3 in belay.yaml' },
  NoSuchKey: { type: 'NotFound' },
  PreconditionFailed: { type: 'Conflict' },
  ConditionalRequestConflict: { type: 'Conflict' },
  PermanentRedirect: { type: 'Configuration', advice: 'set records.s3.region in belay.yaml to the region of the bucket' },
  AuthorizationHeaderMalformed: { type: 'Configuration', advice: 'set records.s3.region in belay.yaml to the region of the bucket' },
  InvalidAccessKeyId: denied('the access key is not valid: renew the credentials'),
  SlowDown: { type: 'Throttled' },
  InvalidRequest: { type: 'InvalidRequest' },
  InvalidArgument: { type: 'InvalidRequest' },

  // Common to all services, and STS's.
  Throttling: { type: 'Throttled' },
  TooManyRequestsException: { type: 'Throttled' },
  RequestLimitExceeded: { type: 'Throttled' },
  InternalFailure: { type: 'Unavailable' },
  InternalServerError: { type: 'Unavailable' },
  RequestTimeout: { type: 'Unavailable' },
  RequestTimeoutException: { type: 'Unavailable' },
  AccessDenied: denied("allow it in the role's IAM policy (see deploy/)"),
  UnrecognizedClientException: denied('the access key is not valid: renew the credentials'),
  InvalidClientTokenId: denied('the access key is not valid: renew the credentials'),
  InvalidSignatureException: denied('check the secret key and the clock of this machine'),
  SignatureDoesNotMatch: denied('check the secret key and the clock of this machine'),
  RequestTimeTooSkewed: denied('set the clock of this machine'),
  RequestExpired: denied('set the clock of this machine, or renew the credentials if it is right'),
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  RegionDisabledException: denied('enable STS in the region'),
  ParameterNotFound: { type: 'NotFound' },
};

/** Errors of the SDK's credential chain: nothing was sent. */
export const CREDENTIAL_ERRORS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError', 'ProviderError']);

/**
 * Sent with credentials whose session has ended, by its own clock or because somebody revoked it. EC2 says RequestExpired, also for a wrong clock:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
export const SESSION_ERRORS: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException', 'RequestExpired']);

/** Transient network errors by code of Node and undici. */
export const TRANSIENT_CODES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  ECONNREFUSED: 'the connection was refused',
  ECONNABORTED: 'the connection was aborted',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'no answer in time',
  ESOCKETTIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_DESTROYED: 'the connection was closed',
  UND_ERR_ABORTED: 'the call was aborted',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer stopped half-way',
  // Compressed, and without its end.
  Z_BUF_ERROR: 'the answer stopped half-way',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS',
};

/** Certificates that are not trusted: trying again does not help. */
export const TLS_CODES: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_UNTRUSTED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
