/** Tries every query before the upgrade: what is blind is said before anything is done, and what is seen is the baseline. */
import { ALERTS_NAME } from '../../../domain/health/alerts.ts';
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import { type HealthCheck, type HealthPolicy, lookOf, type TriedCheck, triedOf } from '../../../domain/health/checks.ts';
import type { ScrapeQuery } from '../../../domain/health/metrics/scrapes.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { ScrapePort } from '../../contract/ports.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { cancellableSleep } from '../../runtime/wait-until.ts';
import { keepFor, look, type Metrics, tryAlerts } from './query.ts';

/** A process is to be met twice; behind a balancer it takes some scrapes until one is. */
const SCRAPES = 5;
const BETWEEN_MS = 5_000;
/** A plan waits no longer than that for all of its tries together: a run's own watch asks again. */
const TRIES_MS = 20_000;

export interface Trying {
  /** For all tries together; what has not answered by then was not seen. */
  limitMs?: number;
  /** Ends the tries: nobody wants to know any more. */
  signal?: AbortSignal;
}

/** undefined: nothing is configured. Checks of what the cluster does not have are left out; alerts that stop steps are among them where they are not seen. */
export async function tryChecks(
  metrics: Metrics,
  policy: HealthPolicy | undefined,
  { karpenter, istio }: Pick<ClusterFacts, 'karpenter' | 'istio'>,
  { limitMs = TRIES_MS, signal = currentSignal() }: Trying = {},
): Promise<TriedCheck[] | undefined> {
  if (policy === undefined) return undefined;
  const has = { karpenter: karpenter !== undefined, istio: istio !== undefined };
  const checks = policy.checks.filter(({ where }) => where === undefined || has[where]);
  keepFor(metrics, checks);
  const { scrapes } = metrics;
  const answered = new AbortController();
  const ends = AbortSignal.any([signal, answered.signal]);
  const over = cancellableSleep(limitMs, ends).then(() => answered.abort());
  const late = ({ name }: Pick<HealthCheck, 'name'>): TriedCheck => ({ name, kind: 'unseen', why: `no answer within ${limitMs / 1000} s` });
  const of = (check: HealthCheck): Promise<TriedCheck> => Promise.race([tryOne(check), over.then(() => late(check))]);
  const tryOne = async (check: HealthCheck): Promise<TriedCheck> =>
    check.scrape === undefined || scrapes === undefined
      ? triedOf(check, await look(metrics, check))
      : await tryScrape(scrapes, check, check.scrape, ends);
  const { prometheus } = metrics;
  const alerts =
    policy.alerts === 'block' && prometheus !== undefined
      ? [Promise.race([tryAlerts(prometheus), over.then(() => late({ name: ALERTS_NAME }))])]
      : [];
  const [scraped, asked] = [checks.filter(({ scrape }) => scrape !== undefined), checks.filter(({ scrape }) => scrape === undefined)];
  try {
    // Scrapes wait for each other's: all at once.
    const [ofScrapes, ofQueries, ofAlerts] = await Promise.all([Promise.all(scraped.map(of)), someAtOnce(asked, of), Promise.all(alerts)]);
    const tried = new Map([...ofScrapes, ...ofQueries].map((one) => [one.name, one]));
    return [...checks.flatMap(({ name }) => tried.get(name) ?? []), ...ofAlerts.filter((each) => each !== undefined)];
  } finally {
    answered.abort();
  }
}

/** What is not there, or may not be read, is blind, and says why; a process that was met once only is not known. */
async function tryScrape(scrapes: ScrapePort, check: HealthCheck, query: ScrapeQuery, ends: AbortSignal): Promise<TriedCheck> {
  const { name, intervalMs } = check;
  const pauseMs = Math.min(intervalMs, BETWEEN_MS);
  for (let left = SCRAPES; ; left -= 1) {
    try {
      const answer = await scrapes.query(query, { intervalMs, freshMs: pauseMs / 2 });
      if (answer.kind === 'nothing' || answer.kind === 'denied') return { name, kind: 'blind', why: answer.why };
      const seen = answer.kind === 'samples' ? lookOf(check, answer.samples) : undefined;
      if (seen?.kind === 'value') return { name, kind: 'live', baseline: seen.value };
      if (left <= 1) return { name, kind: 'unseen', why: answer.kind === 'waiting' ? answer.why : 'nothing happened between two scrapes' };
    } catch (error) {
      if (currentSignal().aborted) throw error;
      return { name, kind: 'unseen', why: messageOf(error) };
    }
    await cancellableSleep(pauseMs, ends);
    currentSignal().throwIfAborted();
    if (ends.aborted) return { name, kind: 'unseen', why: 'it was not met twice in time' };
  }
}
