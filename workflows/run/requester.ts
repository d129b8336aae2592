/** Who asked for a run is whom the proof shows: four eyes are theirs, wherever they act. */
import { workflowInfo } from '@temporalio/workflow';
import { isTimely, startText } from '../../domain/gates/identity-proof.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import type { UpgradeInput } from '../contract/messages.ts';
import { readRight, senderIn } from '../gates/authorize.ts';
import { requesterUnread, startedByReset, startSignedAtOtherTime } from '../messages/run.ts';
import { isReset, useGrant } from '../runtime/messages/grant.ts';

/** Why the run does not begin, where nothing shows who asked, or a recorded start was sent again. Writes who it is into the status. */
export async function whyNotBegun(input: UpgradeInput, policy: UpgradePolicy, status: UpgradeStatus): Promise<string | undefined> {
  const { cluster, requestedBy, proof, at } = input;
  const { workflowId, startTime } = workflowInfo();
  const claim = { proof, words: startText(workflowId, input) };
  const more = { claim, as: 'requester', starts: true } as const;
  const right = await readRight({ cluster, policy, requestedBy }, requestedBy, requesterUnread(), more);
  status.requestedBy = senderIn(right, requestedBy);
  if (!right.allowed) return right.why;
  if (proof !== undefined && !isTimely(at, startTime.getTime())) return startSignedAtOtherTime();
  if (right.grant !== undefined && isReset(right.grant)) return startedByReset();
  useGrant(right.grant);
  return undefined;
}
