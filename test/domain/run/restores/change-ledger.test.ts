/** Which lines of the ledger say that Temporal's history has lost what a run has done. */
import { describe, expect, test } from 'vitest';
import {
  acceptedUpTo,
  type BegunChange,
  isBegun,
  type LedgerLine,
  lostChanges,
  otherExecutions,
} from '../../../../domain/run/restores/change-ledger.ts';
import { forgottenLines, newestNotice, restoredIn, whyLost } from '../../../../domain/run/restores/restored.ts';

const T0 = Date.parse('2026-11-26T10:00:00Z');
const STEP = 'eks-upgrade/1/eu-central-1/prod/control-plane@1.33';
const change = (seq: number, seconds: number, more: Partial<BegunChange> = {}): BegunChange => ({
  workflowId: STEP,
  runId: 'a',
  activity: `change${seq}`,
  seq,
  scheduledAtMs: T0 + seconds * 1000,
  ...more,
});
const NOW = change(5, 100);

describe('O17: changes that a history has lost', () => {
  test.each<[string, LedgerLine[], number[]]>([
    ['none: the ledger is empty', [], []],
    ['none: what came before', [change(3, 50), change(4, 60)], []],
    ['none: an earlier attempt of it', [change(5, 100)], []],
    ['none: begun beside it, scheduled in the same moment', [change(6, 100)], []],
    ['none: a later one overtook it', [change(7, 130)], []],
    ['none: clocks of two servers differ a little', [change(6, 99.5)], []],
    ['the same number, scheduled at another time', [change(4, 60), change(5, 61)], [5]],
    ['later numbers that were scheduled earlier', [change(6, 70), change(7, 80)], [6, 7]],
    ['none: of another execution of the step', [change(6, 70, { runId: 'b' })], []],
    ['none: people have let the run continue since', [change(6, 70), { accepted: '2026-11-26T10:01:30Z' }], []],
    ['a second restore, after people let it continue', [change(6, 70), { accepted: '2026-11-26T10:01:15Z' }, change(5, 80)], [5]],
  ])('%s', (_what, lines, lost) => {
    expect(lostChanges(lines, NOW).map(({ seq }) => seq)).toEqual(lost);
  });

  test('later attempts are told from the same number after a restore', () => {
    expect(isBegun([change(5, 100)], NOW)).toBe(true);
    expect(isBegun([change(5, 61)], NOW)).toBe(false);
  });

  test('other executions are asked about, the newest first and not without end, and not when long ended', () => {
    const others = Array.from({ length: 12 }, (_, n) => change(1, n, { workflowId: `${STEP}-${n}` }));
    expect(otherExecutions([...others, change(4, 90)], NOW).map(({ workflowId }) => workflowId.slice(STEP.length))).toEqual([
      '-11',
      '-10',
      '-9',
      '-8',
      '-7',
      '-6',
      '-5',
      '-4',
    ]);
    expect(otherExecutions([change(1, -8 * 24 * 3_600, { runId: 'old' })], NOW)).toEqual([]);
  });

  test('the latest restore that was accepted counts', () => {
    expect(acceptedUpTo([])).toBe('');
    expect(acceptedUpTo([{ accepted: '2026-11-26T10:02:00.000Z' }, { accepted: '2026-11-26T10:01:00.000Z' }])).toBe(
      '2026-11-26T10:02:00.000Z',
    );
  });
});

describe('what people read of it', () => {
  test('lines name time, change and step, the newest last', () => {
    expect(forgottenLines([change(6, 70, { activity: 'b' }), change(5, 60, { activity: 'a' })])).toEqual([
      '2026-11-26T10:01:00Z a of control-plane@1.33',
      '2026-11-26T10:01:10Z b of control-plane@1.33',
    ]);
    const many = Array.from({ length: 20 }, (_, n) => change(n, n));
    expect(forgottenLines(many)).toHaveLength(9);
    expect(forgottenLines(many)[0]).toBe('12 earlier ones');
  });

  test.each<[BegunChange[], string]>([
    [[change(5, 60)], "a change begun up to 2026-11-26T10:01:00Z (40 s before) is not in Temporal's history any more"],
    [[change(5, 60), change(6, 70)], "2 changes begun up to 2026-11-26T10:01:10Z (30 s before) are not in Temporal's history any more"],
  ])('why', (lost, why) => {
    expect(whyLost(lost, NOW)).toBe(why);
  });

  test('details of another shape are none', () => {
    expect(restoredIn({ at: 'x', why: 'y', forgotten: [1], record: [] })).toEqual({ at: 'x', why: 'y', forgotten: ['1'], record: [] });
    for (const other of [undefined, null, 'text', {}, { at: 1, why: 'y', forgotten: [], record: [] }, { at: 'x', why: 'y' }])
      expect(restoredIn(other)).toBeUndefined();
    expect(newestNotice([])).toBeUndefined();
  });
});
