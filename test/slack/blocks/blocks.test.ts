/** What people read: boards, notes, plans, reports. */
import { describe, expect, test } from 'vitest';
import { boardBlocks } from '../../../slack/blocks/board.ts';
import { noteBlocks } from '../../../slack/blocks/note.ts';
import { paceBlocks } from '../../../slack/blocks/pace.ts';
import { planBlocks, refusedBlocks } from '../../../slack/blocks/plan.ts';
import { reportBlocks } from '../../../slack/blocks/report.ts';
import { decided, gate, NOW_MS, pace, plan, RUN_ID, status, WORKFLOW_ID } from '../fixtures.ts';
import { read } from '../reading.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import type { MergeFinding } from '../../../domain/run/record/merge-finding.ts';

const GATE = {
  workflowId: WORKFLOW_ID,
  id: gate().id,
  title: gate().title,
  choices: ['approve', 'reject'],
  expiresAt: gate().expiresAt,
};

describe('board', () => {
  test('shows each step with its state, how long it took or takes, the freeze, and who asked', () => {
    const { text, buttons } = read(
      boardBlocks({ status: status(), plan: plan(), temporalUi: 'http://127.0.0.1:8233', approvers: ['U0SAM', 'S0PLATFORM'] }, NOW_MS),
    );
    expect(text).toBe(
      [
        '# staging 1.31 → 1.32',
        '▶ *Running* – The control plane moves to 1.32',
        '✅ Pre-checks · 2 min',
        '▶ *Control plane to 1.32* · 3 min of ~10 min – EKS says InProgress',
        '      ▓▓▓░░░░░░░',
        '○ Node groups · ~25 min',
        '❄ Karpenter drift is frozen: 2 node pools',
        'Requested by <@U0ALEX>, <!date^1772539200^{time} {date_short_pretty}|2026-03-03 12:00 UTC>',
        '1 of 3 steps done · 10 min so far · about 32 min of work left, done <!date^1772541720^{time} {date_short_pretty}|2026-03-03 12:42 UTC> at the earliest',
        'nodes every-hop · plan abcdef01234…',
        'Approvers: <!subteam^S0PLATFORM> <@U0SAM>',
        `<http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}/${RUN_ID}|Open in Temporal UI>`,
        '',
      ].join('\n'),
    );
    expect(buttons).toEqual(['upgrade/pause Pause', 'upgrade/handover Hand over', 'upgrade/abort Abort']);
  });

  test.each<[UpgradeStatus['freeze'], string | undefined]>([
    [{ state: 'frozen', note: '2 node pools' }, '❄ Karpenter drift is frozen: 2 node pools'],
    [{ state: 'pacing', note: '20%' }, '🐢 Karpenter replaces nodes, at most 20% at a time in each node pool'],
    [{ state: 'pacing' }, '🐢 Karpenter replaces nodes at a limited pace'],
    [{ state: 'lifted' }, '☀ The freeze is lifted'],
    [{ state: 'kept' }, '❄ The freeze is kept on purpose'],
    [{ state: 'not-restored', note: 'pool a' }, '🚨 The freeze could not be restored: pool a'],
    [{ state: 'none' }, undefined],
  ])('the freeze %j: a line of its own after the steps, or none', (freeze, line) => {
    const texts = boardBlocks({ status: status({ freeze }) }, NOW_MS).blocks.flatMap((block) =>
      block.type === 'section' ? (block.text?.text ?? []) : [],
    );
    expect(texts.slice(2)).toEqual(line === undefined ? [] : [line]);
  });

  test('shows an open gate, and Resume instead of Pause once a pause was asked for', () => {
    const { text, buttons } = read(boardBlocks({ status: status({ state: 'waiting', gates: [GATE], pauseRequested: true }) }, NOW_MS));
    expect(text).toContain('⏳ *Waiting for a decision (in the thread):* Move the control plane to 1.32? Decide by <!date^1772625900^');
    expect(text).not.toContain('*Waiting*');
    expect(text).toContain('pause requested: the running step finishes first');
    expect(buttons).toEqual(['upgrade/resume Resume', 'upgrade/handover Hand over', 'upgrade/abort Abort']);
  });

  test('O37: a queue that nobody polls stands before all else, also before a gate, and no longer once the run has ended', () => {
    const waitsForWorker = 'No worker polls task queue "belay-dmz": the cluster cannot be reached';
    const shown = boardBlocks({ status: status({ state: 'waiting', gates: [GATE], waitsForWorker }) }, NOW_MS);
    expect(read(shown).text).toMatch(
      /🛑 \*No worker polls task queue "belay-dmz": the cluster cannot be reached\*[^]*Waiting for a decision/,
    );
    expect(shown.text).toContain('No worker polls task queue "belay-dmz"');
    expect(read(boardBlocks({ status: status({ state: 'aborted', waitsForWorker }) }, NOW_MS)).text).not.toContain('belay-dmz');
  });

  test('a step under way has a bar: of what is counted, else of its time, which alone never fills it', () => {
    const step = { id: 'x@1.32', title: 'Nodes', state: 'running' as const, startedAt: '2026-03-03T12:00:00Z', expectedMs: 60_000 };
    const line = (change: object): string => read(boardBlocks({ status: status({ steps: [{ ...step, ...change }] }) }, NOW_MS)).text;
    expect(line({ rolled: { doneCount: 12, totalCount: 30, unit: 'node' } })).toContain(
      '▶ *Nodes* · 10 min of ~1 min\n      ▓▓▓▓░░░░░░ 12 of 30 nodes\n',
    );
    expect(line({ rolled: { doneCount: 29, totalCount: 30, unit: 'node' } })).toContain('▓▓▓▓▓▓▓▓▓░ 29 of 30 nodes');
    expect(line({})).toContain('▓▓▓▓▓▓▓▓▓░\n');
    expect(line({ state: 'completed' })).not.toContain('▓');
  });

  test('a step under way is compared with what is usual here, and says when it takes longer', () => {
    const usual = { minMs: 540_000, maxMs: 840_000, count: 4, of: 'cluster' as const };
    const step = { id: 'x@1.32', title: 'Nodes', state: 'running' as const, startedAt: '2026-03-03T12:00:00Z', expectedMs: 660_000, usual };
    const line = (change: object): string => read(boardBlocks({ status: status({ steps: [{ ...step, ...change }] }) }, NOW_MS)).text;
    expect(line({})).toContain('▶ *Nodes* · 10 min, usually 11 min (median of 4 upgrades of this cluster)');
    expect(line({ late: 'slower' })).toContain('· 10 min, 🐌 *slower than usual*: usually 11 min (median');
    expect(line({ late: 'stuck' })).toContain('· 10 min, 🛑 *stuck?*: usually 11 min (median');
  });

  test('a step that went well needs no words; one that was skipped says why', () => {
    const step = { startedAt: '2026-03-03T12:00:00Z', endedAt: '2026-03-03T12:02:00Z', expectedMs: 60_000 };
    const steps = [
      { ...step, id: 'pre-checks@1.32', title: 'Pre-checks', state: 'completed' as const, note: '21 checks passed' },
      { ...step, id: 'bake@1.32', title: 'Watch', state: 'skipped' as const, note: 'skipped: in a hurry' },
    ];
    const { text } = read(boardBlocks({ status: status({ steps }) }, NOW_MS));
    expect(text).toContain('✅ Pre-checks · 2 min\n⏭ Watch · 2 min – skipped: in a hurry\n');
  });

  test('has no buttons once the run has ended, and says what became of the freeze', () => {
    const ended = status({
      state: 'aborted',
      headline: 'Aborted by sam',
      endedAt: '2026-03-03T12:30:00Z',
      freeze: { state: 'kept', note: 'nodes lag behind' },
    });
    const { text, buttons } = read(boardBlocks({ status: ended }, NOW_MS));
    expect(text).toContain('⏹ *Aborted* – Aborted by sam');
    expect(text).toContain('❄ The freeze is kept on purpose: nodes lag behind');
    expect(buttons).toEqual([]);
  });

  test.each<[string, Partial<UpgradeStatus>, string]>([
    ['a run that undoes a step', { undoes: 'add-ons', from: '1.32', to: '1.32' }, '# staging add-ons back, at 1.32\n'],
    ['a pace', { freeze: { state: 'pacing', note: '10%' } }, '\n🐢 Karpenter replaces nodes, at most 10% at a time in each node pool\n'],
    ['a pace without a number', { freeze: { state: 'pacing' } }, '\n🐢 Karpenter replaces nodes at a limited pace\n'],
    ['no freeze', { freeze: { state: 'none' } }, '\n○ Node groups · ~25 min\nRequested by'],
    [
      'a gate that goes on by itself',
      { state: 'waiting', gates: [{ ...GATE, byItself: true }] },
      '\n🅿 *Move the control plane to 1.32?*: continues without a decision; the thread says when.\n',
    ],
  ])('%s is told as what it is', (_what, change, expected) => {
    expect(read(boardBlocks({ status: status(change) }, NOW_MS)).text).toContain(expected);
  });

  test('asks before Abort and links nowhere where the address is none', () => {
    const { blocks } = boardBlocks({ status: status(), temporalUi: 'javascript:alert(1)' }, NOW_MS);
    const abort = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : [])).at(-1);
    expect(abort).toMatchObject({ style: 'danger', confirm: { title: { text: 'Abort the upgrade of staging?' } } });
    expect(JSON.stringify(blocks)).not.toContain('javascript:');
  });
});

describe('the others', () => {
  test('a note says what is asked of whom', () => {
    const ask = { component: 'karpenter', name: 'karpenter', version: '1.5.0', managedBy: 'flux' } as const;
    const { text } = read(noteBlocks({ kind: 'note', level: 'warning', text: 'Merge **the change** for @channel', ask }));
    expect(text).toBe('⚠ Merge *the change* for @\u200bchannel\nRequested change: karpenter `karpenter` at `1.5.0`, managed by flux');
  });

  test('a plan says what each strategy costs and which steps ask first', () => {
    const strategies = [
      { strategy: 'every-hop' as const, possible: true, nodeReplacementCount: 66, hopCount: 2 },
      { strategy: 'once-at-the-end' as const, possible: false, why: 'skew', nodeReplacementCount: 33, hopCount: 2 },
    ];
    const { text } = read(planBlocks(plan({ hops: ['1.32', '1.33'], strategies })));
    expect(text).toContain('2 hops (1.32, 1.33) · 1 step · ~1 h without the time that decisions take · 66 node replacements');
    expect(text).toContain('● `every-hop` 66 node replacements over 2 hops');
    expect(text).toContain('○ `once-at-the-end` not possible: skew');
    expect(text).toContain('1. *Control plane to 1.32* 🔒 · ~10 min\n      The target is one minor away.');
  });

  test('a plan of one hop has no strategies to choose from', () => {
    const { text } = read(planBlocks(plan()));
    expect(text).toContain('1 hop (1.32) · 1 step · ~1 h without the time that decisions take · 33 node replacements');
    expect(text).not.toContain('once-at-the-end');
  });

  test('a refusal names the rule and the remedy', () => {
    const violation = {
      rule: 'karpenter-supports-both-minors',
      message: 'Karpenter 1.0 does not know 1.34.',
      remedy: 'Move it to 1.6 first.',
    };
    const { text } = read(refusedBlocks('staging', '1.34', [violation]));
    expect(text).toContain('`karpenter-supports-both-minors`: Karpenter 1.0 does not know 1.34.\n      *Remedy:* Move it to 1.6 first.');
    expect(text).toContain('Nothing was started.');
  });

  test('the end of a run says how it ended; of one that has no words for it, that it has ended', () => {
    const render = (headline: string): string =>
      read(reportBlocks({ status: status({ headline }), outcome: 'aborted', decisions: [], leftBehind: [] }, [])).text;
    expect(render('Aborted by sam')).toContain('\nAborted by sam\n');
    expect(render('')).toContain('\nThe run has ended.\n');
    expect(render('Aborted by sam')).not.toContain('The run has ended.');
  });

  test('the end of a run has the lines to change in code, each whole, and says where there are more', () => {
    const note = { object: 'EC2NodeClass <default>', says: 'al2023@old', lines: 'spec:\n  amiFamily: AL2023' };
    const report = { status: status(), outcome: 'completed', decisions: [], leftBehind: [] } as const;
    const render = (count: number): string =>
      read(
        reportBlocks(
          { ...report, decisions: [], leftBehind: [] },
          Array.from({ length: count }, () => note),
        ),
      ).text;
    expect(render(1)).toContain('EC2NodeClass &lt;default&gt;, where it says al2023@old:\n```spec:\n  amiFamily: AL2023```');
    expect(render(1)).toContain('`belay reconcile staging` shows which of these changes');
    expect(render(1)).not.toContain('belay report');
    expect(render(13)).toContain('For the rest: `belay report staging`.');
    expect(render(0)).not.toContain('To change in Git');
  });

  test('the end of a run says what was not merged when it ended, the worst first', () => {
    const note = { object: 'EC2NodeClass default', says: 'al2023@old', lines: 'spec: {}' };
    const report = { status: status(), outcome: 'completed' as const, decisions: [], leftBehind: [] };
    const render = (merges: MergeFinding[]): string => read(reportBlocks({ ...report, merges }, [note])).text;
    const merged = { object: 'Application argocd/mesh', state: 'merged', why: 'Synced' } as const;
    const open = [
      { object: 'Namespace <shop>', state: 'unknown', why: 'nothing tells' },
      { object: 'EC2NodeClass default', state: 'not-synced', why: 'Kustomization flux-system/apps is suspended' },
    ] as const;
    expect(render([merged, ...open])).toContain(
      '*Not merged yet, as far as could be seen when the run ended*\n• NOT SYNCED: EC2NodeClass default: Kustomization flux-system/apps is suspended\n• UNKNOWN: Namespace &lt;shop&gt;: nothing tells\n`belay reconcile staging` checks again.',
    );
    expect(render([merged])).toContain('When the run ended, everything that Belay can check had already been merged and applied.');
    expect(render([merged])).not.toContain('Not merged yet');
    expect(render(Array.from({ length: 14 }, () => open[0]))).toContain('• and 2 more');
  });

  test('a report says what was left behind, loudly', () => {
    const { text } = read(
      reportBlocks({
        status: status({ state: 'failed', headline: 'Node groups failed', endedAt: '2026-03-03T13:00:00Z' }),
        outcome: 'failed',
        decisions: [decided()],
        leftBehind: [
          { what: 'freeze', why: 'nodes lag behind', kept: true },
          { what: 'budget of default', why: 'forbidden', kept: false },
        ],
      }),
    );
    expect(text).toContain('# ❌ Failed: staging 1.31 → 1.32');
    expect(text).toContain('❄ *Kept on purpose*: freeze – nodes lag behind');
    expect(text).toContain('🚨 *Not restored*: budget of default – forbidden');
    expect(text).toContain('• Move the control plane to 1.32? *Approve* by <@U0SAM>');
    expect(text).toContain('Took 1 h, requested by <@U0ALEX>');
  });

  test.each<[string, { what: string; why: string; kept: boolean }[], string]>([
    ['nothing', [], '❌ Failed: staging 1.31 → 1.32. Node groups failed. Took 1 h, requested by <@U0ALEX>.'],
    [
      'what is kept on purpose, which needs nobody',
      [{ what: 'freeze', why: 'nodes lag behind', kept: true }],
      '❌ Failed: staging 1.31 → 1.32. Node groups failed. Took 1 h, requested by <@U0ALEX>.',
    ],
    [
      'one thing that was not restored',
      [{ what: 'budget of default', why: 'forbidden', kept: false }],
      '❌ Failed: staging 1.31 → 1.32. Node groups failed. Took 1 h, requested by <@U0ALEX>. <@U0ALEX>: restore it before the next upgrade; `belay reconcile staging` shows what is still open.',
    ],
    [
      'two',
      ['a', 'b'].map((what) => ({ what, why: 'forbidden', kept: false })),
      '❌ Failed: staging 1.31 → 1.32. Node groups failed. Took 1 h, requested by <@U0ALEX>. <@U0ALEX>: restore these 2 before the next upgrade; `belay reconcile staging` shows what is still open.',
    ],
  ])('its summary can be read alone, and says whose it is what is left: %s', (_what, leftBehind, summary) => {
    const ended = status({ state: 'failed', headline: 'Node groups failed', endedAt: '2026-03-03T13:00:00Z' });
    const report = reportBlocks({ status: ended, outcome: 'failed', decisions: [], leftBehind });
    expect(report.text).toBe(summary);
    const own = summary.split('<@U0ALEX>. ')[1];
    if (own !== undefined) expect(read(report).text).toContain(own);
  });
});

describe('a plan with what was learnt', () => {
  test('says what is usual here, and where it comes from', () => {
    const usual = { minMs: 540_000, maxMs: 840_000, count: 4, of: 'environment' as const };
    const steps = plan().steps.map((step) => ({ ...step, expectedMs: 660_000, usual }));
    expect(read(planBlocks(plan({ steps }))).text).toContain(' · usually 11 min (median of 4 upgrades of this environment)\n');
  });

  test('says why nothing was', () => {
    const { text } = read(planBlocks(plan({ unlearnt: 'the records of earlier upgrades cannot be read: EACCES' })));
    expect(text).toContain('⚠ Durations are not based on earlier upgrades here: the records of earlier upgrades cannot be read: EACCES');
  });
});

describe('pace', () => {
  test('says how fast nodes roll and what the plan does next, with a button per pace', () => {
    const { text, buttons } = read(paceBlocks(pace(), RUN_ID));
    expect(text).toBe(
      [
        '🐢 *Karpenter nodes → 1.32*: Karpenter replaces at most 1 node at a time in each pool.',
        'The plan continues: 1, then 10%, then the original budgets. Approvers may change the pace here.',
        '▓░░░░░░░░░ 4 nodes replaced, 26 to go',
        '',
      ].join('\n'),
    );
    expect(buttons).toEqual([
      'pace/freeze Freeze',
      'pace/1 1 at a time',
      'pace/10% 10% at a time',
      'pace/20% 20% at a time',
      'pace/original Original budgets',
    ]);
  });

  test('says who holds it and why, and offers to hand it back', () => {
    const { text, buttons } = read(paceBlocks(pace({ pace: 'freeze', by: { kind: 'slack', id: 'U0SAM' }, reason: 'a sale' }), RUN_ID));
    expect(text).toBe(
      [
        '❄ *Karpenter nodes → 1.32*: Karpenter replaces no node.',
        "Set by <@U0SAM> (a sale). The plan's own steps (1, then 10%, then the original budgets) are on hold until somebody presses Automatic.",
        '▓░░░░░░░░░ 4 nodes replaced, 26 to go',
        '',
      ].join('\n'),
    );
    expect(buttons.map((button) => button.split(' ')[0])).toEqual(['pace/1', 'pace/10%', 'pace/20%', 'pace/original', 'pace/automatic']);
  });

  test.each([{ replacedCount: undefined }, { remainingCount: undefined }])('what is not counted has no bar: %j', (change) => {
    expect(read(paceBlocks(pace(change), RUN_ID)).text).not.toMatch(/▓|░|nodes replaced|NaN/);
  });

  test('has no buttons when the roll has ended', () => {
    const { text, buttons } = read(paceBlocks(pace({ ended: '30 nodes at 1.32.' }), RUN_ID));
    expect(text).toBe('🐢 *Karpenter nodes → 1.32*: 30 nodes at 1.32.');
    expect(buttons).toEqual([]);
  });
});

test('RD7: the last message names all who decided, not only who gave the last vote', () => {
  const state = decided();
  if (state.kind !== 'decided') throw new Error('the gate of the fixture is decided');
  const vote = (id: string, choice: string): (typeof state)['decision'] => ({
    ...state.decision,
    decisionId: `before:control-plane@1.32#1:${id}:1`,
    actor: { kind: 'slack', id, name: id.toLowerCase() },
    choice,
  });
  const votes = [vote('U0RIN', 'approve'), vote('U0EVE', 'reject'), state.decision];
  const report = {
    status: status({ endedAt: '2026-03-03T13:00:00Z' }),
    outcome: 'completed' as const,
    decisions: [{ ...state, votes }],
    leftBehind: [],
  };
  const { text } = read(reportBlocks(report));
  expect(text).toMatch(/by <@U0RIN>, <@U0SAM>,/);
  expect(text).not.toContain('U0EVE');
});
