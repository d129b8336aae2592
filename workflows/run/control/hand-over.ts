/** Gives an upgrade to somebody else, who is its requester from then on: four eyes hold for both. */
import type { DecisionReply } from '../../../domain/gates/gate.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { FreezeHold } from '../freeze-guard.ts';
import type { Gatekeeper } from '../../gates/gatekeeper.ts';
import { stepWorkflowId } from '../../contract/ids.ts';
import { type HandOverInput, requestersChanged } from '../../contract/messages.ts';
import { handedOverToYou } from '../../messages/commands.ts';
import type { RunNotifier } from '../../reporting/run-notifier.ts';
import { setKeywords } from '../../contract/search-attributes.ts';
import { signalIfRunning } from '../../runtime/signal-if-running.ts';
import type { UpgradeProgress } from '../../reporting/progress.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

/** Steps that run ask as well who may decide at their gates: they are told. */
export async function handOver(
  {
    progress,
    voice,
    freeze,
    gates,
    policy,
  }: { progress: UpgradeProgress; voice: RunNotifier; freeze: FreezeHold; gates: Gatekeeper; policy: UpgradePolicy | undefined },
  actor: Actor,
  { to, reason }: HandOverInput,
): Promise<DecisionReply> {
  const { reply, changed } = progress.handOver(actor, to);
  if (!changed) return reply;
  const { status } = progress;
  // Before there is a policy, planning sets it for whoever has the run by then.
  if (policy !== undefined) setKeywords(policy, { BelayRequestedBy: to.id });
  voice.note(handedOverToYou(to, actor, reason));
  voice.board();
  gates.dropVotesOf(to);
  const requesters = { requestedBy: to, formerly: status.formerly ?? [] };
  const running = status.steps.filter(({ state }) => state === 'running' || state === 'waiting');
  const steps = running.map(({ id }) => stepWorkflowId(status.workflowId, id));
  const guards = freeze.guard === undefined ? [] : [freeze.guard];
  for (const id of new Set([...steps, ...guards])) await signalIfRunning(id, requestersChanged, requesters);
  return reply;
}
