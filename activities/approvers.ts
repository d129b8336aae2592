/** May this person decide? Read at the moment of the decision; what cannot be read is a no with its reason. */
import type { Actor } from '../domain/gate.ts';
import type { ApprovalPolicy } from '../domain/policy.ts';
import type { PeopleActivities } from './contract.ts';
import type { GroupReader } from './ports.ts';
import { translateError } from './translate-errors.ts';

type Answer = Awaited<ReturnType<PeopleActivities['readApprover']>>;

export interface ApproverDeps {
  /** undefined: no Slack, so no groups can be read. */
  groups?: GroupReader;
}

export function createApproverActivities({ groups }: ApproverDeps): Pick<PeopleActivities, 'readApprover'> {
  return {
    async readApprover({ actor, policy, requestedBy }) {
      const { approvals } = policy;
      if (!approvals.allowRequester && samePerson(actor, requestedBy)) {
        return { allowed: false, why: 'You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off).' };
      }
      if (actor.kind === 'cli') return ofCli(approvals);
      if (approvals.users.includes(actor.id)) return { allowed: true, why: 'named in approvals.users' };
      return ofGroups(actor, approvals, groups);
    },
  };
}

function samePerson(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id;
}

/** The operating-system user is not verified by anybody. */
function ofCli(approvals: ApprovalPolicy): Answer {
  return approvals.allowUnverifiedCli
    ? { allowed: true, why: 'unverified command line (approvals.allowUnverifiedCli)' }
    : {
        allowed: false,
        why: 'Decisions from the command line are not verified; set approvals.allowUnverifiedCli to accept them, or decide in Slack.',
      };
}

async function ofGroups(actor: Actor, approvals: ApprovalPolicy, groups: GroupReader | undefined): Promise<Answer> {
  const unreadable: string[] = [];
  for (const group of approvals.groups) {
    if (groups === undefined) {
      unreadable.push(`${group} (Slack is not connected)`);
      continue;
    }
    try {
      if ((await groups.members(group)).includes(actor.id)) return { allowed: true, why: `member of group ${group}` };
    } catch (error) {
      unreadable.push(`${group} (${translateError(error, 'reading its members').message})`);
    }
  }
  if (unreadable.length > 0) {
    return {
      allowed: false,
      why: `Whether you may decide cannot be read now: group ${unreadable.join(', ')}. Try again, or ask a person named in approvals.users.`,
    };
  }
  return { allowed: false, why: 'You are not among the approvers of this cluster (approvals in belay.yaml).' };
}
