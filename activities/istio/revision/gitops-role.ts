/** The right to make and delete what delivers Istio is a role of its own: a refusal names it. */
import { roleFile } from '../../../domain/policy/permissions/options.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

export function withRole(error: unknown): Error {
  const said = messageOf(error);
  const file = roleFile('istio-gitops');
  const named = said.includes(file) ? said : `${said}; apply ${file}`;
  return failureOf('AccessDenied', `${named}, or have the object kept in Git and merged there, then retry`, { cause: error });
}
