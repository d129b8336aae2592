/**
 * Brings Grafana's annotations to what Temporal says of steps: one for each, a region once it has ended. What is there is looked for before it is made, by
 * its tags and the moment in which its step began, so that a restart, a second process and a lost answer make none twice.
 */
import { failureType } from '../../../activities/runtime/translate-errors.ts';
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

/**
 * One pass at each call; it ends at the first call that fails, and that step is the last one of the next pass: a Grafana in trouble is not asked for each
 * step, and one annotation that it refuses holds up no other. Throws what the calls throw.
 */
export function annotator({ steps, grafana, isOurs }: AnnotateDeps): () => Promise<void> {
  let known = new Map<string, Known>();
  /** Those that failed since they were last written, the earliest failure first. */
  const failed = new Set<string>();
  const bring = async (step: StepRun): Promise<Known> => {
    const { end } = step;
    const before = known.get(keyOf(step)) ?? (await find(grafana, step));
    if (before === undefined) return await create(grafana, step);
    if (end === undefined || before.isClosed) return before;
    try {
      await grafana.patch(before.id, { timeEnd: end.atMs, text: textOf(step) });
    } catch (error) {
      if (!isGone(error)) throw error;
      const there = await find(grafana, step);
      if (there?.id === before.id) throw error;
      return there ?? (await create(grafana, step));
    }
    return { ...before, isClosed: true };
  };
  return async () => {
    const seen = new Map((await steps()).filter(isOurs).map((step) => [keyOf(step), step]));
    known = new Map([...known].filter(([key]) => seen.has(key)));
    for (const key of failed) if (!seen.has(key)) failed.delete(key);
    const places = [...failed];
    const place = (step: StepRun): number => places.indexOf(keyOf(step));
    for (const step of [...seen.values()].toSorted((a, b) => place(a) - place(b) || a.startMs - b.startMs)) {
      const key = keyOf(step);
      try {
        known.set(key, await bring(step));
        failed.delete(key);
      } catch (error) {
        failed.delete(key);
        failed.add(key);
        throw error;
      }
    }
  };
}

/** Of one that somebody deleted: 404, and 403 where the token's scope is a type of annotations, which Grafana cannot look up any more. */
function isGone(error: unknown): boolean {
  const type = failureType(error);
  return type === 'NotFound' || type === 'AccessDenied';
}

async function create(grafana: Grafana, step: StepRun): Promise<Known> {
  const { startMs, end } = step;
  const id = await grafana.create({
    time: startMs,
    ...(end === undefined ? {} : { timeEnd: end.atMs }),
    tags: tagsOf(step),
    text: textOf(step),
  });
  return { id, isClosed: end !== undefined };
}

async function find(grafana: Grafana, step: StepRun): Promise<Known | undefined> {
  const there = (await grafana.find(tagsOf(step), step.startMs)).find(({ time }) => time === step.startMs);
  return there === undefined ? undefined : { id: there.id, isClosed: there.timeEnd > there.time };
}

const tagsOf = ({ cluster, phase }: StepRun): string[] => ['belay', cluster.name, phase];
const textOf = ({ cluster, step, end }: StepRun): string => `${step} on ${cluster.name}${end === undefined ? '' : `: ${end.how}`}`;
const keyOf = ({ cluster, step, startMs }: StepRun): string => `${cluster.account}/${cluster.region}/${cluster.name}/${step}/${startMs}`;
