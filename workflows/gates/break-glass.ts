/** Passing a gate despite its rules: who may. */
import type { ApproverRight } from '../../domain/gates/approvals.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { breakGlassUnverified } from '../messages/votes.ts';

/** The person whom approvals.breakGlass names; without a proof by AWS there is none. */
export function glassRight({ allowed, person, why }: ApproverRight): { person?: Actor; why: string } {
  if (person?.aws === undefined) return { why: allowed ? breakGlassUnverified() : why };
  return allowed ? { person, why } : { why };
}
