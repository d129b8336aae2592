/** Gates on a phone: what weighs most, what can be undone and the buttons within two screens; all of it behind "Details". */
import { describe, expect, test } from 'vitest';
import type { GateDefinition } from '../../../domain/gates/gate.ts';
import { openGate } from '../../../domain/gates/gate-rules.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import { detailsView } from '../../../slack/views/details.ts';
import { gate, open, RUN_ID, WORKFLOW_ID } from '../fixtures.ts';
import { read } from '../reading.ts';

const base = { workflowId: WORKFLOW_ID, revision: 1, mention: { users: [], groups: ['S0PLATFORM'] }, run: RUN_ID };
const many = (what: string, count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${what} ${index + 1}: 12 objects, of which the first are shop/cart, shop/web and shop/checkout`,
  );

const LONG: Partial<GateDefinition> = {
  next: `EKS moves the control plane. ${'It takes about ten minutes. '.repeat(30)}`,
  evidence: [
    { title: 'FAILED', lines: many('K8S', 15) },
    { title: 'UNKNOWN', lines: many('IST', 9) },
    { title: 'Recommended', lines: many('EKS', 15) },
  ],
};
const readOpen = (change: Partial<GateDefinition>) => read(gateBlocks({ state: open(change), ...base }));
/** As wide as a phone shows them. */
const screenLines = (text: string): number => text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 40)), 0);

describe('a gate with more than two screens of a phone', () => {
  test('what failed and what is not known comes first, then what can be undone and the buttons', () => {
    const { text, buttons } = readOpen(LONG);
    expect(text).toContain('*FAILED*\n• K8S 1: 12 objects');
    expect(text).toContain('*UNKNOWN*\n• IST 1: 12 objects');
    expect(text).toContain('*What can be undone*\nWithin 7 days the control plane can be rolled back.');
    expect(text).not.toContain('*Reject*: Stops before the step.');
    expect(buttons).toEqual([
      'gate/approve Approve',
      'gate/reject Reject',
      'gate/skip Skip',
      'upgrade/details Details',
      'upgrade/extend More time',
    ]);
    expect(screenLines(text)).toBeLessThanOrEqual(70);
  });

  test('says how much it leaves out, and no line twice', () => {
    const { text } = readOpen(LONG);
    const shown = text.match(/^• (?:K8S|IST|EKS) \d+/gm) ?? [];
    expect(new Set(shown).size).toBe(shown.length);
    expect(text).toContain(`_${15 + 9 + 15 - shown.length} more in *Details*_`);
  });

  test('what is not for the message is behind "Details", however short the gate is', () => {
    const change = { evidence: [{ title: 'Forecast', lines: ['Rehearsed.'], more: ['Pod shop/web-0 blocks node-1'] }] };
    const { text, buttons } = readOpen(change);
    expect(text).toContain('*Forecast*: Rehearsed.');
    expect(text).not.toContain('shop/web-0');
    expect(buttons).toContain('upgrade/details Details');
    const state = open(change);
    if (state.kind !== 'open') throw new Error('the gate is open');
    const details = read(detailsView(openGate(state)) as never).text;
    expect(details).toContain('*Forecast*\n• Rehearsed.\n• Pod shop/web-0 blocks node-1');
  });

  test('sixteen lines of evidence, or nine topics, are too many as well, however short', () => {
    const lines = Array.from({ length: 16 }, (_, index) => `n${index}`);
    expect(readOpen({ evidence: [{ title: 'Nodes', lines }] }).buttons).toContain('upgrade/details Details');
    const topics = lines.slice(0, 9).map((title) => ({ title, lines: ['ok'] }));
    expect(readOpen({ evidence: topics }).buttons).toContain('upgrade/details Details');
    expect(readOpen({ evidence: topics.slice(0, 8) }).buttons).not.toContain('upgrade/details Details');
  });

  test('Details has every line, and what each button does', () => {
    const state = open(LONG);
    if (state.kind !== 'open') throw new Error('not open');
    const { blocks } = detailsView(openGate(state));
    const text = JSON.stringify(blocks);
    for (const { lines } of LONG.evidence ?? []) for (const line of lines) expect(text).toContain(line);
    for (const { label, does } of gate().choices) expect(text).toContain(`• *${label}*: ${does}`);
    expect(text).toContain('What can be undone');
    expect(blocks.length).toBeLessThanOrEqual(100);
  });
});

test('U4: a gate that fits shows everything and has no Details', () => {
  const { text, buttons } = readOpen({});
  expect(text).toContain('• *Reject*: Stops before the step.');
  expect(buttons).not.toContain('upgrade/details Details');
});
