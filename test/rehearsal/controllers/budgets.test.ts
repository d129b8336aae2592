/** Karpenter's budgets, by its own rules. */
import { describe, expect, test } from 'vitest';
import { allowedByBudgets, type Budget } from '../../../rehearsal/controllers/karpenter/budgets.ts';
import { windowOpen } from '../../../rehearsal/controllers/karpenter/schedule.ts';

/** A Tuesday. */
const TUESDAY_NOON = new Date('2025-04-29T12:00:00Z');

describe('allowedByBudgets', () => {
  test.each<[string, Budget[] | undefined, number, number]>([
    ['an absent field means ten per cent', undefined, 32, 4],
    ['an empty list means no limit', [], 32, Number.POSITIVE_INFINITY],
    ['percentages round up', [{ nodes: '10%' }], 3, 1],
    ['the least of several counts', [{ nodes: '50%' }, { nodes: '2' }], 10, 2],
    ['a frozen reason allows nothing', [{ nodes: '10%' }, { nodes: '0', reasons: ['Drifted'] }], 32, 0],
    ['other reasons do not count', [{ nodes: '20%' }, { nodes: '0', reasons: ['Underutilized', 'Empty'] }], 12, 3],
    ['only other reasons: no limit', [{ nodes: '0', reasons: ['Empty'] }], 12, Number.POSITIVE_INFINITY],
    ['an open window counts', [{ nodes: '10%' }, { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }], 32, 0],
    ['a closed window does not', [{ nodes: '10%' }, { nodes: '0', schedule: '0 9 * * sat', duration: '8h' }], 32, 4],
    ['an unreadable schedule allows nothing', [{ nodes: '10%' }, { nodes: '5', schedule: 'at noon', duration: '8h' }], 32, 0],
    ['an unreadable count allows nothing', [{ nodes: '101%' }], 32, 0],
  ])('%s', (_what, budgets, nodes, allowed) => {
    expect(allowedByBudgets(budgets, nodes, 'Drifted', TUESDAY_NOON)).toBe(allowed);
  });
});

describe('windowOpen', () => {
  test.each([
    ['0 9 * * mon-fri', '8h', '2025-04-29T16:59:00Z', true],
    ['0 9 * * mon-fri', '8h', '2025-04-29T17:00:00Z', false],
    ['0 9 * * 1-5', '8h', '2025-04-27T10:00:00Z', false],
    ['*/15 * * * *', '5m', '2025-04-29T12:34:00Z', true],
    ['*/15 * * * *', '5m', '2025-04-29T12:36:00Z', false],
    ['@daily', '1h30m', '2025-04-29T01:29:00Z', true],
    ['0 22 * * *', '4h', '2025-04-29T01:00:00Z', true],
    ['0 0 1 jan *', '24h', '2025-01-01T23:00:00Z', true],
    ['0 9 * *', '8h', '2025-04-29T10:00:00Z', undefined],
    ['0 9 * * *', '8 hours', '2025-04-29T10:00:00Z', undefined],
    ['0 25 * * *', '8h', '2025-04-29T10:00:00Z', undefined],
  ])('%s for %s at %s: %s', (schedule, duration, at, open) => {
    expect(windowOpen(schedule, duration, new Date(at))).toBe(open);
  });
});
