/**
 * Every way in which a step can fail, as one table: what it means, what to do about it, and what people may choose at the gate.
 * A choice may be added to a row. Taking one away needs a patch: a run may have recorded that somebody chose it.
 */
import type { FailureType } from '../core/failure-types.ts';
import { ADD_ON_CODES, CLUSTER_CODES, NODE_GROUP_CODES, UPDATE_CODES } from './eks-failures.ts';
import type { FailureAdvice, FailureScope } from './failure-advice.ts';

/** Failure types, and how an update can end without an error of EKS's. */
export type OwnCode = FailureType | 'Cancelled' | 'TimedOut' | 'Vanished' | 'NotAsReported' | 'NodesNotBack' | 'GoingBack';

const OWN_CODES: Readonly<Record<OwnCode, FailureAdvice>> = {
  Configuration: {
    says: 'A value of belay.yaml or of the plan does not fit the cluster.',
    suggestion: 'Correct the named field, restart the worker, then continue.',
    choices: ['fixed', 'skip', 'abort'],
  },
  AccessDenied: {
    says: 'Belay may not do what the step needs.',
    suggestion: "Grant what is named to Belay's role or service account (deploy/ has the whole list).",
    choices: ['fixed', 'skip', 'abort'],
  },
  NoCredentials: {
    says: "The worker's AWS credentials are missing, or their session has expired. No permission is missing.",
    suggestion: 'Renew them where the worker runs (Pod Identity or its role, the SSO session, the keys), then retry.',
    choices: ['fixed', 'skip', 'abort'],
  },
  NotFound: {
    says: 'Something the step needs is missing.',
    suggestion: 'Restore it; if it was removed on purpose, skip the step.',
    choices: ['fixed', 'skip', 'abort'],
  },
  InvalidRequest: {
    says: 'The request does not fit the resource’s present state.',
    suggestion: 'Read the message: fix the state it names, or abort and plan again.',
    choices: ['fixed', 'skip', 'abort'],
  },
  ReadinessIssues: {
    says: 'EKS refuses the update because its upgrade insights show issues.',
    suggestion: 'Fix what the insights name. Forcing moves the control plane anyway, and what they name breaks.',
    choices: ['fixed', 'force', 'abort'],
  },
  ClusterReplaced: {
    says: 'The cluster was deleted and recreated under the same name.',
    suggestion: 'Abort and plan again: plan and approvals were for the deleted cluster.',
    choices: ['abort'],
  },
  NotProtected: {
    says: 'A protection this change needs is not in place, so Belay did not make it.',
    suggestion: 'Fix what the message names, then retry: Belay looks again right before it sends anything.',
    choices: ['fixed', 'skip', 'abort'],
  },
  Restored: {
    says: 'Temporal’s database was restored from a backup, so this run may have forgotten what it has done.',
    suggestion: 'Read the run’s audit record and look at the cluster; then retry, and decide at the gate that opens.',
    choices: ['fixed', 'abort'],
  },
  ResourceInUse: {
    says: 'Another update runs on the resource.',
    suggestion: 'Wait until it ends, then retry.',
    choices: ['retry', 'skip', 'abort'],
  },
  Throttled: {
    says: 'AWS or Kubernetes throttled the calls for all of the time allowed.',
    suggestion: 'Find which other tool calls so often; retry when it is quieter.',
    choices: ['retry', 'skip', 'abort'],
  },
  Unavailable: {
    says: 'A service did not answer in the time allowed.',
    suggestion: 'Check the service’s status and the network to it, then retry.',
    choices: ['retry', 'skip', 'abort'],
  },
  Conflict: {
    says: 'Someone else keeps changing the same object.',
    suggestion: 'Find who (GitOps, an operator, a colleague) and stop it during the step, then retry.',
    choices: ['fixed', 'skip', 'abort'],
  },
  PhaseFailed: {
    says: 'The step did not finish.',
    suggestion: 'Read what happened, fix it, then retry.',
    choices: ['retry', 'skip', 'abort'],
  },
  Unknown: {
    says: 'Belay does not know this failure.',
    suggestion: "Read the message and the worker's log; retry once.",
    choices: ['retry', 'skip', 'abort'],
  },
  Cancelled: {
    says: 'Someone cancelled the update.',
    suggestion: 'Find who and why before retrying.',
    choices: ['retry', 'skip', 'abort'],
  },
  TimedOut: {
    says: 'The update did not end in the time allowed; EKS continues it.',
    suggestion: 'Look at it in the EKS console. Retry adopts and watches it.',
    choices: ['retry', 'skip', 'abort'],
  },
  Vanished: {
    says: 'EKS no longer knows the update, and the resource is not at the version.',
    suggestion: 'Look at the resource in the EKS console; Retry starts a new update.',
    choices: ['retry', 'skip', 'abort'],
  },
  NotAsReported: {
    says: 'EKS reports success, but the resource does not show it.',
    suggestion: 'Look at the resource in the EKS console before retrying.',
    choices: ['retry', 'skip', 'abort'],
  },
  NodesNotBack: {
    says: 'EKS ended the rollback before all Auto Mode nodes were back; the control plane did not move.',
    suggestion:
      'Release what holds the rest (budgets of NodePools and pods, karpenter.sh/do-not-disrupt), or raise timing.autoModeRollback; Retry asks EKS again.',
    choices: ['fixed', 'abort'],
  },
  GoingBack: {
    says: 'EKS is rolling the control plane back without this run: a Terraform apply with the older version does that, even a stale one.',
    suggestion: 'Stop such applies and abort. Then belay rollback adopts the rollback, or upgrade again once EKS is done.',
    choices: ['fixed', 'abort'],
  },
};

export const FAILURE_TABLE: Readonly<Record<FailureScope, Readonly<Record<string, FailureAdvice>>>> = {
  update: UPDATE_CODES,
  'node-group': NODE_GROUP_CODES,
  'add-on': ADD_ON_CODES,
  cluster: CLUSTER_CODES,
  belay: OWN_CODES,
};

/** undefined: a code that is newer than the table. */
export function adviceOn({ scope, code }: { scope: FailureScope; code: string }): FailureAdvice | undefined {
  const rows = FAILURE_TABLE[scope];
  return Object.hasOwn(rows, code) ? rows[code] : undefined;
}
