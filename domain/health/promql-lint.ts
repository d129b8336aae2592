/** Looks through health-gate queries for what can never hold: metrics and labels that do not exist, quantiles over watches. */
import type { Finding } from '../core/findings.ts';
import { METRIC_LABELS, MISSING_METRICS, MISSING_REASONS } from '../tables/prometheus-metrics.ts';
import { lintFinding } from './lint-finding.ts';

/** Findings about one query; empty when nothing is known against it. */
export function lintQuery(query: string): Finding[] {
  return [...missingMetrics(query), ...missingLabels(query), ...missingReasons(query), ...quantileOverWatches(query)];
}

function missingMetrics(query: string): Finding[] {
  return MISSING_METRICS.filter((metric) => new RegExp(`\\b${metric.name}\\b`).test(query)).map((metric) =>
    lintFinding({
      code: 'LNT001',
      title: 'The query asks for a metric that does not exist',
      severity: 'required',
      message: `${metric.name}: ${metric.why}. The query always returns an empty vector.`,
      resource: query,
      remediation: `Use ${metric.instead}.`,
    }),
  );
}

function missingLabels(query: string): Finding[] {
  return Object.entries(METRIC_LABELS).flatMap(([metric, labels]) => {
    const selector = new RegExp(`\\b${metric}\\{([^}]*)\\}`).exec(query)?.[1] ?? '';
    const strange = matchers(selector).filter((matcher) => !labels.includes(matcher.label));
    return strange.map(({ label }) =>
      lintFinding({
        code: 'LNT002',
        title: 'The query filters by a label that the metric does not have',
        severity: 'required',
        message: `${metric} has no label "${label}", only ${labels.join(', ')}. The query always returns an empty vector.`,
        resource: query,
        remediation: 'Take the label out, or use karpenter_nodeclaims_disrupted_total, which has "reason".',
      }),
    );
  });
}

function missingReasons(query: string): Finding[] {
  const reasons = matchers(query).filter((matcher) => matcher.label === 'reason');
  return MISSING_REASONS.filter((reason) => reasons.some((matcher) => matcher.value.split('|').includes(reason))).map((reason) =>
    lintFinding({
      code: 'LNT003',
      title: 'The query filters by a reason that is never set',
      severity: 'required',
      message: `Karpenter sets no reason "${reason}".`,
      resource: query,
      remediation: 'Use reason=~"launch_timeout|registration_timeout|liveness" on karpenter_nodeclaims_disrupted_total.',
    }),
  );
}

function quantileOverWatches(query: string): Finding[] {
  const selector = /\bapiserver_request_(?:sli_)?duration_seconds_bucket(?:\{([^}]*)\})?/.exec(query);
  if (selector === null || !query.includes('histogram_quantile')) return [];
  const verbs = matchers(selector[1] ?? '').filter((matcher) => matcher.label === 'verb');
  const leavesOut = verbs.some(({ operator, value }) => {
    const named = ['WATCH', 'CONNECT'].filter((verb) => value.includes(verb)).length;
    return operator.startsWith('!') ? named === 2 : named === 0;
  });
  if (leavesOut) return [];
  return [
    lintFinding({
      code: 'LNT004',
      title: 'The latency quantile counts watches',
      severity: 'recommended',
      message: 'Watches, exec and port-forward last as long as their clients: a quantile over all verbs says nothing.',
      resource: query,
      remediation: 'Select verb=~"GET|LIST|POST|PUT|PATCH|DELETE" and subresource!~"log|exec|attach|portforward|proxy".',
    }),
  ];
}

function matchers(selector: string): { label: string; operator: string; value: string }[] {
  return [...selector.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map((match) => ({
    label: match[1] ?? '',
    operator: match[2] ?? '',
    value: match[3] ?? '',
  }));
}
