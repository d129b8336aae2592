/** What people read of a readiness check. */
import { describe, expect, test } from 'vitest';
import type { CheckResult, CheckView } from '../../../domain/run/notifications.ts';
import type { OpenFinding } from '../../../domain/readiness/summary.ts';
import { checkBlocks } from '../../../slack/blocks/check.ts';
import { CLUSTER, RUN_ID } from '../fixtures.ts';
import { read } from '../reading.ts';

const WHEN = '<!date^1772539200^{time} {date_short_pretty}|2026-03-03 12:00 UTC>';
const ASKED = `Requested by <@U0ALEX>, ${WHEN}`;

const BUDGET: OpenFinding = {
  code: 'K8S018',
  title: 'Budgets can allow an eviction',
  severity: 'required',
  status: 'fail',
  message: '4 budgets never allow one.',
  remediation: 'Set maxUnavailable to 1.',
  named: ['PodDisruptionBudget shop/cart', 'PodDisruptionBudget shop/web', 'PodDisruptionBudget shop/`x`', 'PodDisruptionBudget pay/api'],
  resourceCount: 4,
};
const QUOTA: OpenFinding = {
  code: 'AWS007',
  title: 'There is room for another instance',
  severity: 'recommended',
  status: 'unknown',
  message: 'Quotas could not be read: AWS said no.',
  named: [],
  resourceCount: 0,
};

function view(progress: CheckView['progress']): CheckView {
  return { cluster: CLUSTER, target: '1.32', requestedBy: { kind: 'slack', id: 'U0ALEX' }, startedAt: '2026-03-03T12:00:00Z', progress };
}

function done(summary: Partial<CheckResult['summary']>, rest: Omit<CheckResult, 'summary'> = {}): ReturnType<typeof read> {
  const counts = { required: 0, recommended: 0, unknown: 0, waived: 1, passed: 60 };
  const base = { cluster: CLUSTER, from: '1.31', target: '1.32', checkedAt: '2026-03-03T12:01:00Z', verdict: 'ready' as const, counts };
  return read(checkBlocks(view({ kind: 'done', summary: { ...base, open: [], ...summary }, ...rest }), RUN_ID));
}

describe('a check', () => {
  test('says that it runs and changes nothing', () => {
    const { text, buttons } = read(checkBlocks(view({ kind: 'running' }), RUN_ID));
    expect(text).toBe(`# 🔎 Checking staging for 1.32\nReads the cluster and changes nothing.\n${ASKED}`);
    expect(buttons).toEqual([]);
  });

  test('has the worst findings with what to do, how many more there are, and where the report is', () => {
    const counts = { required: 1, recommended: 2, unknown: 1, waived: 0, passed: 56 };
    const { text, buttons } = done({ verdict: 'required-findings', counts, open: [BUDGET, QUOTA] });
    expect(text).toBe(
      [
        '# ❌ Not ready: staging 1.31 → 1.32',
        '*1 required* · 2 recommended · 1 unknown · 0 waived · 56 passed',
        '🚫 *K8S018 Budgets can allow an eviction*',
        '4 budgets never allow one.',
        "`PodDisruptionBudget shop/cart`, `PodDisruptionBudget shop/web`, `PodDisruptionBudget shop/'x'` and 1 more",
        '→ Set maxUnavailable to 1.',
        '❔ *AWS007 There is room for another instance*',
        'Quotas could not be read: AWS said no.',
        '2 more findings in the report',
        'The whole report is attached in the thread',
        ASKED,
        '',
      ].join('\n'),
    );
    expect(buttons).toEqual(['check/again Check again', 'check/plan Plan the upgrade']);
  });

  test('a ready cluster is short; without the file it says how to see the report', () => {
    const { text } = done({}, { notAttached: 'attaching x in C0: Slack answered missing_scope (files:write)' });
    expect(text).toBe(
      [
        '# ✅ Ready: staging 1.31 → 1.32',
        '*0 required* · 0 recommended · 0 unknown · 1 waived · 60 passed',
        'Could not attach the report: attaching x in C0: Slack answered missing_scope (files:write). ' +
          'Get it with `belay check staging --target 1.32 --format html --output report.html`',
        ASKED,
        '',
      ].join('\n'),
    );
  });

  test('what could not be seen is no pass', () => {
    const { text } = done({
      verdict: 'unknowns-only',
      counts: { required: 0, recommended: 0, unknown: 1, waived: 0, passed: 59 },
      open: [QUOTA],
    });
    expect(text).toContain('# ❔ Unknown: staging 1.31 → 1.32\n');
    expect(text).toContain('\nReady as far as Belay could see; somebody has to check what is unknown.\n');
  });

  test('one that could not be made says why', () => {
    const { text, buttons } = read(checkBlocks(view({ kind: 'failed', why: 'describing cluster staging: AWS said no' }), RUN_ID));
    expect(text).toBe(`# ⚠ staging could not be checked for 1.32\ndescribing cluster staging: AWS said no\n${ASKED}\n`);
    expect(buttons).toEqual(['check/again Check again', 'check/plan Plan the upgrade']);
  });
});

describe('what has changed', () => {
  const since = '2026-03-03T12:00:00Z';

  test('by finding, with the resources where they are known and their number where they are not', () => {
    const title = 'Workloads have more than one replica';
    const changed = [
      { code: 'K8S012', title, before: 2, now: 2, gone: ['Deployment shop/cart'], come: ['Deployment shop/web'] },
      { code: 'K8S020', title: 'Pods have probes', before: 30, now: 1, gone: [], come: [] },
    ];
    const { text } = done({}, { change: { since, fixed: [BUDGET], added: [QUOTA], changed, unchangedCount: 3 } });
    expect(text).toContain(
      [
        `*Since ${WHEN}*`,
        '✅ Fixed: *K8S018* Budgets can allow an eviction',
        '⚠ New: *AWS007* There is room for another instance',
        '🔁 *K8S012* Workloads have more than one replica: fixed Deployment shop/cart; new Deployment shop/web',
        '🔁 *K8S020* Pods have probes: 30 → 1 resource',
        '3 as before',
      ].join('\n'),
    );
  });

  test('nothing', () => {
    const { text } = done({}, { change: { since, fixed: [], added: [], changed: [], unchangedCount: 4 } });
    expect(text).toContain(`*Since ${WHEN}*\nNothing has changed: 4 as before\n`);
  });

  test('much of it is counted', () => {
    const fixed = Array.from({ length: 23 }, () => BUDGET);
    const { text } = done({}, { change: { since, fixed, added: [], changed: [], unchangedCount: 0 } });
    expect(text.match(/Fixed: /g)).toHaveLength(20);
    expect(text).toContain('… and 3 more changes\n0 as before');
  });
});
