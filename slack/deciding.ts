/** Sends a decision or a control and says what came of it; a press made while Temporal is away is repeated, since Slack never repeats it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Listener, says, tell } from './answers.ts';
import type { SlackDeps } from './deps.ts';
import { type Answer, UpgradesError } from './upgrades.ts';

const AGAIN_AFTER_MS = 2_000;

/** `send` must be safe to repeat. Never throws. */
export async function sendAndTell(deps: SlackDeps, listener: Listener, send: () => Promise<Answer>): Promise<void> {
  const endMs = Date.now() + deps.keepTryingMs;
  let told = false;
  for (;;) {
    try {
      const { reply } = await send();
      await tell(listener, says(reply.message));
      return;
    } catch (error) {
      const unreachable = error instanceof UpgradesError && error.code === 'unreachable';
      if (!unreachable || Date.now() + AGAIN_AFTER_MS > endMs || deps.stopping.aborted) {
        if (!(error instanceof UpgradesError))
          deps.log.error(`sending to the workflow: ${error instanceof Error ? error.message : String(error)}`);
        const sentence =
          error instanceof UpgradesError ? error.message : 'Something went wrong here; the log of the Slack process says what.';
        await tell(listener, says(unreachable ? `${sentence} Nothing was recorded: press again later.` : sentence));
        return;
      }
      if (!told)
        await tell(
          listener,
          says(`${error.message} Belay keeps trying for ${Math.round(deps.keepTryingMs / 60_000)} min; you need not press again.`),
        );
      told = true;
      await sleep(AGAIN_AFTER_MS, undefined, { signal: deps.stopping }).catch(() => undefined);
    }
  }
}
