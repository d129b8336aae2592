/** Sends a decision or a control and says what came of it; a press made while Temporal is away is repeated, since Slack never repeats it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DecisionReply } from '../../domain/gates/gate.ts';
import { oneOf } from '../blocks/kit/text.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { type Listener, marked, says, tell } from './reply.ts';
import type { SlackDeps } from './deps.ts';
import { failureSentence } from './failure-text.ts';
import { type Answer, UpgradesError } from '../../client/upgrades-client.ts';
import { askThem, notSent, sendingAgain } from '../messages/refusals.ts';

const AGAIN_AFTER_MS = 2_000;

/** `send` must be safe to repeat. Never throws. */
export async function sendAndTell(deps: SlackDeps, listener: Listener, send: () => Promise<Answer>): Promise<void> {
  await keepTrying(deps, listener, async () => replied((await send()).reply));
}

/** Only to whoever acted: a message that one person sees notifies nobody whom it mentions (docs/design/0070). */
function replied({ message, ask }: DecisionReply): Rendered {
  const told = says(message);
  const who = ask === undefined ? '' : oneOf(ask);
  return who === '' ? told : marked(`${told.text} ${askThem(who)}`);
}

/** `work` must be safe to repeat; what it comes to is told. Never throws. */
export async function keepTrying(deps: SlackDeps, listener: Listener, work: () => Promise<Rendered>): Promise<void> {
  const endMs = Date.now() + deps.keepTryingMs;
  let told = false;
  for (;;) {
    try {
      await tell(listener, await work());
      return;
    } catch (error) {
      const unreachable = error instanceof UpgradesError && error.code === 'unreachable';
      if (!unreachable || Date.now() + AGAIN_AFTER_MS > endMs || deps.stopping.aborted) {
        const sentence = failureSentence(error, deps.log, 'sending to the workflow');
        await tell(listener, says(unreachable ? notSent(sentence) : sentence));
        return;
      }
      if (!told) await tell(listener, says(sendingAgain(error.message, Math.round(deps.keepTryingMs / 60_000))));
      told = true;
      await sleep(AGAIN_AFTER_MS, undefined, { signal: deps.stopping }).catch(() => undefined);
    }
  }
}
