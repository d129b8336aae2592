/** PromQL by Prometheus' own grammar: what is wrong is said with its place, and matchers come into every selector. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_CHECKS } from '../../../../../domain/policy/config/health/health-defaults.ts';
import { MATCHER, promqlProblem, withMatchers } from '../../../../../domain/policy/config/health/promql.ts';

const MATCHERS = ['cluster="prod"', 'env=~"a|b"'];

describe('matchers in selectors', () => {
  test.each<[string, string, string]>([
    ['a bare name', 'up', 'up{M}'],
    ['empty braces', 'up{}', 'up{M}'],
    ['others', 'up{job="a"}', 'up{M,job="a"}'],
    ['a comma at the end', 'up{job="a",}', 'up{M,job="a",}'],
    ['a name within the braces', '{__name__=~"up|down"}', '{M,__name__=~"up|down"}'],
    ['a quoted name', '{"my.metric", job="a"}', '{M,"my.metric", job="a"}'],
    ['a range and an offset', 'rate(x{a="1"}[5m] offset 1h)', 'rate(x{M,a="1"}[5m] offset 1h)'],
    ['a subquery', 'max_over_time(sum(rate(x[1m]))[5m:30s])', 'max_over_time(sum(rate(x{M}[1m]))[5m:30s])'],
    ['labels of aggregations are none', 'sum by (le, up) (x) / on (up) y', 'sum by (le, up) (x{M}) / on (up) y{M}'],
    ['text that looks like a selector', 'label_replace(up, "a", "{}", "b", "x{")', 'label_replace(up{M}, "a", "{}", "b", "x{")'],
    ['braces in a value', 'up{a="}{"}', 'up{M,a="}{"}'],
    ['comments', 'up # down{}\n + y', 'up{M} # down{}\n + y{M}'],
    ['a name like an aggregation', 'sum{a="1"}', 'sum{M,a="1"}'],
    ['numbers alone', 'vector(1) + Inf', 'vector(1) + Inf'],
    ['at the end', 'x @ end() or vector(0)', 'x{M} @ end() or vector(0)'],
  ])('%s', (_title, query, right) => {
    expect(withMatchers(query, MATCHERS)).toBe(right.replaceAll('M', MATCHERS.join(',')));
    expect(withMatchers(query, [])).toBe(query);
  });

  test('each selector of each usual check has them once, and the result is PromQL', () => {
    for (const { name, query } of DEFAULT_CHECKS) {
      const result = withMatchers(query, ['cluster="prod"']);
      const metrics = query.match(/\b(apiserver|kube|coredns|karpenter|istio)_[a-z_]+/g) ?? [];
      expect([name, result.split('cluster="prod"').length - 1]).toEqual([name, metrics.length]);
      expect([name, promqlProblem(result)]).toEqual([name, undefined]);
      expect(result.replaceAll(/\{cluster="prod"\}|cluster="prod",/g, '')).toBe(query);
    }
  });
});

test.each([
  ['sum(', 'write PromQL: it breaks off at its end'],
  ['up{job=}', 'write PromQL: it breaks off at character 8, "}"'],
  ['up down', 'write PromQL: it breaks off at character 4, "down"'],
  ['ratte(x[5m])', 'write PromQL: it breaks off at character 6, "(x[5m])"'],
])('%s is no PromQL', (query, problem) => {
  expect(promqlProblem(query)).toBe(problem);
});

test.each([
  ['cluster="prod"', true],
  [' cluster !~ "a|b" ', true],
  [`cluster='prod'`, true],
  ['cluster=prod', false],
  ['cluster="prod",env="a"', false],
  ['cluster="prod"} or up{x="y"', false],
  ['{cluster="prod"}', false],
  ['__name__="up"', false],
  ['cluster="a\\"', false],
])('%s as a matcher: %s', (text, is) => {
  expect(MATCHER.test(text)).toBe(is);
});
