/** Verdicts in the words that people read. */
import { describe, expect, test } from 'vitest';
import { judge } from '../../../../activities/run/windows/judge.ts';
import { windowsOfPlan } from '../../../../activities/run/windows/of-plan.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import type { PhaseId } from '../../../../domain/core/phases.ts';
import type { MaintenanceExclusion, MaintenanceHours, WindowPolicy } from '../../../../domain/policy/windows.ts';
import { plan } from '../../../support/plan.ts';

const HOUR = 60 * 60_000;
const NIGHT: WindowPolicy = {
  ...DEFAULT_WINDOWS,
  maintenance: [{ days: ['sat'], start: '22:00', end: '04:00', timeZone: 'Europe/Berlin' }],
};
const christmas = (change: Partial<MaintenanceExclusion> = {}): MaintenanceExclusion => ({
  from: '2026-12-18',
  until: '2027-01-06',
  timeZone: 'Europe/Berlin',
  scope: 'no-upgrades',
  reason: 'Christmas trade',
  ...change,
});
const ask = (policy: WindowPolicy, now: string, phase: PhaseId = 'control-plane', needMs = HOUR) =>
  judge(policy, { phases: [phase], needMs }, Date.parse(now));

describe('windows', () => {
  test('none are always open', () => {
    expect(ask(DEFAULT_WINDOWS, '2026-01-15T12:00:00Z')).toEqual({ kind: 'open' });
  });

  test('within one it is open, and says until when', () => {
    expect(ask(NIGHT, '2026-01-17T22:00:00Z')).toEqual({ kind: 'open', closesAt: '2026-01-18T03:00:00.000Z' });
  });

  test('outside it says when the next one opens', () => {
    expect(ask(NIGHT, '2026-01-15T12:00:00Z')).toEqual({
      kind: 'closed',
      why: 'it is Thu 2026-01-15 13:00 Europe/Berlin, outside the maintenance windows (Sat 22:00–04:00 Europe/Berlin)',
      now: '2026-01-15T12:00:00.000Z',
      opensAt: '2026-01-17T21:00:00.000Z',
      opensText: 'Sat 2026-01-17 22:00 Europe/Berlin (UTC+01:00)',
    });
  });

  test('P2: one that closes before the expected end is closed already', () => {
    expect(ask(NIGHT, '2026-01-18T02:20:00Z')).toMatchObject({
      kind: 'closed',
      why: 'the window closes Sun 2026-01-18 04:00 Europe/Berlin, in 40 min, and 1 h of it are needed',
      opensAt: '2026-01-24T21:00:00.000Z',
    });
    expect(ask(NIGHT, '2026-01-18T01:59:00Z').kind).toBe('open');
  });

  test('P2: nothing starts in its last minutes, however quick it is', () => {
    expect(ask(NIGHT, '2026-01-18T02:50:00Z', 'add-ons-target', 1000)).toMatchObject({
      kind: 'closed',
      why: expect.stringContaining('15 min of it are needed'),
    });
    expect(ask({ ...NIGHT, lastStartMs: 0 }, '2026-01-18T02:50:00Z', 'add-ons-target', 1000).kind).toBe('open');
  });

  test('what fits into no window is said, instead of waiting for ever in silence', () => {
    const verdict = ask(NIGHT, '2026-01-15T12:00:00Z', 'karpenter-drift', 8 * HOUR);
    expect(verdict).toMatchObject({
      kind: 'closed',
      why: expect.stringContaining('no window of the next year is open for the 8 h that are needed'),
    });
    expect(verdict).not.toHaveProperty('opensAt');
  });
});

describe('F43: a monthly window', () => {
  const monthly = (change: Partial<MaintenanceHours>): WindowPolicy => ({
    ...DEFAULT_WINDOWS,
    maintenance: [{ days: ['tue'], weeksOfMonth: [2], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin', ...change }],
  });

  test('names the next opening more than a fortnight ahead, with the offset that its day has', () => {
    expect(ask(monthly({}), '2026-03-10T04:00:00Z')).toEqual({
      kind: 'closed',
      why: 'it is Tue 2026-03-10 05:00 Europe/Berlin, outside the maintenance windows (2nd Tue 02:30–05:00 Europe/Berlin)',
      now: '2026-03-10T04:00:00.000Z',
      opensAt: '2026-04-14T00:30:00.000Z',
      opensText: 'Tue 2026-04-14 02:30 Europe/Berlin (UTC+02:00)',
    });
  });

  test.each<[string, Partial<MaintenanceHours>, string, string, string]>([
    [
      'a missing hour',
      { days: ['sun'], weeksOfMonth: ['last'] },
      '2026-03-20T12:00:00Z',
      '2026-03-29T01:00:00.000Z',
      'Sun 2026-03-29 03:00 Europe/Berlin (UTC+02:00)',
    ],
    [
      'an hour that comes twice',
      { days: ['sun'], weeksOfMonth: ['last'] },
      '2026-10-20T12:00:00Z',
      '2026-10-25T01:30:00.000Z',
      'Sun 2026-10-25 02:30 Europe/Berlin (UTC+01:00)',
    ],
    ['UTC, which has no other', { timeZone: 'UTC' }, '2026-10-20T12:00:00Z', '2026-11-10T02:30:00.000Z', 'Tue 2026-11-10 02:30 UTC'],
  ])('with its start in %s is named once, with its offset', (_, change, now, opensAt, opensText) => {
    expect(ask(monthly(change), now)).toMatchObject({ kind: 'closed', opensAt, opensText });
    expect(ask(monthly(change), opensAt).kind).toBe('open');
    expect(ask(monthly(change), new Date(Date.parse(opensAt) - 60_000).toISOString()).kind).toBe('closed');
  });

  test('that closes in the hour that comes twice names the offset of its end', () => {
    const night = monthly({ days: ['sat'], weeksOfMonth: ['last', 4], start: '22:00', end: '02:30' });
    expect(ask(night, '2026-10-25T00:00:00Z')).toMatchObject({
      kind: 'closed',
      why: 'the window closes Sun 2026-10-25 02:30 Europe/Berlin (UTC+02:00), in 30 min, and 1 h of it are needed',
    });
  });

  test('behind an exclusion of half a year is still found', () => {
    const frozen = { ...monthly({}), exclusions: [christmas({ until: '2027-06-30' })] };
    expect(ask(frozen, '2026-12-20T00:00:00Z')).toMatchObject({ opensText: 'Tue 2027-07-13 02:30 Europe/Berlin (UTC+02:00)' });
  });
});

describe('exclusions', () => {
  const frozen = (change: Partial<MaintenanceExclusion> = {}): WindowPolicy => ({ ...DEFAULT_WINDOWS, exclusions: [christmas(change)] });

  test('a running one closes all, and says until when; its last day counts to its end', () => {
    expect(ask(frozen(), '2027-01-06T20:00:00Z')).toMatchObject({
      kind: 'closed',
      why: 'maintenance exclusion "Christmas trade" (no-upgrades) lasts until Thu 2027-01-07 00:00 Europe/Berlin',
      opensAt: '2027-01-06T23:00:00.000Z',
    });
    expect(ask(frozen(), '2027-01-06T23:00:00Z')).toEqual({ kind: 'open' });
  });

  test('P2: what would still run when one begins does not start', () => {
    expect(ask(frozen(), '2026-12-17T22:30:00Z')).toMatchObject({
      kind: 'closed',
      why: 'maintenance exclusion "Christmas trade" (no-upgrades) begins Fri 2026-12-18 00:00 Europe/Berlin, in 30 min, and 1 h are needed',
      opensAt: '2027-01-06T23:00:00.000Z',
    });
    expect(ask(frozen({ from: '2026-12-18T08:00' }), '2026-12-17T22:30:00Z').kind).toBe('open');
  });

  test.each<[MaintenanceExclusion['scope'], PhaseId, 'open' | 'closed']>([
    ['no-upgrades', 'istio', 'closed'],
    ['no-upgrades', 'pre-checks', 'open'],
    ['no-minor-upgrades', 'control-plane', 'closed'],
    ['no-minor-upgrades', 'freeze-drift', 'closed'],
    ['no-minor-upgrades', 'karpenter-drift', 'open'],
    ['no-minor-upgrades', 'add-ons-target', 'open'],
    ['no-node-replacement', 'karpenter-drift', 'closed'],
    ['no-node-replacement', 'node-groups', 'closed'],
    ['no-node-replacement', 'other-nodes', 'closed'],
    ['no-node-replacement', 'control-plane', 'open'],
  ])('%s: %s is %s', (scope, phase, kind) => {
    expect(ask(frozen({ scope }), '2026-12-24T12:00:00Z', phase).kind).toBe(kind);
  });

  test('windows within one do not count; the first after it does', () => {
    const both = { ...NIGHT, exclusions: [christmas()] };
    expect(ask(both, '2026-12-20T00:00:00Z')).toMatchObject({ kind: 'closed', opensAt: '2027-01-09T21:00:00.000Z' });
  });
});

describe('a plan', () => {
  test('is judged by its first step that changes something: the freeze and the control plane have to fit together', () => {
    const steps = plan(['pre-checks', 'freeze-drift', 'control-plane'], (step) => ({ ...step, expectedMs: 50 * 60_000 }));
    expect(windowsOfPlan(steps, NIGHT, '2026-01-18T01:30:00Z')).toMatchObject({
      text: 'Sat 22:00–04:00 Europe/Berlin',
      outside: 'refuse',
      verdict: { kind: 'closed', why: expect.stringContaining('1 h 40 min of it are needed') },
    });
    expect(windowsOfPlan(steps, NIGHT, '2026-01-18T01:00:00Z')?.verdict.kind).toBe('open');
  });

  test('without windows says nothing of them', () => {
    expect(windowsOfPlan(plan(), DEFAULT_WINDOWS, '2026-01-18T01:30:00Z')).toBeUndefined();
    expect(windowsOfPlan(plan(['pre-checks']), NIGHT, '2026-01-15T01:30:00Z')).toBeUndefined();
  });
});
