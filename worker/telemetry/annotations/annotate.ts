/**
 * Brings Grafana's annotations to what Temporal says of steps: one for each, a region once it has ended. What is there is looked for before it is made, by
 * its tags and the moment in which its step began, so that a restart, a second process and a lost answer make none twice.
 */
import type { StepRun } from '../../../client/reading/steps.ts';
import type { Grafana } from './grafana.ts';

export interface AnnotateDeps {
  /** Throws where Temporal does not answer. */
  steps: () => Promise<StepRun[]>;
  grafana: Grafana;
  /** Of clusters of belay.yaml alone: whoever may start workflows may name any. */
  isOurs: (step: StepRun) => boolean;
}

/** What Grafana is known to have of a step. */
interface Known {
  id: number;
  isClosed: boolean;
}

/** One pass at each call; it ends at the first call that fails, and the next pass goes on there. Throws what the calls throw. */
export function annotator({ steps, grafana, isOurs }: AnnotateDeps): () => Promise<void> {
  let known = new Map<string, Known>();
  const bring = async (step: StepRun): Promise<Known> => {
    const { startMs, end } = step;
    const before = known.get(keyOf(step)) ?? (await find(grafana, step));
    if (before === undefined) {
      const id = await grafana.create({
        time: startMs,
        ...(end === undefined ? {} : { timeEnd: end.atMs }),
        tags: tagsOf(step),
        text: textOf(step),
      });
      return { id, isClosed: end !== undefined };
    }
    if (end === undefined || before.isClosed) return before;
    await grafana.patch(before.id, { timeEnd: end.atMs, text: textOf(step) });
    return { ...before, isClosed: true };
  };
  return async () => {
    const seen = (await steps()).filter(isOurs);
    const keys = new Set(seen.map(keyOf));
    known = new Map([...known].filter(([key]) => keys.has(key)));
    for (const step of seen.toSorted((a, b) => a.startMs - b.startMs)) known.set(keyOf(step), await bring(step));
  };
}

async function find(grafana: Grafana, step: StepRun): Promise<Known | undefined> {
  const there = (await grafana.find(tagsOf(step), step.startMs)).find(({ time }) => time === step.startMs);
  return there === undefined ? undefined : { id: there.id, isClosed: there.timeEnd > there.time };
}

const tagsOf = ({ cluster, phase }: StepRun): string[] => ['belay', cluster.name, phase];
const textOf = ({ cluster, step, end }: StepRun): string => `${step} on ${cluster.name}${end === undefined ? '' : `: ${end.how}`}`;
const keyOf = ({ cluster, step, startMs }: StepRun): string => `${cluster.account}/${cluster.region}/${cluster.name}/${step}/${startMs}`;
