/** Checks that are run while the cluster is still read, so that little is left to do after the last answer. */
import { type Check, type CheckFinding, type Context, runCheck } from './model/check.ts';
import type { Evidence, Seen } from './model/evidence.ts';
import type { SourceId } from './model/sources.ts';

export interface JudgeAsSeen {
  /** A source was read, or could not be. */
  seen(id: SourceId, seen: Seen<unknown>): void;
  /** What checks judge by is known: those whose sources are all there are run. */
  begin(context: Context): void;
  /** What `runCheck` says: found early where neither context nor sources have been replaced since, else found now. */
  run: (check: Check, evidence: Evidence, context: Context) => CheckFinding[];
}

export function judgeAsSeen(checks: readonly Check[]): JudgeAsSeen {
  const sources: Partial<Record<SourceId, Seen<unknown>>> = {};
  const early = new Map<Check, { of: readonly unknown[]; findings: CheckFinding[] }>();
  let known: Context | undefined;
  const look = (check: Check): void => {
    if (known === undefined || !check.reads.every((id) => id in sources)) return;
    // Checks look at nothing else than what they read.
    early.set(check, { of: check.reads.map((id) => sources[id]), findings: runCheck(check, sources as Evidence, known) });
  };
  return {
    seen(id, seen) {
      sources[id] = seen;
      checks.filter(({ reads }) => reads.includes(id)).forEach(look);
    },
    begin(context) {
      known = context;
      checks.forEach(look);
    },
    run: (check, evidence, context) => {
      const before = early.get(check);
      const isSame = context === known && before !== undefined && check.reads.every((id, at) => evidence[id] === before.of[at]);
      return isSame ? before.findings : runCheck(check, evidence, context);
    },
  };
}
