/** Does istiod count the proxies of a wave? What it does not show is no pass. */
import { expect, test } from 'vitest';
import { type ConnectedReading, judgeConnections } from '../../../../domain/health/mesh/wave-connections.ts';

const seen = (versions: Record<string, number>): ConnectedReading => ({ kind: 'seen', versions });
const MOVED = { podCount: 4, minor: '1.30' };

test.each<[string, ConnectedReading, ConnectedReading, typeof MOVED, ReturnType<typeof judgeConnections>]>([
  [
    'as many more as there are pods, of whatever patch',
    seen({ '1.28.3': 10, '1.30.1': 2 }),
    seen({ '1.28.3': 6, '1.30.1': 2, '1.30.2': 4 }),
    MOVED,
    { kind: 'pass', lines: ['istiod counts 6 connected proxies of 1.30, 4 more than before the move'] },
  ],
  [
    'fewer than there are pods',
    seen({ '1.28.3': 10 }),
    seen({ '1.28.3': 9, '1.30.2': 1 }),
    MOVED,
    { kind: 'inconclusive', lines: ['istiod counts 1 connected proxy of 1.30, 1 more than before the move, for 4 pods'] },
  ],
  [
    'others of that version ended meanwhile',
    seen({ '1.30.2': 9 }),
    seen({ '1.30.2': 7 }),
    MOVED,
    { kind: 'inconclusive', lines: ['istiod counts 7 connected proxies of 1.30, 2 fewer than before the move, for 4 pods'] },
  ],
  [
    'a wave without pods proves nothing',
    seen({ '1.30.2': 2 }),
    seen({ '1.30.2': 2 }),
    { ...MOVED, podCount: 0 },
    { kind: 'inconclusive', lines: ['istiod counts 2 connected proxies of 1.30, 0 more than before the move; the wave has none'] },
  ],
  [
    'Prometheus away before the move',
    { kind: 'blind', why: 'it answered 502' },
    seen({ '1.30.2': 4 }),
    MOVED,
    { kind: 'inconclusive', lines: ['How many proxies are connected is not known: it answered 502.'] },
  ],
  [
    'Prometheus away after the move',
    seen({ '1.28.3': 10 }),
    { kind: 'blind', why: 'it answered 503' },
    MOVED,
    { kind: 'inconclusive', lines: ['How many proxies are connected is not known: it answered 503.'] },
  ],
])('%s', (_title, before, after, moved, verdict) => expect(judgeConnections(before, after, moved)).toEqual(verdict));
