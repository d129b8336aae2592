import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { changesOf } from '../../../cli/render/watch/changes.ts';
import { Screen } from '../../../cli/render/watch/screen.ts';
import { isOver, watchLines } from '../../../cli/render/watch/view.ts';
import type { StatusAnswer } from '../../../client/calls/contract.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import { NOW_MS, RUN_ID, status, WORKFLOW_ID } from '../../slack/fixtures.ts';

const APPROVALS = { users: ['U0SAM'], groups: ['S0PLATFORM'], quorum: 2, allowRequester: false, allowUnverifiedCli: false };
const OF = { nowMs: NOW_MS, timeZone: 'Europe/Berlin', approvals: APPROVALS };
const GATE = {
  id: 'before:node-groups@1.32#1',
  title: 'Replace 12 nodes?',
  choices: ['approve', 'reject'],
  expiresAt: '2026-03-03T14:10:00Z',
  progress: '1 of 2 approvals',
  workflowId: WORKFLOW_ID,
};

const answer = (change: Partial<UpgradeStatus> = {}): StatusAnswer => ({ source: 'workflow', status: status(change) });

const rolling = (doneCount: number): UpgradeStatus['steps'] => [
  {
    id: 'node-groups@1.32',
    title: 'Node groups',
    state: 'running',
    startedAt: '2026-03-03T12:07:00Z',
    expectedMs: 600_000,
    note: 'blue',
    rolled: { doneCount, totalCount: 12, unit: 'node' },
  },
];

test('the view: steps, bars of what is replaced, who is needed and by when', () => {
  const lines = watchLines(answer({ steps: [...status().steps.slice(0, 1), ...rolling(6)], gates: [GATE] }), OF).map(
    stripVTControlCharacters,
  );
  expect(lines.join('\n')).toBe(`staging: 1.31 → 1.32, running
The control plane moves to 1.32
████████████░░░░░░░░░░░░ 1 of 2 steps done, about 7 min of work left

  ✓ pre-checks@1.32  2 min
  ▶ node-groups@1.32  3 min  blue
      ████████████░░░░░░░░░░░░ 6 of 12 nodes

Freeze: frozen (2 node pools)

◆ Replace 12 nodes?
    needs 2 of approvers (Slack group S0PLATFORM, Slack user U0SAM) by 2026-03-03 15:10 (in 2 h); so far 1 of 2 approvals
    belay decide staging 'before:node-groups@1.32#1' approve
    belay decide staging 'before:node-groups@1.32#1' reject`);
});

test('gates past their deadline, gates that need nobody, and a cluster that belay.yaml does not name', () => {
  const needs = (gate: Partial<typeof GATE> & { byItself?: true }, of = {}): string =>
    watchLines(answer({ gates: [{ ...GATE, progress: undefined, ...gate }] }), { ...OF, ...of }).find((line) => line.startsWith('    ')) ??
    '';
  expect(needs({ expiresAt: '2026-03-03T12:00:00Z' })).toContain('by 2026-03-03 13:00 (that has passed)');
  expect(needs({ byItself: true })).toBe('    continues by itself; open until 2026-03-03 15:10 (in 2 h)');
  const rules = [{ name: 'security', users: ['ada'], groups: [], quorum: 1 }];
  expect(needs({}, { approvals: { ...OF.approvals, users: [], groups: [], rules } })).toContain('needs 1 of security (ada) by');
  expect(needs({}, { approvals: undefined })).toBe('    needs a decision by 2026-03-03 15:10 (in 2 h)');
});

test('one line for each change, and none where nothing has changed', () => {
  const first = answer({ steps: rolling(0) });
  expect(changesOf(undefined, first, OF)).toEqual([
    'running: The control plane moves to 1.32',
    'node-groups@1.32: running, blue',
    'node-groups@1.32: 0 of 12 nodes',
  ]);
  expect(changesOf(first, answer({ steps: rolling(0), revision: 99 }), OF)).toEqual([]);
  const asked = answer({ steps: rolling(4), gates: [GATE], pauseRequested: true });
  expect(changesOf(first, asked, OF)).toEqual([
    'running, pause requested: The control plane moves to 1.32',
    'node-groups@1.32: 4 of 12 nodes',
    "gate: Replace 12 nodes? needs 2 of approvers (Slack group S0PLATFORM, Slack user U0SAM) by 2026-03-03 15:10 (in 2 h); so far 1 of 2 approvals; belay decide staging 'before:node-groups@1.32#1' approve|reject",
  ]);
  expect(changesOf(asked, answer({ steps: rolling(4), pauseRequested: true }), OF)).toEqual(['gate closed: Replace 12 nodes?']);
});

test('without a worker what Temporal knows is said once', () => {
  const seen: StatusAnswer = {
    source: 'visibility',
    status: {
      workflowId: WORKFLOW_ID,
      runId: RUN_ID,
      cluster: 'staging',
      execution: 'RUNNING',
      phase: 'bake',
      startedAt: '2026-03-03T12:00:00Z',
    },
    why: 'No worker answers.',
  };
  expect(changesOf(answer(), seen, OF)).toEqual(['running, at bake', 'No worker answers.']);
  expect(changesOf(seen, seen, OF)).toEqual([]);
  expect(watchLines(seen, OF).at(-1)).toContain('No worker answers.');
  const over = ['RUNNING', 'PAUSED', 'COMPLETED', 'TERMINATED'].filter((execution) =>
    isOver({ ...seen, status: { ...seen.status, execution } }),
  );
  expect(over).toEqual(['COMPLETED', 'TERMINATED']);
});

test('the screen is drawn in its place, never higher than the terminal, and given back', () => {
  let written = '';
  const screen = new Screen({ rows: 3, write: (text: string | Uint8Array) => Boolean((written += String(text))) });
  screen.draw(['one', 'two']);
  screen.draw(['one', 'two', 'three', 'four']);
  screen.leave();
  screen.leave();
  expect(written).toBe(
    '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[Hone\u001b[K\ntwo\u001b[K\u001b[J' +
      '\u001b[Hone\u001b[K\ntwo\u001b[K\n… 2 more lines\u001b[K\u001b[J' +
      '\u001b[?7h\u001b[?25h\u001b[?1049l',
  );
});
