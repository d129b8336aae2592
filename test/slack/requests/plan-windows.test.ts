/** What a plan says of maintenance windows and of the order of environments, in Slack and in a terminal. */
import { expect, test } from 'vitest';
import { renderPlan } from '../../../cli/render/plan.ts';
import { windowsOfPlan } from '../../../activities/run/windows/of-plan.ts';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import type { PlanOrder } from '../../../domain/policy/environments.ts';
import type { TriedCheck } from '../../../domain/health/checks.ts';
import type { PlanWindows } from '../../../domain/policy/windows.ts';
import { planBlocks } from '../../../slack/blocks/plan.ts';
import { windowGate } from '../../../workflows/messages/windows.ts';
import { plan } from '../fixtures.ts';
import { read } from '../reading.ts';

const closed: PlanWindows = {
  text: 'Sat 22:00–04:00 Europe/Berlin',
  outside: 'queue',
  verdict: { kind: 'closed', why: 'it is Thu 13:00', now: '2026-01-15T12:00:00Z', opensText: 'Sat 2026-01-17 22:00 Europe/Berlin' },
};
const LINE =
  'aintenance windows: Sat 22:00–04:00 Europe/Berlin; closed now: it is Thu 13:00; the next one opens Sat 2026-01-17 22:00 Europe/Berlin.';

test('P1: a plan names the windows and when the next one opens', () => {
  expect(read(planBlocks(plan(), { windows: closed })).text).toContain(LINE);
  expect(renderPlan({ kind: 'plan', plan: plan(), windows: closed })).toContain(`M${LINE}`);
});

test('F43: a monthly window is named as people call it, and its next opening in the time of whoever reads it', () => {
  const tuesday = { days: ['tue' as const], weeksOfMonth: [2 as const], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin' };
  const windows = windowsOfPlan(plan(), { ...DEFAULT_WINDOWS, maintenance: [tuesday] }, '2026-03-20T12:00:00Z');
  const line =
    'aintenance windows: 2nd Tue 02:30–05:00 Europe/Berlin; closed now: it is Fri 2026-03-20 13:00 Europe/Berlin, outside the maintenance windows (2nd Tue 02:30–05:00 Europe/Berlin); the next one opens ';
  expect(read(planBlocks(plan(), { windows })).text).toContain(
    `${line}<!date^1776126600^{time} {date_short_pretty}|2026-04-14 00:30 UTC>.`,
  );
  expect(renderPlan({ kind: 'plan', plan: plan(), windows })).toContain(`M${line}Tue 2026-04-14 02:30 Europe/Berlin (UTC+02:00).`);
});

test('F43: the gate of a run that waits for it names the opening with its offset', () => {
  const verdict = {
    kind: 'closed' as const,
    why: 'no window is open',
    now: '2026-03-20T12:00:00.000Z',
    opensText: 'Tue 2026-04-14 02:30 Europe/Berlin (UTC+02:00)',
  };
  const gate = windowGate({ title: 'Control plane 1.31 → 1.32', undo: '', waitMs: 24 * 24 * 60 * 60_000 }, verdict);
  expect(gate.next).toBe(
    "Continues by itself once belay.yaml's windows allow it; the next window opens Tue 2026-04-14 02:30 Europe/Berlin (UTC+02:00).",
  );
  expect(gate.evidence).toContainEqual({ title: 'Next window', lines: ['Tue 2026-04-14 02:30 Europe/Berlin (UTC+02:00), in 24 d'] });
});

test('an open one is said, and where there are none nothing is', () => {
  const open: PlanWindows = { ...closed, verdict: { kind: 'open' } };
  expect(renderPlan({ kind: 'plan', plan: plan(), windows: open })).toContain('Sat 22:00–04:00 Europe/Berlin; open now');
  expect(renderPlan({ kind: 'plan', plan: plan() })).not.toContain('windows');
});

test.each<[PlanOrder['status'], string, string, string]>([
  ['pass', '✅', 'it does', 'staging is at 1.32, upgraded 2026-01-05 (10 days ago)'],
  ['fail', '⏳', 'not yet', 'staging is at 1.31, not at 1.32'],
  ['unknown', '❔', 'that is not known', 'staging cannot be read: access denied'],
])('a plan names the environment that comes first, and whether it has baked: %s', (verdict, icon, met, line) => {
  const order: PlanOrder = { environment: 'staging', bakedDays: 3, status: verdict, lines: [line] };
  const text = `After staging, which must have been at 1.32 for 3 days: ${met}; ${line}`;
  expect(read(planBlocks(plan(), { order })).text).toContain(`${icon} ${text}`);
  expect(renderPlan({ kind: 'plan', plan: plan(), order })).toContain(text);
  expect(renderPlan({ kind: 'plan', plan: plan() })).not.toContain('After ');
});

test('what is blind is said in Slack and in a terminal; what sees is not', () => {
  const health: TriedCheck[] = [
    { name: 'launches', kind: 'blind', hint: 'There is no such metric.' },
    { name: 'dns-errors', kind: 'live', baseline: 0 },
  ];
  const text = 'BLIND launches: its query has no series, so nothing is watched by it. There is no such metric.';
  for (const shown of [read(planBlocks(plan(), { health })).text, renderPlan({ kind: 'plan', plan: plan(), health })]) {
    expect(shown).toContain(text);
    expect(shown).not.toContain('dns-errors');
  }
});
