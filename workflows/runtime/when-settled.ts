/** Waits until a workflow has come to rest: all that this moment brings has been said, and nothing goes on without the world. */
import { CancellationScope, condition } from '@temporalio/workflow';

/** Whoever waits for what has just changed goes on first, and then whoever waits for them. Another number is another order of commands. */
const LOOKS = 2;

/** Resolves at the end of the workflow task's work, without an event in the history; in a scope that is cancelled, too. */
export async function whenSettled(): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    for (let look = 0; look < LOOKS; look += 1) {
      let isSeen = false;
      // Conditions are looked at when no promise is left to settle: the first look, at once, is not one of those.
      await condition(() => {
        const wasSeen = isSeen;
        isSeen = true;
        return wasSeen;
      });
    }
  });
}
