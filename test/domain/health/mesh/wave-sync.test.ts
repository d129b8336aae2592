/** Who names each proxy of a wave knows more than who counts them; what was not read decides nothing. */
import { expect, test } from 'vitest';
import type { WaveVerdict } from '../../../../domain/health/mesh/wave-health.ts';
import { type ProxySync, type SyncReading, withSync } from '../../../../domain/health/mesh/wave-sync.ts';

const COUNTED: WaveVerdict = { kind: 'inconclusive', lines: ['istiod counts 1 connected proxy of 1.30'] };
const ENOUGH: WaveVerdict = { kind: 'pass', lines: ['istiod counts 9 connected proxies of 1.30'] };
const seen = (...proxies: ProxySync[]): SyncReading => ({ kind: 'seen', proxies });
const pods = (count: number): string[] => Array.from({ length: count }, (_, index) => `shop/web-${index + 1}`);
const synced = (count: number): ProxySync[] => pods(count).map((pod) => ({ pod }));

test.each<[string, WaveVerdict, SyncReading, string[], WaveVerdict]>([
  [
    'all are there: it passes, although fewer were counted',
    COUNTED,
    seen(...synced(3)),
    pods(2),
    { kind: 'pass', lines: ['2 proxies are connected to istiod of 1-30 and in sync (syncz)'] },
  ],
  [
    'all are there, as counted',
    ENOUGH,
    seen(...synced(1)),
    pods(1),
    { kind: 'pass', lines: [...ENOUGH.lines, '1 proxy is connected to istiod of 1-30 and in sync (syncz)'] },
  ],
  [
    'some are missing or stale: no pass, whatever was counted',
    ENOUGH,
    seen({ pod: 'shop/web-2', stale: 'clusters, routes' }),
    pods(7),
    {
      kind: 'inconclusive',
      lines: [
        'istiod of 1-30 does not have all proxies in sync (syncz):',
        'shop/web-1: not connected',
        'shop/web-2: STALE (clusters, routes)',
        'shop/web-3: not connected',
        'shop/web-4: not connected',
        'shop/web-5: not connected',
        'and 2 more',
        ...ENOUGH.lines,
      ],
    },
  ],
  ['a wave without pods proves nothing by being in sync', COUNTED, seen(...synced(2)), [], COUNTED],
  [
    'syncz was not read: what was counted stands, and that is said',
    COUNTED,
    { kind: 'blind', why: 'not permitted' },
    pods(2),
    { kind: 'inconclusive', lines: [...COUNTED.lines, 'Which proxies are in sync was not read (syncz): not permitted'] },
  ],
])('%s', (_title, counted, reading, of, verdict) => {
  expect(withSync(counted, { reading, pods: of, revision: '1-30' })).toEqual(verdict);
});
