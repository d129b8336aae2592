/** What edits of several node classes or pools have in common: each is put back by itself, and others who make the edit are waited for. */
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { isPermanent } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';

/** A refusal that no retry mends is for people, and the others go on; anything else is thrown. What is gone is in neither list. */
export async function putBackEach(
  names: readonly string[],
  putBack: (name: string) => Promise<{ kind: string }>,
): Promise<{ done: string[]; failed: { name: string; why: string }[] }> {
  const done: string[] = [];
  const failed: { name: string; why: string }[] = [];
  for (const name of names) {
    try {
      if ((await putBack(name)).kind === 'there') done.push(name);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      failed.push({ name, why: messageOf(error) });
    }
  }
  return { done, failed };
}

/** Waits as long as people are waited for; gives the names that are left. */
export async function untilNoneLeft(timing: Timing, doing: string, look: () => Promise<string[]>): Promise<string[]> {
  const result = await waitUntil({ timing, timeoutMs: timing.askTimeoutMs, doing }, async () => {
    const left = await look();
    return left.length === 0 ? { done: true, value: undefined } : { done: false, note: `${left.join(', ')} as before` };
  });
  return result.kind === 'done' ? [] : await look();
}
