/** Waivers in belay.yaml: what is missing or wrong is said with its line and what would be right. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../../domain/policy/config/config.ts';
import { loadConfig, parseConfig } from '../../../../../worker/config/config.ts';
import { failure } from '../../../../support/thrown.ts';
import { readinessOf } from '../../../../../domain/policy/config/of-cluster.ts';

const WAIVER = { check: 'K8S012', resource: 'shop/ledger', reason: 'one writer', by: 'Ada Okafor', until: '2027-06-30' };

const waiversOf = (config: Config, cluster: string) => readinessOf(config, cluster).waivers;

/** One line for each key, the first one of the waiver at line 6. */
function read(waiver: Partial<Record<string, string>>, shared = ''): Config {
  const lines = Object.entries(waiver).map(([key, value], index) => `      ${index === 0 ? '-' : ' '} ${key}: ${value}`);
  return parseConfig(
    ['clusters:', '  prod:', '    region: eu-west-1', '    account: "123456789012"', '    waivers:', ...lines, shared].join('\n'),
    'belay.yaml',
  );
}

const failureOf = (waiver: Partial<Record<string, string>>): string => failure(() => read(waiver));

const without = (key: keyof typeof WAIVER): Partial<Record<string, string>> =>
  Object.fromEntries(Object.entries(WAIVER).filter(([other]) => other !== key));

describe('a waiver is refused', () => {
  test.each<[string, Partial<Record<string, string>>, string]>([
    ['without a reason', without('reason'), 'belay.yaml:6: clusters.prod.waivers[0].reason: is missing; write why it is no problem'],
    [
      'with an empty reason',
      { ...WAIVER, reason: '" "' },
      'belay.yaml:8: clusters.prod.waivers[0].reason: " " is not valid; write why it is no problem',
    ],
    ['without a person', without('by'), 'belay.yaml:6: clusters.prod.waivers[0].by: is missing; write who decided it'],
    ['without a last day', without('until'), 'belay.yaml:6: clusters.prod.waivers[0].until: is missing; write a day such as 2026-12-31'],
    [
      'with a last day that is no date',
      { ...WAIVER, until: 'next summer' },
      'belay.yaml:10: clusters.prod.waivers[0].until: "next summer" is not valid; write a day such as 2026-12-31',
    ],
    [
      'with a last day that never comes',
      { ...WAIVER, until: '2026-02-30' },
      'belay.yaml:10: clusters.prod.waivers[0].until: "2026-02-30" is not valid; write a day such as 2026-12-31',
    ],
    [
      'for a check that there is none of',
      { ...WAIVER, check: 'K8S912' },
      'belay.yaml:6: clusters.prod.waivers[0].check: "K8S912" is not valid; did you mean K8S012? docs/reference/checks.md lists all',
    ],
    [
      'for what is no code',
      { ...WAIVER, check: 'replicas' },
      'belay.yaml:6: clusters.prod.waivers[0].check: "replicas" is not valid; write the code of a check such as K8S012 (docs/reference/checks.md lists them)',
    ],
    [
      'with a key that there is none of',
      { ...WAIVER, expires: '2027-06-30' },
      'belay.yaml:11: clusters.prod.waivers[0].expires: unknown key; there are check, resource, reason, by, until',
    ],
  ])('%s', (_title, waiver, message) => {
    expect(failureOf(waiver)).toBe(message);
  });
});

test('a last day that is over is no error: the report says that it has ended', () => {
  expect(waiversOf(read({ ...WAIVER, until: '2020-01-31' }), 'prod')).toEqual([{ ...WAIVER, until: '2020-01-31' }]);
});

test('those of defaults hold for every cluster, beside its own', () => {
  const config = read(WAIVER, 'defaults:\n  waivers:\n    - { check: KAR009, reason: a, by: b, until: 2027-01-01 }');
  expect(waiversOf(config, 'prod').map(({ check, until }) => `${check} ${until}`)).toEqual(['KAR009 2027-01-01', 'K8S012 2027-06-30']);
});

test('belay.example.yaml shows one', () => {
  const config = loadConfig(new URL('../../../../../belay.example.yaml', import.meta.url).pathname);
  expect(waiversOf(config, 'prod')).toHaveLength(1);
});
