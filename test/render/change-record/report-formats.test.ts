/** The change record for tickets and browsers: names of a cluster are shown, never interpreted, and what is missing is said. */
import { describe, expect, test } from 'vitest';
import { renderRecordHtml } from '../../../render/change-record/html.ts';
import { renderRecordMarkdown } from '../../../render/change-record/markdown.ts';
import { type ChangeRecord, iacNotesOf } from '../../../render/change-record/record.ts';
import { renderReport } from '../../../cli/render/status.ts';
import { timelineSvg } from '../../../render/charts/timeline.ts';
import { stripVTControlCharacters } from 'node:util';
import type { ForecastCompared } from '../../../domain/run/forecasts/compare.ts';
import { decided, status } from '../../slack/fixtures.ts';
import { plan, step } from '../../support/plan.ts';

const ODD = '<script>alert(1)</script> | *bold*';

function record(change: Partial<ChangeRecord['report']> = {}): ChangeRecord {
  const base = status({ endedAt: '2026-03-03T13:00:00Z', headline: ODD });
  return { report: { status: base, outcome: 'completed', decisions: [decided()], leftBehind: [], ...change } };
}

describe('the change record', () => {
  test('shows hostile names as text', async () => {
    const html = await renderRecordHtml(record());
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toContain('<script>');
    expect(renderRecordMarkdown(record())).toContain('\\<script\\>alert(1)\\</script\\> \\| \\*bold\\*');
  });

  test.each<[string, ChangeRecord, string]>([
    ['none was kept', record(), 'Audit record: none was kept'],
    ['it is elsewhere', record({ audit: { head: { seq: 3, hash: 'abc' } } }), '3 entries, hash abc; it is not among these records'],
    [
      'its end is missing',
      { ...record({ audit: { head: { seq: 3, hash: 'abc' } } }), audit: { entries: [] } },
      'NOT complete: it ends with entry 0',
    ],
  ])('says of the audit record where %s', (_what, given, text) => {
    expect(renderRecordMarkdown(given)).toContain(text);
  });

  test('compares forecast and fact in each format', async () => {
    const compared: ForecastCompared = {
      snapshotTakenAt: '2026-03-03T10:00:00.000Z',
      madeAt: '2026-03-03T10:05:00.000Z',
      total: { forecast: { p50: 3_600_000, p90: 4_200_000 }, actualMs: 4_500_000, waitedMs: 900_000, within: false },
      steps: [
        {
          id: 'control-plane@1.32',
          title: 'Control plane',
          phase: 'control-plane',
          forecast: { p50: 600_000, p90: 720_000 },
          actualMs: 660_000,
          within: true,
        },
      ],
      blocked: { foreseen: ['shop/web-0'], notForeseen: [ODD], notBlocked: [], unnamedCount: 0 },
      nodes: { forecast: { p50: 7, p90: 8 }, actual: 7 },
    };
    const of = { ...record(), forecast: compared };
    const text = stripVTControlCharacters(renderReport(of.report, [], [], compared));
    expect(text).toContain(
      [
        'Forecast and fact',
        '  Rehearsed on: a snapshot of 2026-03-03 10:00 UTC',
        '  Total: 1 h 15 min from the first step on, of which 15 min at gates; forecast 1 h (p90 1 h 10 min), with assumed decisions: beyond',
        '  Nodes replaced: 7, forecast 7 (p90 8)',
        '  Blocked, as foreseen: shop/web-0',
        `  Blocked, not foreseen: ${ODD}`,
        '  Foreseen, did not block: none',
        '  STEP           FORECAST  P90     TOOK, WITHOUT GATES  VERDICT',
        '  Control plane  10 min    12 min  11 min               within',
      ].join('\n'),
    );
    expect(renderRecordMarkdown(of)).toContain('| Control plane | 10 min | 12 min | 11 min | within |\n');
    const html = await renderRecordHtml(of);
    expect(html).toContain('<h2>Forecast and fact</h2><dl><dt>Rehearsed on</dt>');
    expect(html).toContain('<td>Control plane</td><td>10 min</td><td>12 min</td><td>11 min</td><td>within</td>');
    expect(html).not.toContain('<script>');
    const none = { ...compared, another: 'pace 1', steps: [], nodes: { forecast: { p50: 7, p90: 7 } } };
    const unsure = { ...none, blocked: { foreseen: [], notForeseen: [], notBlocked: [], unnamedCount: 2 } };
    expect(renderRecordMarkdown({ ...of, forecast: unsure })).toContain(
      [
        '- Rehearsed on: a snapshot of 2026-03-03 10:00 UTC; of another plan (pace 1)',
        '- Total: 1 h 15 min from the first step on, of which 15 min at gates; forecast 1 h (p90 1 h 10 min), with assumed decisions: beyond',
        '- Nodes replaced: not counted, forecast 7',
        '- Blocked, as foreseen: none',
        "- Blocked, not foreseen: unknown: the run's plan did not name 2 more pods",
        '- Foreseen, did not block: none',
        '',
      ].join('\n'),
    );
    expect(await renderRecordHtml(record())).not.toContain('Forecast and fact');
  });

  test('what Belay has changed behind the back of Git is said, with the lines to paste', async () => {
    const id = 'karpenter-controller@1.32';
    const chart = { kind: 'HelmRelease', namespace: 'karpenter', name: 'karpenter', chart: 'karpenter', version: '1.1.0' } as const;
    const kept = { ...chart, name: 'crds', chart: 'karpenter-crd', owner: 'Kustomization flux-system/platform' };
    const params = {
      phase: 'karpenter-controller',
      from: '1.1.0',
      to: '1.2.3',
      minimum: '1.2',
      namespace: 'karpenter',
      deployment: 'karpenter',
      managedBy: 'flux',
    } as const;
    const of = (state: 'completed' | 'skipped'): ChangeRecord => {
      const base = record();
      const steps = [{ id, title: 'Karpenter', state, expectedMs: 0 }];
      const change = step('karpenter-controller', { params: { ...params, delivery: { kind: 'gitops', charts: [kept, chart] } } });
      return {
        ...base,
        report: { ...base.report, status: status({ steps }) },
        plan: { ...plan(['karpenter-controller']), steps: [change] },
      };
    };
    const yaml = 'spec:\n  chart:\n    spec:\n      chart: karpenter\n      version: "1.2.3"';
    expect(renderRecordMarkdown(of('completed'))).toContain(
      `HelmRelease karpenter/karpenter, where it says karpenter 1.1.0:\n\n~~~~yaml\n${yaml}\n~~~~`,
    );
    expect(await renderRecordHtml(of('completed'))).toContain(`<pre>${yaml.replaceAll('"', '&quot;')}</pre>`);
    expect(renderReport(of('completed').report, [], iacNotesOf(of('completed')))).toContain(
      'HelmRelease karpenter/karpenter, where it says karpenter 1.1.0:',
    );
    // Its change came from Git.
    expect(renderRecordMarkdown(of('completed'))).not.toContain('HelmRelease karpenter/crds');
    expect(renderRecordMarkdown(of('skipped'))).not.toContain('To change in Git');
  });

  test('what was not merged when the run ended stands in every form, with what looks again', async () => {
    const merges = [
      { object: 'Application argocd/mesh', state: 'merged', why: 'Synced' },
      { object: 'EC2NodeClass <default>', state: 'not-merged', why: 'last applied as al2023@old' },
    ] as const;
    const given = record({ merges: [...merges] });
    expect(renderRecordMarkdown(given)).toContain(
      '## Not merged yet, as far as could be seen when the run ended\n\n- NOT MERGED: EC2NodeClass \\<default\\>: last applied as al2023@old\n\nbelay reconcile staging looks again.',
    );
    expect(await renderRecordHtml(given)).toContain('<li>NOT MERGED: EC2NodeClass &lt;default&gt;: last applied as al2023@old</li>');
    expect(renderReport(given.report)).toContain('  NOT MERGED: EC2NodeClass <default>: last applied as al2023@old');
    expect(renderReport(given.report)).toContain('belay reconcile staging checks again.');
    expect(renderRecordMarkdown(record({ merges: [merges[0]] }))).not.toContain('Not merged yet');
  });

  test('each step stands beside what was planned for it, and the run beside its plan', async () => {
    const at = (minute: number): string => new Date(Date.UTC(2026, 2, 3, 12, minute)).toISOString();
    const steps = [
      {
        id: 'control-plane@1.32',
        title: 'Control plane',
        state: 'completed',
        startedAt: at(0),
        endedAt: at(12),
        expectedMs: 600_000,
        note: 'it is at 1.32',
      },
      { id: 'add-ons-target@1.32', title: 'Add-ons', state: 'skipped', expectedMs: 300_000 },
    ] as const;
    const planned = [
      step('control-plane', { params: { phase: 'control-plane', from: '1.31', to: '1.32', managedBy: 'eks' } }),
      step('add-ons-target', {
        params: {
          phase: 'add-ons-target',
          to: '1.32',
          changes: [{ name: 'coredns', from: 'v1', to: 'v2', managed: true }],
          managedBy: 'eks',
        },
      }),
    ];
    const base = record();
    const compared = { report: { ...base.report, status: status({ steps: [...steps] }) }, plan: { ...plan([]), steps: planned } };
    const text = renderRecordMarkdown(compared);
    expect(text).toContain('| Control plane | 1.31 → 1.32 | completed | 12 min | 10 min | it is at 1.32 |');
    expect(text).toContain('| Add-ons | coredns v1 → v2 | skipped |  | 5 min |  |');
    expect(text).toContain(
      'Compared with the plan: 1 of 2 steps completed (add-ons-target@1.32 skipped); those that ended took 12 min, expected 10 min',
    );
    expect(await renderRecordHtml(compared)).toContain('<td>Control plane</td><td>1.31 → 1.32</td><td>completed</td>');
  });

  test('times are those of people, and a run in which no step ended has no lengths to compare', () => {
    const { status: ran } = record().report;
    const planned = ran.steps.map(({ id, title, expectedMs }) => ({ id, title, expectedMs, state: 'planned' as const }));
    const text = renderRecordMarkdown(record({ status: status({ steps: planned, endedAt: '2026-03-03T13:00:00Z' }) }));
    expect(text).toMatch(/Compared with the plan: 0 of \d+ steps? completed \([^;]*\)$/m);
    expect(text).toMatch(/From: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    expect(text).toContain('2026-03-03 13:00:00 UTC, ');
  });

  test('a run that never began has no timeline, and says what was left', async () => {
    const never = record({ status: status({ steps: [] }), decisions: [], leftBehind: [{ what: 'budget', why: 'API away', kept: false }] });
    expect(await timelineSvg(never.report)).toBeUndefined();
    const html = await renderRecordHtml(never);
    expect(html).not.toContain('Timeline');
    expect(html).toContain('NOT RESTORED: budget: API away');
  });

  test('what others were asked to change stands in the page with its manifest, and in the Markdown', async () => {
    const ask = { component: 'node-class', name: 'default', version: '1.32', managedBy: 'git' } as const;
    const asked = [{ ...ask, step: 'karpenter-drift@1.32', at: '2026-03-03T12:20:00Z', text: 'spec:\n  amiFamily: <AL2023>' }];
    const html = await renderRecordHtml({ ...record(), asked });
    expect(html).toContain('<h2>Asked of others</h2>');
    expect(html).toContain('node-class default → 1.32 <small>karpenter-drift@1.32, 2026-03-03 12:20:00 UTC, of git</small>');
    expect(html).toContain('<pre>spec:\n  amiFamily: &lt;AL2023&gt;</pre>');
    expect(renderRecordMarkdown({ ...record(), asked })).toContain('amiFamily: <AL2023>');
    expect(await renderRecordHtml(record())).not.toContain('Asked of others');
  });

  test('the picture names every step that ran', async () => {
    const svg = await timelineSvg(record().report);
    for (const { title, startedAt } of status().steps) expect(svg?.includes(title)).toBe(startedAt !== undefined);
  });
});
