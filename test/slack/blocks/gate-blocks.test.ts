/** What people read at a gate: open, reminded of, decided, ended without a decision. */
import { describe, expect, test } from 'vitest';
import type { GateState } from '../../../domain/gates/gate.ts';
import { gateBlocks, reminderBlocks } from '../../../slack/blocks/gate.ts';
import { decided, gate, open, RUN_ID, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { read } from '../reading.ts';

const MENTION = { users: ['U0SAM', '<!channel>'], groups: ['S0PLATFORM'] };

describe('gate', () => {
  const base = { workflowId: WORKFLOW_ID, revision: 1, mention: MENTION, run: RUN_ID };

  test('says what happens next, on which evidence, what can be undone, and asks the approvers', () => {
    const { text, buttons } = read(gateBlocks({ state: open({ quorum: 2 }), ...base }));
    expect(text).toBe(
      [
        '# ⏳ Move the control plane to 1.32?',
        '<!subteam^S0PLATFORM> <@U0SAM>: decide by <!date^1772625900^{time} {date_short_pretty}|2026-03-04 12:05 UTC>. If nobody does, the gate expires and approves nothing.',
        '*What happens next*',
        'EKS moves the control plane; this takes about ten minutes.',
        '*Pre-checks*',
        '• *12* passed',
        '• 1 warning: &lt;b&gt; &amp; co',
        '*What can be undone*',
        'Within 7 days the control plane can be rolled back.',
        '• *Reject*: Stops before the step.',
        '• *Skip*: Continues without the step.',
        'Approve: 0 of 2 approvals',
        '',
      ].join('\n'),
    );
    expect(buttons).toEqual(['gate/approve Approve', 'gate/reject Reject', 'gate/skip Skip', 'upgrade/extend More time']);
  });

  test('one that continues by itself asks nobody to decide', () => {
    const { text, buttons } = read(gateBlocks({ state: open({ byItself: true }), ...base, mention: { users: [], groups: [] } }));
    expect(text.split('\n').slice(0, 2)).toEqual(['# 🅿 Move the control plane to 1.32?', '*What happens next*']);
    expect(text).not.toContain('decide by');
    expect(buttons).toEqual(['gate/approve Approve', 'gate/reject Reject', 'gate/skip Skip']);
  });

  test('evidence of one line stands beside its title, more lines stand below theirs', () => {
    const evidence = [
      { title: 'Pre-checks', lines: ['21 checks passed', 'one recommendation'] },
      { title: 'Karpenter', lines: ['runs 1.2.8'] },
      { title: 'Add-ons', lines: ['coredns v1.11.4'] },
    ];
    const { blocks } = gateBlocks({ state: open({ evidence }), ...base });
    const sections = blocks.flatMap((block) => (block.type === 'section' ? [block.text?.text] : []));
    expect(sections).toContain('*Pre-checks*\n• 21 checks passed\n• one recommendation');
    expect(sections).toContain('*Karpenter*: runs 1.2.8\n*Add-ons*: coredns v1.11.4');
  });

  test('decided, it keeps what the decision was about in small print', () => {
    const { blocks } = gateBlocks({ state: decided(), ...base });
    const small = blocks.flatMap((block) => (block.type === 'context' ? block.elements : []));
    expect(small.map((element) => ('text' in element ? element.text : ''))).toEqual([
      'EKS moves the control plane; this takes about ten minutes.',
      '*Pre-checks*: *12* passed (1 more in the record)',
      '*What can be undone*\nWithin 7 days the control plane can be rolled back.',
    ]);
  });

  test('its buttons carry the gate, its workflow, the run and the revision; what cannot be taken back repeats what will happen first', () => {
    const { blocks } = gateBlocks({ state: open(), ...base });
    const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    expect(buttons.map((button) => JSON.parse('value' in button ? (button.value ?? '') : ''))).toEqual([
      { gateId: 'before:control-plane@1.32#1', workflowId: WORKFLOW_ID, choice: 'approve', revision: 1, run: UPGRADE.runId },
      { gateId: 'before:control-plane@1.32#1', workflowId: WORKFLOW_ID, choice: 'reject', revision: 1, run: UPGRADE.runId },
      {
        gateId: 'before:control-plane@1.32#1',
        workflowId: WORKFLOW_ID,
        choice: 'skip',
        revision: 1,
        run: UPGRADE.runId,
        ask: { label: 'Skip', does: 'Continues without the step.' },
      },
      {
        workflowId: WORKFLOW_ID,
        gate: 'before:control-plane@1.32#1',
        title: 'Move the control plane to 1.32?',
        until: '2026-03-04T12:05:00Z',
        run: UPGRADE.runId,
      },
    ]);
    const confirms = buttons.map((button) => ('confirm' in button ? button.confirm : undefined));
    expect(confirms.map((confirm) => [confirm?.title?.text, confirm?.text.text, confirm?.style])).toEqual([
      ['Approve: Move the control plane to 1.32?', 'EKS moves the control plane; this takes about ten minutes.', undefined],
      ['Reject: Move the control plane to 1.32?', 'Stops before the step.', 'danger'],
      // The form for the reason says it and asks once.
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  test('several rules: how far each is, about which plan, and a button that takes a vote back', () => {
    const rules = [
      { name: 'platform', quorum: 2 },
      { name: 'service-owners', quorum: 1 },
    ];
    const state = open({ quorum: 3, rules, planHash: '9f2c7a10b3de' });
    if (state.kind === 'open')
      state.votes.push({
        decisionId: 'x',
        gateId: state.gate.id,
        choice: 'approve',
        actor: { kind: 'slack', id: 'U0SAM' },
        rules: ['platform'],
        at: '',
      });
    const { text, buttons } = read(gateBlocks({ state, ...base }));
    expect(text).toContain('Approve: platform 1 of 2, service-owners 0 of 1 (Approve by <@U0SAM>) · plan 9f2c7a10b3de');
    expect(buttons.at(-2)).toBe('gate/withdraw-vote Withdraw my vote');
  });

  test('a choice that can be taken back by another asks no second time', () => {
    const choice = { id: 'wait', label: 'Wait', does: 'Asks again later.' } as const;
    const state = open({ choices: [{ ...choice, needsQuorum: false }, choice] });
    const { blocks } = gateBlocks({ state, ...base });
    const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    expect(buttons.slice(0, 2).map((button) => 'confirm' in button && button.confirm?.text.text)).toEqual([false, 'Asks again later.']);
  });

  test.each([
    ['approve', '✅'],
    ['reject', '🛑'],
    ['skip', '☑'],
  ])('decided by %s: %s', (choice, icon) => {
    const state = decided();
    if (state.kind !== 'decided') throw new Error('the gate of the fixture is decided');
    const { text } = read(gateBlocks({ state: { ...state, decision: { ...state.decision, choice } }, ...base }));
    expect(text.split('\n')[0]).toBe(`# ${icon} Move the control plane to 1.32?`);
  });

  test('decided: who, when, why; no buttons; a mention in the reason mentions nobody', () => {
    const { text, buttons } = read(gateBlocks({ state: decided(), ...base }));
    expect(text).toContain('# ✅ Move the control plane to 1.32?');
    expect(text).toContain(
      '*Approve* by <@U0SAM>, <!date^1772539560^{time} {date_short_pretty}|2026-03-03 12:06 UTC>\n> looks good &lt;!channel&gt;',
    );
    expect(buttons).toEqual([]);
  });

  test.each<[GateState, string, string]>([
    [{ kind: 'expired', gate: gate(), votes: [], at: '2026-03-04T12:05:00Z' }, '*Expired* <!date^1772625900^', 'so nothing was approved'],
    [
      { kind: 'withdrawn', gate: gate(), votes: [], at: '2026-03-03T13:00:00Z', why: 'the run was aborted' },
      '*Withdrawn* <!date^',
      'the run was aborted',
    ],
  ])('%#: ended without a decision', (state, first, then) => {
    const { text, buttons } = read(gateBlocks({ state, ...base }));
    expect(text).toContain(first);
    expect(text).toContain(then);
    expect(buttons).toEqual([]);
  });

  test('a reminder mentions the approvers again and has no buttons of its own', () => {
    const { text, buttons } = read(reminderBlocks({ state: open(), ...base }));
    expect(text).toContain('⏰ <!subteam^S0PLATFORM> <@U0SAM>: *Move the control plane to 1.32?* is still waiting');
    expect(buttons).toEqual([]);
  });
});
