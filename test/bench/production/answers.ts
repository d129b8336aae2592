/** How long all runs of a fleet take to say which gates are open; used by O39's test too. */
import type { ProductionTemporal } from '../../production/support/temporal.ts';
import type { RunningUpgrade } from '../../support/upgrade.ts';

/** People look at a few boards at a time. */
const AT_ONCE = 20;

export interface Answers {
  ms: number;
  /** How many gates are open, by workflow ID. */
  gates: ReadonlyMap<string, number>;
}

/** Before the server is killed, and once it takes connections again. */
export async function answersAroundKill(
  temporal: ProductionTemporal,
  runs: readonly RunningUpgrade[],
): Promise<{ before: Answers; after: Answers }> {
  const before = await allAnswer(runs);
  await temporal.kill();
  await temporal.start();
  return { before, after: await allAnswer(runs) };
}

/** Throws where one does not answer. */
async function allAnswer(runs: readonly RunningUpgrade[]): Promise<Answers> {
  const left = [...runs];
  const gates = new Map<string, number>();
  const ask = async (): Promise<void> => {
    for (let run = left.pop(); run !== undefined; run = left.pop()) gates.set(run.workflowId, await openGates(run));
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return { ms: performance.now() - startMs, gates };
}

/** A server that comes back refuses some: who is refused asks again, as people do. */
async function openGates(run: RunningUpgrade): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await run.status()).gates.length;
    } catch (error) {
      if (tries === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
