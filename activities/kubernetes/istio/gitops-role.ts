/** The right to make and delete what delivers Istio is a role of its own: a refusal names it. */
import { messageOf } from '../../../domain/unknown.ts';
import { failureOf } from '../../translate-errors.ts';

export function withRole(error: unknown): Error {
  return failureOf(
    'AccessDenied',
    `${messageOf(error)}; apply deploy/kubernetes-rbac-istio-gitops.yaml, or have the object kept in Git and merged there, then retry`,
    { cause: error },
  );
}
