/** Hands an upgrade over to another requester: by a command or a button. */
import type { SlackDeps } from '../interaction/deps.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import type { HandOverMetadata } from '../blocks/kit/button-values.ts';
import { mrkdwn, person } from '../blocks/kit/text.ts';
import { handOverView } from '../views/handover.ts';
import { openForm } from '../interaction/open-modal.ts';
import type { HandOverRequest } from '../../client/calls/contract.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { buttonUnreadable, handOverPersonUnknown, notHandedOver } from '../messages/refusals.ts';

/** `of`: the run, or the cluster whose run it is. */
export async function openHandOverForm(
  deps: SlackDeps,
  listener: Listener,
  { triggerId, of, again }: { triggerId: string; of: Omit<HandOverMetadata, 'channel'>; again?: string },
): Promise<void> {
  const view = handOverView({ ...of, channel: listener.channel });
  if (view === undefined) return await tell(listener, says(buttonUnreadable()));
  await openForm(deps, listener, view, { triggerId, form: 'for the handover', again });
}

/** Nobody who could not ask for an upgrade is given one: bots, guests, people who have left. */
export async function handOver(deps: SlackDeps, listener: Listener, request: HandOverRequest): Promise<void> {
  const refusal = await whyNot(deps, request.to);
  if (refusal !== undefined) return await tell(listener, marked(refusal));
  await sendAndTell(deps, listener, () => deps.upgrades.handOver(request));
}

/** mrkdwn. */
export async function whyNot({ people, log }: SlackDeps, to: Actor): Promise<string | undefined> {
  try {
    const why = await people.whyNotMember(to.id);
    return why === undefined ? undefined : notHandedOver(person(to), mrkdwn(why, 200));
  } catch (error) {
    log.warn(`reading to whom it is handed over: ${messageOf(error)}`);
    return handOverPersonUnknown(person(to));
  }
}
