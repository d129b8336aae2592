/** One look at a check, and at the alerts, by Prometheus, CloudWatch or scrapes. A failure to ask is an answer, but for a cancellation. */
import {
  ALERTS_NAME,
  type AlertVerdict,
  alertsBlind,
  judgeFiring,
  type KnownAlert,
  pendingAnew,
  unsuppressed,
} from '../../../domain/health/alerts.ts';
import { type HealthCheck, type Look, lookOf, type TriedCheck } from '../../../domain/health/checks.ts';
import type { ScrapeQuery } from '../../../domain/health/metrics/scrapes.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { AlertmanagerPort, ClusterPorts, PrometheusPort } from '../../contract/ports.ts';

/** Where figures come from. */
export type Metrics = Pick<ClusterPorts, 'prometheus' | 'alertmanager' | 'cloudWatch' | 'scrapes'>;

/** As long as most alerts of kubernetes-mixin wait before they fire. */
const YOUNG_MINUTES = 15;
const NO_PROMETHEUS = 'no Prometheus is configured any more';

export async function look(metrics: Metrics, check: HealthCheck): Promise<Look> {
  try {
    return await ask(metrics, check);
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { kind: 'error', why: messageOf(error) };
  }
}

/** Two checks of one target are answered by one scrape. */
export function keepFor({ scrapes }: Metrics, checks: readonly HealthCheck[]): void {
  scrapes?.keep(checks.flatMap(({ scrape }) => scrape ?? []));
}

async function ask({ prometheus, cloudWatch, scrapes }: Metrics, check: HealthCheck): Promise<Look> {
  if (check.scrape !== undefined) return await lookAtScrape(scrapes, check, check.scrape);
  if (check.cloudWatch !== undefined)
    return cloudWatch === undefined
      ? { kind: 'error', why: 'CloudWatch cannot be asked here' }
      : lookOf(check, await cloudWatch.query(check.cloudWatch));
  if (prometheus === undefined || check.query === undefined) return { kind: 'error', why: NO_PROMETHEUS };
  return lookOf(check, await prometheus.query(check.query));
}

async function lookAtScrape(scrapes: Metrics['scrapes'], check: HealthCheck, query: ScrapeQuery): Promise<Look> {
  if (scrapes === undefined) return { kind: 'error', why: 'nothing can be scraped here' };
  const answer = await scrapes.query(query, { intervalMs: check.intervalMs });
  if (answer.kind === 'samples') return lookOf(check, answer.samples);
  return answer.kind === 'nothing' ? { kind: 'empty' } : { kind: 'error', why: answer.why };
}

/**
 * ALERTS is what Prometheus, Thanos' and Mimir's rulers, and Amazon's service keep of their alerts. Only where some fire is Alertmanager asked
 * whether they are silenced; without an answer they all count.
 */
export async function alertsNow({ prometheus, alertmanager }: Metrics, ignored: readonly string[]): Promise<AlertVerdict> {
  if (prometheus === undefined) return { kind: 'unknown', why: NO_PROMETHEUS };
  try {
    const series = await prometheus.query('ALERTS{alertstate="firing"}');
    const verdict = await withoutSuppressed(judgeFiring(series, ignored), series, alertmanager, ignored);
    return verdict.kind === 'quiet' ? await whileYoung(prometheus, ignored) : verdict;
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { kind: 'unknown', why: messageOf(error) };
  }
}

async function withoutSuppressed(
  verdict: AlertVerdict,
  series: Awaited<ReturnType<PrometheusPort['query']>>,
  alertmanager: AlertmanagerPort | undefined,
  ignored: readonly string[],
): Promise<AlertVerdict> {
  if (verdict.kind !== 'firing' || alertmanager === undefined) return verdict;
  const known = await knownAlerts(alertmanager);
  return known.ok ? judgeFiring(unsuppressed(series, known.alerts), ignored) : { ...verdict, silencesUnseen: known.why };
}

/**
 * A Prometheus that has lost its data, as each restart of its pod does on an emptyDir (prometheus-operator, user guide "Storage": the default), reckons
 * the `for` of every alert anew: what fired before its node was replaced is pending by then. One that keeps its data restores it
 * (prometheus.io, --rules.alert.for-outage-tolerance).
 */
async function whileYoung(prometheus: PrometheusPort, ignored: readonly string[]): Promise<AlertVerdict> {
  const pending = judgeFiring(await prometheus.query('ALERTS{alertstate="pending"}'), ignored);
  if (pending.kind !== 'firing') return { kind: 'quiet' };
  const [now, before] = [await prometheus.query('count(up)'), await prometheus.query(`count(up offset ${YOUNG_MINUTES}m)`)];
  return now.length > 0 && before.length === 0 ? pendingAnew(pending, YOUNG_MINUTES) : { kind: 'quiet' };
}

/**
 * Whether Prometheus knows of any alert: without rules, or with matchers that its alerts do not have, none fires whatever happens. An alert that fires
 * always is how others see that alerting works (kube-prometheus' Watchdog). undefined: it knows of some.
 */
export async function tryAlerts(prometheus: PrometheusPort): Promise<TriedCheck | undefined> {
  try {
    return (await prometheus.query('count(ALERTS)')).length > 0 ? undefined : alertsBlind();
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { name: ALERTS_NAME, kind: 'unseen', why: messageOf(error) };
  }
}

async function knownAlerts(alertmanager: AlertmanagerPort): Promise<{ ok: true; alerts: KnownAlert[] } | { ok: false; why: string }> {
  try {
    return { ok: true, alerts: await alertmanager.alerts() };
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { ok: false, why: messageOf(error) };
  }
}
