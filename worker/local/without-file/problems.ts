/** Why a cluster cannot be used that no belay.yaml names. cli/messages has the sentences. */

/** A cluster that a context of a kubeconfig is of. */
export interface KnownPlace {
  context: string;
  region: string;
  account?: string;
}

export type ClusterProblem =
  | { kind: 'no-kubeconfig'; paths: readonly string[] }
  | { kind: 'kubeconfig-unreadable'; path: string; why: string }
  | { kind: 'no-current-context'; paths: readonly string[]; contexts: readonly string[] }
  | { kind: 'no-such-context'; context: string; paths: readonly string[]; contexts: readonly string[] }
  | { kind: 'not-eks'; context: string; isCurrent: boolean }
  | { kind: 'no-region'; cluster?: string }
  /** Kubeconfigs have clusters of this name in several places. */
  | { kind: 'several'; name: string; places: readonly KnownPlace[] }
  /** `names`: what there is in the region; a sentence where that could not be read. */
  | {
      kind: 'not-found';
      name: string;
      region: string;
      account?: string;
      names: readonly string[] | string;
      elsewhere: readonly KnownPlace[];
    }
  | { kind: 'other-account'; name: string; wanted: string; actual: string }
  /** The context's server is the endpoint of a cluster, and not of the one that has this name in this account. */
  | { kind: 'other-cluster'; name: string; region: string; account: string; context?: string; server: string; profile?: string }
  | { kind: 'no-clusters'; regions: readonly string[]; account: string }
  /** Nobody can be asked. */
  | { kind: 'which'; region: string; names: readonly string[] }
  /** The session of AWS IAM Identity Center has ended, or was never begun. */
  | { kind: 'sso'; profile: string }
  | { kind: 'session-ended'; profile?: string; why: string }
  | { kind: 'no-credentials'; profile?: string; why: string }
  /** `openTo`: of a public endpoint. */
  | { kind: 'unreachable'; cluster: string; isPublic: boolean; openTo: readonly string[]; tunnel?: string; why: string }
  /** 401, with who AWS says that this is; 403 of what every report needs. `byAwsAuth`: authentication mode CONFIG_MAP, which takes no access entries. */
  | { kind: 'no-access-entry'; cluster: string; region: string; who?: string; byAwsAuth?: true }
  | { kind: 'no-rights'; cluster: string; who?: string; why: string; byAwsAuth?: true }
  | { kind: 'no-versions'; cluster: string; version: string; why: string }
  | { kind: 'newest'; cluster: string; version: string };

export class ClusterProblemError extends Error {
  override readonly name = 'ClusterProblemError';
  readonly problem: ClusterProblem;

  constructor(problem: ClusterProblem, options: { cause?: unknown } = {}) {
    super(problem.kind, options);
    this.problem = problem;
  }
}
