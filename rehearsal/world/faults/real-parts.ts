/** What cannot go wrong with `--kubernetes real`: faults that the stand-ins of Kubernetes and Prometheus make, and moments that only they see. */
import { faultNamed } from './catalogue/catalogue.ts';
import { readsOnly } from './moments.ts';
import { parseFaults } from './parse.ts';

const FLAG = '--kubernetes real';

/** Throws a RangeError for the first that real parts cannot play: which, why, and what to do instead. */
export function requireRealParts(texts: readonly string[]): void {
  for (const { text, name, at } of parseFaults(texts)) {
    const why = faultNamed(name)?.twinOnly;
    if (why !== undefined) throw new RangeError(`"${text}" cannot happen with ${FLAG}: ${why}. Leave it out, or play it on the twin.`);
    if (at !== undefined && readsOnly(at)) {
      throw new RangeError(
        `"${text}" cannot begin at ${at} with ${FLAG}: a real API server tells of changes only. Write a phase, GATE or a change such as patch-nodepools.`,
      );
    }
  }
}
