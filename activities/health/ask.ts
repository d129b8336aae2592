/** One look at a check, and at the alerts, by Prometheus. A failure to ask is an answer, but for a cancellation. */
import { type AlertVerdict, judgeFiring } from '../../domain/alerts.ts';
import { type HealthCheck, type Look, lookOf } from '../../domain/health-checks.ts';
import { messageOf } from '../../domain/unknown.ts';
import { currentSignal } from '../context.ts';
import type { PrometheusPort } from '../ports.ts';

const NO_PROMETHEUS = 'no Prometheus is configured any more';

export async function look(prometheus: PrometheusPort | undefined, check: HealthCheck): Promise<Look> {
  if (prometheus === undefined) return { kind: 'error', why: NO_PROMETHEUS };
  try {
    return lookOf(check, await prometheus.query(check.query));
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { kind: 'error', why: messageOf(error) };
  }
}

/** ALERTS is what Prometheus, Thanos' and Mimir's rulers, and Amazon's service keep of their alerts. */
export async function alertsNow(prometheus: PrometheusPort | undefined, ignored: readonly string[]): Promise<AlertVerdict> {
  if (prometheus === undefined) return { kind: 'unknown', why: NO_PROMETHEUS };
  try {
    return judgeFiring(await prometheus.query('ALERTS{alertstate="firing"}'), ignored);
  } catch (error) {
    if (currentSignal().aborted) throw error;
    return { kind: 'unknown', why: messageOf(error) };
  }
}
