/** ScrapePort over KubernetesPort: scrapes, remembers a few of each process, and compares two of the same one. */
import {
  figureOf,
  lackOf,
  Reading,
  type ScrapeQuery,
  type ScrapeTarget,
  type Selector,
  selectorsOf,
  selectorText,
  type Span,
  type Tallies,
} from '../../../domain/health/metrics/scrapes.ts';
import { count } from '../../../domain/core/text.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { KubernetesPort, ScrapeAnswer, ScrapePort } from '../../contract/ports.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { type Found, findTarget, nameOfTarget } from './scrape-targets.ts';

/** Of each process: more than any query looks back, at one scrape per interval. */
const KEPT = 64;
/** A look comes a little late. */
const SLACK = 1.1;

interface Scrape {
  atMs: number;
  tallies: Tallies;
  /** What was kept of it: all else is not known, and not 0. */
  keys: ReadonlySet<string>;
}

type Nothing = Exclude<ScrapeAnswer, { kind: 'samples' }>;

/** What is known of a target. */
interface Known {
  /** By process, oldest first. */
  history: Map<string, Scrape[]>;
  /** Which processes the newest scrape has met. */
  met: string[];
  /** The newest scrape, under way or done. */
  last?: { atMs: number; done: Promise<void> } | undefined;
  /** Why the newest scrape has met nobody. */
  nothing?: Nothing | undefined;
}

/** `nowMs`: of a clock that only has to go evenly. */
export function createScraper(kubernetes: KubernetesPort, nowMs: () => number = Date.now): ScrapePort {
  const selectors = new Map<ScrapeTarget, Map<string, Selector>>();
  const targets = new Map<ScrapeTarget, Known>();

  const keep = (queries: readonly ScrapeQuery[]): void => {
    for (const query of queries) {
      const known = selectors.get(query.target) ?? new Map<string, Selector>();
      selectors.set(query.target, known);
      for (const selector of selectorsOf(query)) {
        if (known.has(selectorText(selector))) continue;
        known.set(selectorText(selector), selector);
        // The newest scrape has nothing of it.
        const target = targets.get(query.target);
        if (target !== undefined) target.last = undefined;
      }
    }
  };

  const scrape = async (target: ScrapeTarget, known: Known): Promise<void> => {
    const wanted = new Map(selectors.get(target));
    const found = await findTarget(kubernetes, target);
    const read = await someAtOnce(found, (one) => readOne(kubernetes, one, [...wanted.values()]));
    const answers = read.filter((one) => 'tallies' in one);
    const [refusal] = read.filter((one) => 'error' in one);
    // As with Prometheus, the others speak for one that does not answer.
    if (answers.length === 0 && refusal !== undefined && failureType(refusal.error) !== 'AccessDenied') throw refusal.error;
    known.met = answers.flatMap(({ process }) => process ?? []);
    known.nothing = known.met.length > 0 ? undefined : nothingOf(target, found, refusal !== undefined);
    const [atMs, keys] = [nowMs(), new Set(wanted.keys())];
    for (const { process, tallies } of answers) if (process !== undefined) remember(known, process, { atMs, tallies, keys });
  };

  const refreshed = async (target: ScrapeTarget, freshMs: number): Promise<Known> => {
    const known = targets.get(target) ?? { history: new Map<string, Scrape[]>(), met: [] };
    targets.set(target, known);
    if (known.last === undefined || nowMs() - known.last.atMs > freshMs) {
      const last = { atMs: nowMs(), done: scrape(target, known) };
      known.last = last;
      last.done.catch(() => {
        if (known.last === last) known.last = undefined;
      });
    }
    await known.last.done;
    return known;
  };

  return {
    keep,
    async query(query, { intervalMs, freshMs = intervalMs / 2 }) {
      if (query.kind === 'readiness') return await readiness(kubernetes);
      keep([query]);
      const known = await refreshed(query.target, freshMs);
      if (known.nothing !== undefined) return known.nothing;
      const newest = known.met.flatMap((process) => known.history.get(process)?.at(-1) ?? []);
      const lack = newest.map(({ tallies }) => lackOf(query, tallies)).find((each) => each !== undefined);
      if (lack !== undefined && newest.every(({ tallies }) => lackOf(query, tallies) !== undefined))
        return { kind: 'nothing', why: `the metrics of ${nameOfTarget(query.target)} have ${lack}` };
      if (query.kind === 'level')
        return answer(
          figureOf(
            query,
            newest.map(({ tallies }) => ({ earlier: tallies, later: tallies, seconds: 1 })),
          ),
        );
      const sinceMs = nowMs() - query.intervals * intervalMs * SLACK;
      const keys = selectorsOf(query).map(selectorText);
      const spans = [...known.history].flatMap(([process, scrapes]) => {
        const span = spanIn(scrapes, sinceMs, keys);
        return span === undefined ? [] : [{ process, span }];
      });
      // Of processes that answered before, and not now, nothing new is known.
      if (!spans.some(({ process }) => known.met.includes(process)))
        return { kind: 'waiting', why: waitingText(query.target, known.history.size) };
      return answer(
        figureOf(
          query,
          spans.map(({ span }) => span),
        ),
      );
    },
  };
}

const answer = (figure: number | undefined): ScrapeAnswer => ({
  kind: 'samples',
  samples: figure === undefined ? [] : [{ labels: {}, value: figure }],
});

type Read = { process: string | undefined; tallies: Tallies } | { error: unknown };

async function readOne(kubernetes: KubernetesPort, { from, id }: Found, wanted: readonly Selector[]): Promise<Read> {
  let reading = new Reading(wanted);
  try {
    await kubernetes.scrape(from, () => {
      reading = new Reading(wanted);
      return (line) => reading.add(line);
    });
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { error };
  }
  const { startedAt, tallies } = reading;
  return { process: startedAt === undefined ? undefined : `${id} ${startedAt}`, tallies };
}

function remember(known: Known, process: string, scrape: Scrape): void {
  const scrapes = [...(known.history.get(process) ?? []), scrape].slice(-KEPT);
  // Who was heard of last stands last; of processes that are long gone nothing is kept.
  known.history.delete(process);
  known.history.set(process, scrapes);
  for (const oldest of known.history.keys()) if (known.history.size > KEPT && !known.met.includes(oldest)) known.history.delete(oldest);
}

/** From the first to the last of a process' scrapes since then that have kept what is asked for. */
function spanIn(scrapes: readonly Scrape[], sinceMs: number, wanted: readonly string[]): Span | undefined {
  const within = scrapes.filter(({ atMs, keys }) => atMs >= sinceMs && wanted.every((key) => keys.has(key)));
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  return { earlier: first.tallies, later: last.tallies, seconds: (last.atMs - first.atMs) / 1000 };
}

function waitingText(target: ScrapeTarget, processes: number): string {
  const others = processes > 1 ? `; ${count(processes, 'process')} have answered so far` : '';
  return `no process of ${nameOfTarget(target)} was scraped twice, and two scrapes of one are compared${others}`;
}

function nothingOf(target: ScrapeTarget, found: readonly Found[], denied: boolean): Nothing {
  const name = nameOfTarget(target);
  const [first] = found;
  if (first === undefined) return { kind: 'nothing', why: `no ${name} run` };
  if (!denied) return { kind: 'nothing', why: `the metrics of ${name} have no process_start_time_seconds` };
  const { from } = first;
  const right = from === 'api-server' ? 'the path /metrics' : `pods/proxy in ${from.namespace}`;
  const file = from === 'api-server' ? '' : target === 'istiod' ? '-mesh-scrapes' : '-scrapes';
  return { kind: 'denied', why: `Belay may not scrape ${name} (get on ${right}; deploy/kubernetes-rbac${file}.yaml lets it)` };
}

/** Parts of /readyz that fail, each of them a sample of 1. */
async function readiness(kubernetes: KubernetesPort): Promise<ScrapeAnswer> {
  try {
    const { ok, message } = await kubernetes.readyz();
    const failing = [...message.matchAll(/\[-\](\S+)/g)].map(([, part = '']) => part);
    const bad = ok ? [] : failing.length === 0 ? ['readyz'] : failing;
    return { kind: 'samples', samples: [{ labels: {}, value: 0 }, ...bad.map((part) => ({ labels: { part }, value: 1 }))] };
  } catch (error) {
    if (failureType(error) !== 'AccessDenied') throw error;
    return { kind: 'denied', why: 'Belay may not read /readyz (get on the path /readyz; deploy/kubernetes-rbac.yaml lets it)' };
  }
}
