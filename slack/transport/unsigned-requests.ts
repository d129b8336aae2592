/** Counts requests that Slack did not sign: whoever sends them decides how many there are, so they are told as one event a minute. */
import { auditUnsigned } from '../messages/refusals.ts';

const EVERY_MS = 60_000;
/** Addresses told apart within a minute; what comes from more is counted together. */
const MAX_SOURCES = 100;
const NAMED_SOURCES = 3;

export interface UnsignedCount {
  /** `source`: the address that sent it. */
  add(source: string): void;
  /** Tells what is left. */
  end(): void;
}

/** `tell`: one sentence about all of a minute. */
export function countUnsigned(tell: (what: string) => void, everyMs = EVERY_MS): UnsignedCount {
  const counts = new Map<string, number>();
  let othersCount = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const total = [...counts.values()].reduce((sum, each) => sum + each, othersCount);
    if (total === 0) return;
    const sources = [...counts].toSorted(([, a], [, b]) => b - a);
    const named = sources.slice(0, NAMED_SOURCES).map(([source, count]) => `${source} (${count})`);
    const more = othersCount > 0 ? ['more addresses than are told apart'] : [`${sources.length - named.length} more`];
    const from = [...named, ...(sources.length > named.length || othersCount > 0 ? more : [])].join(', ');
    counts.clear();
    othersCount = 0;
    tell(auditUnsigned(total, Math.round(everyMs / 1000), from));
  };

  return {
    add(source) {
      const known = counts.get(source);
      if (known !== undefined || counts.size < MAX_SOURCES) counts.set(source, (known ?? 0) + 1);
      else othersCount += 1;
      timer ??= setTimeout(flush, everyMs).unref();
    },
    end: flush,
  };
}
