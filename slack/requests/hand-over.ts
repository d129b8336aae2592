/** Hands an upgrade over to another requester: by a command or a button. */
import type { SlackDeps } from '../interaction/deps.ts';
import { type Listener, says, tell } from '../interaction/reply.ts';
import type { HandOverMetadata } from '../blocks/kit/button-values.ts';
import { handOverView } from '../views/handover.ts';
import { NOT_OURS } from '../interaction/actor.ts';
import { openForm } from '../interaction/open-modal.ts';
import type { HandOverRequest } from '../../client/contract.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { messageOf } from '../../domain/core/unknown.ts';

/** `of`: the run, or the cluster whose run it is. */
export async function openHandOverForm(
  deps: SlackDeps,
  listener: Listener,
  { triggerId, of, again }: { triggerId: string; of: Omit<HandOverMetadata, 'channel'>; again?: string },
): Promise<void> {
  const view = handOverView({ ...of, channel: listener.channel });
  if (view === undefined) return await tell(listener, says(NOT_OURS));
  await openForm(deps, listener, view, { triggerId, form: 'of the handover', again });
}

/** Nobody who could not ask for an upgrade is given one: bots, guests, people who have left. */
export async function handOver(deps: SlackDeps, listener: Listener, request: HandOverRequest): Promise<void> {
  const refusal = await whyNot(deps, request.to);
  if (refusal !== undefined) return await tell(listener, says(refusal));
  await sendAndTell(deps, listener, () => deps.upgrades.handOver(request));
}

export async function whyNot({ people, log }: SlackDeps, { id }: Actor): Promise<string | undefined> {
  try {
    const why = await people.whyNotMember(id);
    return why === undefined ? undefined : `It was not handed over to ${id}: ${why}.`;
  } catch (error) {
    log.warn(`reading to whom it is handed over: ${messageOf(error)}`);
    return `It was not handed over: who ${id} is cannot be read in Slack now. Try again, or use belay handover.`;
  }
}
