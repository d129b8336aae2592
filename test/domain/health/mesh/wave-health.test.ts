/** A wave's traffic against what it was: three bad looks of five, and what cannot be seen is no pass. */
import { describe, expect, test } from 'vitest';
import { isFailing, judgeWave, type Traffic, type TrafficReading } from '../../../../domain/health/mesh/wave-health.ts';

const USUAL: Traffic = { requestsPerSecond: 120, errorShare: 0.006, p99Ms: 97 };
const BLIND: TrafficReading = { kind: 'blind', why: 'asking Prometheus: it is away' };

const seen = (namespaces: Record<string, Partial<Traffic>>): TrafficReading => ({
  kind: 'seen',
  namespaces: Object.fromEntries(Object.entries(namespaces).map(([name, change]) => [name, { ...USUAL, ...change }])),
});
const shop = (...changes: (Partial<Traffic> | undefined)[]): TrafficReading[] =>
  changes.map((change) => (change === undefined ? seen({}) : seen({ shop: change })));
const times = (count: number, change: Partial<Traffic>): Partial<Traffic>[] => Array.from({ length: count }, () => change);

test.each<[string, TrafficReading, TrafficReading[], ReturnType<typeof judgeWave>]>([
  [
    'as before',
    seen({ shop: {} }),
    shop(...times(10, {})),
    { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %, p99 97 ms → 97 ms, 120 requests/s'] },
  ],
  [
    '5xx doubled in three looks of the last five',
    seen({ shop: {} }),
    shop({}, { errorShare: 0.012 }, {}, { errorShare: 0.012 }, { errorShare: 0.018 }),
    { kind: 'fail', lines: ['shop: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)'] },
  ],
  [
    'a blip of two looks, as a restart makes it',
    seen({ shop: {} }),
    shop({ errorShare: 0.3 }, { errorShare: 0.3 }, {}, {}, {}),
    { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %, p99 97 ms → 97 ms, 120 requests/s'] },
  ],
  [
    '5xx tripled below one per cent: noise',
    seen({ shop: { errorShare: 0.001 } }),
    shop(...times(5, { errorShare: 0.003 })),
    { kind: 'pass', lines: ['shop: 5xx 0.1 % → 0.3 %, p99 97 ms → 97 ms, 120 requests/s'] },
  ],
  [
    'many 5xx, as many before',
    seen({ shop: { errorShare: 0.05 } }),
    shop(...times(5, { errorShare: 0.06 })),
    { kind: 'pass', lines: ['shop: 5xx 5 % → 6 %, p99 97 ms → 97 ms, 120 requests/s'] },
  ],
  [
    'half as slow again',
    seen({ shop: {} }),
    shop(...times(4, { p99Ms: 1600 })),
    { kind: 'fail', lines: ['shop: p99 97 ms → 1.6 s (4 of the last 4 readings)'] },
  ],
  [
    'three times as slow within 50 ms: noise',
    seen({ shop: { p99Ms: 10 } }),
    shop(...times(3, { p99Ms: 30 })),
    { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %, p99 10 ms → 30 ms, 120 requests/s'] },
  ],
  [
    'without a histogram',
    seen({ shop: { p99Ms: undefined } }),
    shop(...times(3, { p99Ms: undefined })),
    { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %, latency unknown, 120 requests/s'] },
  ],
  [
    'no traffic, neither before nor after',
    seen({}),
    shop(undefined, undefined, undefined),
    { kind: 'inconclusive', lines: ['shop: no traffic'] },
  ],
  [
    'so little traffic that one error is three per cent',
    seen({ shop: { requestsPerSecond: 0.2 } }),
    shop(...times(5, { requestsPerSecond: 0.2, errorShare: 0.5 })),
    { kind: 'inconclusive', lines: ['shop: no traffic'] },
  ],
  [
    'traffic that has gone with the move',
    seen({ shop: {} }),
    shop(undefined, undefined, undefined),
    { kind: 'inconclusive', lines: ['shop: 120 requests/s before, too little traffic since'] },
  ],
  [
    'traffic that came with the move, all of it 5xx',
    seen({}),
    shop(...times(3, { errorShare: 1 })),
    { kind: 'fail', lines: ['shop: 5xx 100 % (before: not known) (3 of the last 3 readings)'] },
  ],
  [
    'Prometheus away before the move',
    BLIND,
    shop(...times(5, { errorShare: 1 })),
    {
      kind: 'inconclusive',
      lines: [
        'The traffic could not be judged: asking Prometheus: it is away.',
        'shop: 5xx 100 % (before: not known) (5 of the last 5 readings)',
      ],
    },
  ],
  [
    'Prometheus away since',
    seen({ shop: {} }),
    [...shop({}, {}), BLIND, BLIND],
    { kind: 'inconclusive', lines: ['The traffic could not be judged: asking Prometheus: it is away.'] },
  ],
  [
    'Prometheus away for a moment',
    seen({ shop: {} }),
    [...shop({}, {}), BLIND, ...shop({})],
    { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %, p99 97 ms → 97 ms, 120 requests/s'] },
  ],
])('%s', (_title, before, looks, verdict) => {
  expect(judgeWave(before, looks, ['shop'])).toEqual(verdict);
  expect(isFailing(before, looks, ['shop'])).toBe(verdict.kind === 'fail');
});

describe('several namespaces', () => {
  const many = Array.from({ length: 9 }, (_, index) => `team-${index + 1}`);
  const all = (change: Partial<Traffic>, ill?: string): TrafficReading =>
    seen(Object.fromEntries(many.map((name) => [name, name === ill ? change : {}])));

  test('one that fails fails the wave and stands first', () => {
    const looks = times(5, {}).map(() => all({ errorShare: 0.5 }, 'team-7'));
    const { kind, lines } = judgeWave(all({}), looks, many);
    expect([kind, lines[0], lines.length, lines.at(-1)]).toEqual([
      'fail',
      'team-7: 5xx 0.6 % → 50 % (5 of the last 5 readings)',
      6,
      'and 4 more namespaces',
    ]);
  });

  test('none at all is no pass', () => {
    const looks = times(5, {}).map(() => all({}));
    expect(judgeWave(all({}), looks, [])).toEqual({ kind: 'inconclusive', lines: ['The wave has no namespaces.'] });
  });

  test('one without traffic leaves the whole open', () => {
    const looks = times(5, {}).map(() => all({}));
    expect(judgeWave(all({}), looks, ['team-1', 'quiet'])).toEqual({
      kind: 'inconclusive',
      lines: ['quiet: no traffic', 'team-1: 5xx 0.6 % → 0.6 %, p99 97 ms → 97 ms, 120 requests/s'],
    });
  });
});
