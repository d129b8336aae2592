/** Until when a control plane can go back, from EKS's list of updates and its clock. */
import { describe, expect, test } from 'vitest';
import { type VersionChange, wayBack } from '../../../domain/facts/rollback-window.ts';

const UP: VersionChange = { type: 'VersionUpdate', to: '1.33', createdAt: '2026-11-02T09:00:00.000Z' };
const BEFORE: VersionChange = { type: 'VersionUpdate', to: '1.32', createdAt: '2026-06-02T09:00:00.000Z' };
const DOWN: VersionChange = { type: 'VersionRollback', to: '1.32', createdAt: '2026-11-03T09:00:00.000Z' };
const WINDOW = { at: '1.33', backTo: '1.32', movedAt: UP.createdAt, closesAt: '2026-11-09T09:00:00.000Z' };

describe('wayBack', () => {
  test.each([
    { what: 'on day 2', version: '1.33', changes: [UP, BEFORE], now: '2026-11-04T09:00:00Z', back: { kind: 'open', window: WINDOW } },
    { what: 'a second before', version: '1.33', changes: [UP], now: '2026-11-09T08:59:59Z', back: { kind: 'open', window: WINDOW } },
    { what: 'on day 8', version: '1.33', changes: [BEFORE, UP], now: '2026-11-09T09:00:00Z', back: { kind: 'closed', window: WINDOW } },
    {
      what: 'created at this version',
      version: '1.33',
      changes: [],
      now: '2026-11-04T09:00:00Z',
      back: { kind: 'none', why: 'never-moved' },
    },
    {
      what: 'EKS lists another version last',
      version: '1.33',
      changes: [BEFORE],
      now: '2026-11-04T09:00:00Z',
      back: { kind: 'none', why: 'never-moved' },
    },
    {
      what: 'at what is no version',
      version: 'next',
      changes: [{ ...UP, to: 'next' }],
      now: '2026-11-04T09:00:00Z',
      back: { kind: 'none', why: 'never-moved' },
    },
    {
      what: 'rolled back already',
      version: '1.32',
      changes: [DOWN, UP, BEFORE],
      now: '2026-11-04T09:00:00Z',
      back: { kind: 'none', why: 'rolled-back' },
    },
  ] as const)('$what', ({ version, changes, now, back }) => {
    expect(wayBack(version, changes, now)).toEqual(back);
  });
});
