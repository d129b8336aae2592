/** Windows and environments in belay.yaml: layers, and what is said about what is wrong. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../../domain/policy/config/config.ts';
import { WEEKDAYS } from '../../../../../domain/policy/windows.ts';
import { parseConfig } from '../../../../../worker/config/config.ts';
import { failure } from '../../../../support/thrown.ts';
import { policyOf } from '../../../../../domain/policy/config/of-cluster.ts';

const CLUSTERS = `clusters:
  prod: { region: eu-west-1, account: "123456789012", environment: production }
  stage-a: { region: eu-west-1, account: "123456789012", environment: staging }
  stage-b: { region: eu-west-2, account: "123456789013", environment: staging }
  dev: { region: eu-west-1, account: "123456789012" }
`;
const read = (more: string): Config => parseConfig(`${CLUSTERS}${more}`, 'belay.yaml');
const failureOf = (more: string): string => failure(() => read(more));

describe('windows', () => {
  test('silence means always open, and nobody is left unmentioned', () => {
    expect(policyOf(read(''), 'prod').windows).toEqual({
      maintenance: [],
      exclusions: [],
      quietHours: [],
      outside: 'refuse',
      lastStartMs: 15 * 60_000,
    });
  });

  test('layers lie over each other: the file, defaults, the environment, the cluster; exclusions of all of them count', () => {
    const config = read(`windows:
  timeZone: Europe/Berlin
  maintenance: [{ days: [sat], start: "22:00", end: "04:00" }]
  exclusions: [{ from: 2026-12-18, until: 2027-01-06, reason: Christmas trade }]
  quietHours: [{ start: "22:00", end: "07:00" }]
environments:
  production:
    windows:
      outside: queue
      lastStart: 30m
      exclusions: [{ from: 2026-11-27T08:00, until: 2026-11-30, reason: Black Friday, scope: no-node-replacement, timeZone: America/New_York }]
  staging:
    windows: { maintenance: [{ start: "00:00", end: "24:00" }] }
`);
    const night = { days: ['sat'], start: '22:00', end: '04:00', timeZone: 'Europe/Berlin' };
    const christmas = {
      from: '2026-12-18',
      until: '2027-01-06',
      timeZone: 'Europe/Berlin',
      scope: 'no-upgrades',
      reason: 'Christmas trade',
    };
    expect(policyOf(config, 'prod').windows).toMatchObject({
      maintenance: [night],
      exclusions: [christmas, { timeZone: 'America/New_York', scope: 'no-node-replacement', reason: 'Black Friday' }],
      quietHours: [{ days: [...WEEKDAYS], timeZone: 'Europe/Berlin' }],
      outside: 'queue',
      lastStartMs: 30 * 60_000,
    });
    expect(policyOf(config, 'stage-a').windows).toMatchObject({
      maintenance: [{ days: [...WEEKDAYS], start: '00:00', end: '24:00', timeZone: 'Europe/Berlin' }],
      exclusions: [christmas],
      outside: 'refuse',
    });
    expect(policyOf(config, 'dev').windows?.maintenance).toEqual([night]);
  });

  test('the file’s time zone holds for windows of environments and clusters, unless those name another', () => {
    const sat = 'maintenance: [{ days: [sat], start: "22:00", end: "04:00" }]';
    const zones = (more: string): (string | undefined)[] =>
      ['prod', 'stage-a', 'dev'].map((name) => policyOf(read(more), name).windows?.maintenance[0]?.timeZone);
    expect(
      zones(`windows: { timeZone: Europe/Berlin }
environments:
  production: { windows: { ${sat} } }
  staging: { windows: { timeZone: America/New_York, ${sat} } }
  dev: { windows: { maintenance: [{ start: "22:00", end: "04:00", timeZone: Asia/Seoul }] } }
`),
    ).toEqual(['Europe/Berlin', 'America/New_York', 'Asia/Seoul']);
    expect(zones(`defaults: { windows: { timeZone: Europe/Berlin } }\nenvironments: { production: { windows: { ${sat} } } }\n`)).toEqual([
      'Europe/Berlin',
      undefined,
      undefined,
    ]);
    const below = read(
      `windows: { timeZone: Europe/Berlin, ${sat} }\nenvironments: { production: { windows: { timeZone: Asia/Seoul } } }\n`,
    );
    expect(policyOf(below, 'prod').windows?.maintenance[0]?.timeZone).toBe('Europe/Berlin');
  });

  test('F43: weeks of the month, in any layer; each once and in order', () => {
    const config = read(`windows:
  maintenance: [{ days: [tue], weeksOfMonth: [2], start: "02:30", end: "05:00", timeZone: Europe/Berlin }]
environments:
  staging:
    windows: { maintenance: [{ days: [tue, thu], weeksOfMonth: [last, 3, 1, 3], start: "02:30", end: "05:00" }] }
`);
    const tuesday = { days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin' };
    expect(policyOf(config, 'prod').windows?.maintenance).toEqual([tuesday]);
    expect(policyOf(config, 'stage-a').windows?.maintenance).toEqual([
      { days: ['tue', 'thu'], weeksOfMonth: [1, 3, 'last'], start: '02:30', end: '05:00', timeZone: 'UTC' },
    ]);
  });

  const RIGHT_WEEKS = 'write a list of 1, 2, 3, 4, last, such as [2] for the second such day of the month; not every month has a fifth';

  test.each<[string, string, string]>([
    [
      'a fifth week',
      'maintenance: [{ days: [tue], weeksOfMonth: [5], start: "02:30", end: "05:00" }]',
      `windows.maintenance[0].weeksOfMonth[0]: 5 is not valid; ${RIGHT_WEEKS}`,
    ],
    ['a week that is no list', 'maintenance: [{ days: [tue], weeksOfMonth: last, start: "02:30", end: "05:00" }]', RIGHT_WEEKS],
    ['no week', 'maintenance: [{ days: [tue], weeksOfMonth: [], start: "02:30", end: "05:00" }]', RIGHT_WEEKS],
    [
      'a week of no day',
      'maintenance: [{ weeksOfMonth: [2], start: "02:30", end: "05:00" }]',
      'windows.maintenance[0].weeksOfMonth: counts weekdays; write days as well, such as days: [tue] for the second Tuesday of each month',
    ],
    [
      'quiet hours of a month',
      'quietHours: [{ days: [tue], weeksOfMonth: [2], start: "22:00", end: "07:00" }]',
      'windows.quietHours[0].weeksOfMonth',
    ],
    [
      'a zone that is none',
      'timeZone: Europe/Berln',
      'windows.timeZone: "Europe/Berln" is not valid; write an IANA time zone such as Europe/Berlin or UTC',
    ],
    ['a time that is none', 'maintenance: [{ start: "25:00", end: "04:00" }]', '"25:00" is not valid; write a time such as "22:00"'],
    [
      'no length',
      'maintenance: [{ start: "22:00", end: "22:00" }]',
      'start and end are the same; write "00:00" and "24:00" for a whole day',
    ],
    [
      'a day that is none',
      'maintenance: [{ days: [caturday], start: "22:00", end: "23:00" }]',
      'write a list of mon, tue, wed, thu, fri, sat, sun',
    ],
    [
      'no leap year',
      'exclusions: [{ from: 2027-02-29, until: 2027-03-01, reason: x }]',
      '"2027-02-29" is not valid; write a day such as 2026-12-18',
    ],
    ['an end before its beginning', 'exclusions: [{ from: 2027-01-06, until: 2026-12-18, reason: x }]', 'until is before from'],
    ['no reason', 'exclusions: [{ from: 2026-12-18, until: 2026-12-18 }]', 'reason: is missing; write why, such as Christmas trade'],
    [
      'another scope',
      'exclusions: [{ from: 2026-12-18, until: 2026-12-18, reason: x, scope: nothing }]',
      'write one of no-upgrades, no-minor-upgrades, no-node-replacement',
    ],
  ])('%s is refused', (_, text, message) => {
    expect(failureOf(`windows: { ${text} }\n`)).toContain(message);
  });

  test('a leap day is a day', () => {
    expect(failureOf('windows: { exclusions: [{ from: 2028-02-29, until: 2028-02-29, reason: x }] }\n')).toBe('(nothing was thrown)');
  });
});

describe('environments', () => {
  test('after: every cluster of the environment before, for those of this one alone', () => {
    const config = read('environments: { production: { after: { environment: staging, bakedDays: 3 } } }\n');
    expect(policyOf(config, 'prod').after).toEqual({
      environment: 'staging',
      bakedDays: 3,
      clusters: [
        { name: 'stage-a', account: '123456789012', region: 'eu-west-1' },
        { name: 'stage-b', account: '123456789013', region: 'eu-west-2' },
      ],
    });
    expect(policyOf(config, 'stage-a').after).toBeUndefined();
  });

  test('approvals of an environment are over those of all', () => {
    const config = read('approvals: { users: [U0AAAA], quorum: 1 }\nenvironments: { production: { approvals: { quorum: 2 } } }\n');
    expect(policyOf(config, 'prod').approvals).toMatchObject({ users: ['U0AAAA'], quorum: 2 });
    expect(policyOf(config, 'stage-a').approvals.quorum).toBe(1);
  });

  test.each<[string, string, string]>([
    [
      'that no cluster is in',
      '{ prodction: {} }',
      'belay.yaml:6: environments.prodction: no cluster of this file is in environment "prodction"; did you mean "production"?',
    ],
    [
      'after one that no cluster is in',
      '{ production: { after: { environment: stagin, bakedDays: 3 } } }',
      'environments.production.after: names environment "stagin", and no cluster of this file is in it; did you mean "staging"?',
    ],
    [
      'after itself',
      '{ production: { after: { environment: production, bakedDays: 3 } } }',
      'names the environment itself; name the one that is upgraded first',
    ],
  ])('one %s is refused', (_, text, message) => {
    expect(failureOf(`environments: ${text}\n`)).toContain(message);
  });
});
