/** One upgrade of seed-000 under what was drawn, and what was seen of it. */
import { messageOf } from '../../domain/core/unknown.ts';
import { newestRecord } from '../../rehearsal/play/conclude.ts';
import type { EksUpdate } from '../../rehearsal/aws/eks/state.ts';
import { rehearse } from '../../rehearsal/main.ts';
import type { Draw } from './draw.ts';
import { broken } from './invariants.ts';
import { replayAll } from './replay.ts';
import { PROGRAM } from '../support/program.ts';

export interface Played {
  outcome: string;
  wallSeconds: number;
  /** Broken promises; none: all is well. */
  problems: string[];
  /** For people who look into it. */
  story: string[];
}

/** Failed steps are tried again so often, then the persona aborts. */
const RETRIES = 3;
const LIMIT_MS = 15 * 60_000;

export async function play({ faults, kills }: Draw, speed: number): Promise<Played> {
  const story: string[] = [];
  const problems: string[] = [];
  const startedAtMs = performance.now();
  let outcome = 'unknown';
  let updates: readonly EksUpdate[] = [];
  try {
    const { report, why } = await rehearse({
      program: PROGRAM,
      scenario: 'seed-000',
      speed,
      auto: 'approve',
      faults,
      kills,
      decide,
      signal: AbortSignal.timeout(LIMIT_MS),
      say: (line) => void story.push(line),
      onStage: ({ built }) => void (updates = built.world.eks.updates),
      onEnd: async (ending) => {
        const record = newestRecord(ending.recordsDirectory, ending.report.workflowId);
        outcome = `${ending.report.outcome}${record === undefined ? '' : `: ${record.status.headline}`}`;
        problems.push(...broken({ report: ending.report, record, updates, notReplayed: await replayAll(ending.temporalAddress) }));
      },
    });
    if (report === undefined) problems.push(`it did not end: ${why}`);
  } catch (error) {
    problems.push(messageOf(error));
  }
  return { outcome, wallSeconds: Math.round((performance.now() - startedAtMs) / 1000), problems, story };
}

/** At failure gates: Retry, a few times, then Abort. Elsewhere as usual. */
export function decide(gateId: string): string | undefined {
  const round = /^failed:.*#(\d+)$/.exec(gateId)?.[1];
  if (round === undefined) return undefined;
  return Number(round) > RETRIES ? 'abort' : 'retry';
}
