/** The closed set of failure types that cross a boundary; `retryable` says whether trying again alone can help. */
export const FAILURES = {
  /** belay.yaml or an argument is wrong. */
  Configuration: { retryable: false },
  /** AWS or Kubernetes refuses: credentials, role, RBAC. */
  AccessDenied: { retryable: false },
  /** AWS credentials are missing, or their session has expired. */
  NoCredentials: { retryable: false },
  NotFound: { retryable: false },
  /** The request is not valid in the resource's present state. */
  InvalidRequest: { retryable: false },
  /** EKS: upgrade readiness issues; only people may force. */
  ReadinessIssues: { retryable: false },
  /** The cluster was deleted and made anew under the same name: what was planned and approved was another one. */
  ClusterReplaced: { retryable: false },
  /** Something that protects an irreversible call is not in place (the freeze, a window), so it was not sent. */
  NotProtected: { retryable: false },
  /** Temporal's database was restored from a backup, and nobody has said yet that this run may continue: nothing was sent. */
  Restored: { retryable: false },
  /** Another update runs on the resource. */
  ResourceInUse: { retryable: true },
  Throttled: { retryable: true },
  /** Server errors, resets, time-outs: transient. */
  Unavailable: { retryable: true },
  /** Somebody changed the object between look and patch. */
  Conflict: { retryable: true },
  /** A phase ended badly; people decide. */
  PhaseFailed: { retryable: false },
  /** Anything not recognised stays retryable. */
  Unknown: { retryable: true },
} as const;

export type FailureType = keyof typeof FAILURES;
