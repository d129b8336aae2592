/** Two Slack processes of the chart: replaced one after the other, and their series of runs, which both show, count once in every alert. */
import { describe, expect, test } from 'vitest';
import { textOf, yamlOf } from './files.ts';
import { rulesIn } from './rules.ts';

/** The same from every process that shows them (docs/operate/metrics.md). */
const SHARED =
  /belay_(?:runs|run_info|gate_waiting_seconds|runs_read_timestamp_seconds|runs_closed_total|step_seconds\w*|gate_answers_total|records_bytes_free|records_size_bytes)\b/g;

/** Shared series of an expression that stand outside of `max` and `min`. */
function countedTwice(expr: string): string[] {
  const outside = expr.replaceAll(/\b(?:max|min)(?: by \([^)]*\))? ?\([^()]*\)/g, '');
  return [...new Set(outside.match(SHARED))];
}

describe('alerts on series that two processes show', () => {
  const using = rulesIn().filter(({ expr }) => expr.match(SHARED) !== null);

  test('O25: there are such alerts, and each takes one of the two', () => {
    expect(using.map(({ alert }) => alert)).toEqual(expect.arrayContaining(['BelayGateOld', 'BelayRunsUnread', 'BelayRecordsFull']));
    expect(using.flatMap(({ alert, expr }) => countedTwice(expr).map((series) => `${alert}: ${series}`))).toEqual([]);
  });

  test.each([
    ['sum by (environment) (belay_runs{job="belay"}) > 10', ['belay_runs']],
    ['belay_gate_waiting_seconds > 86400', ['belay_gate_waiting_seconds']],
    ['max by (gate) (belay_gate_waiting_seconds{job="belay"}) > 86400', []],
  ])('%s', (expr, twice) => {
    expect(countedTwice(expr)).toEqual(twice);
  });
});

test('O31: slack.replicas is one by default; a new Slack process is there before an old one goes', () => {
  expect(yamlOf('deploy/chart/values.yaml')[0]).toMatchObject({ slack: { replicas: 1 } });
  const template = textOf('deploy/chart/templates/slack.yaml');
  expect(template).toContain('replicas: {{ .Values.slack.replicas }}\n');
  expect(template).toMatch(/strategy:\n {4}type: RollingUpdate\n {4}rollingUpdate: \{ maxUnavailable: 0, maxSurge: 1 \}\n/);
});
