/** What a plan says of maintenance windows and of the order of environments, in Slack and in a terminal. */
import { expect, test } from '@jest/globals';
import { renderPlan } from '../../../cli/render/plan.ts';
import type { PlanOrder } from '../../../domain/policy/environments.ts';
import type { TriedCheck } from '../../../domain/health/checks.ts';
import type { PlanWindows } from '../../../domain/policy/windows.ts';
import { planBlocks } from '../../../slack/blocks/plan.ts';
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
  expect(read(planBlocks(plan(), closed)).text).toContain(LINE);
  expect(renderPlan({ kind: 'plan', plan: plan(), windows: closed })).toContain(`M${LINE}`);
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
  const text = `After staging, which has to stand at 1.32 for 3 days: ${met}; ${line}`;
  expect(read(planBlocks(plan(), undefined, order)).text).toContain(`${icon} ${text}`);
  expect(renderPlan({ kind: 'plan', plan: plan(), order })).toContain(text);
  expect(renderPlan({ kind: 'plan', plan: plan() })).not.toContain('After ');
});

test('what is blind is said in Slack and in a terminal; what sees is not', () => {
  const health: TriedCheck[] = [
    { name: 'launches', kind: 'blind', hint: 'There is no such metric.' },
    { name: 'dns-errors', kind: 'live', baseline: 0 },
  ];
  const text = 'BLIND launches: its query has no series, so nothing is watched by it. There is no such metric.';
  for (const shown of [read(planBlocks(plan(), undefined, undefined, health)).text, renderPlan({ kind: 'plan', plan: plan(), health })]) {
    expect(shown).toContain(text);
    expect(shown).not.toContain('dns-errors');
  }
});
