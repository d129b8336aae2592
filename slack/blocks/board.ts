/** The board: one message per upgrade, edited in place, that says where it stands. */
import { temporalUrl } from '../../domain/run/temporal-url.ts';
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import { abortMeans, abortTitle } from '../../client/calls/questions.ts';
import type { Button } from '@slack/types';
import { usualWords } from '../../domain/plan/model/usual.ts';
import { workLeftMs } from '../../domain/run/durations/left.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { FreezeView, Late, StepState, StepView, UpgradeState, UpgradeStatus } from '../../domain/run/record/status.ts';
import { actions, button, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { LIMITS, link, mentions, mrkdwn, person } from './kit/text.ts';
import { bar, progress, when } from './kit/time.ts';
import { count, duration } from '../../domain/core/text.ts';
import { gateOnBoard, parkedOnBoard } from '../messages/gates.ts';
import { freezeOnBoard, mayDecide, pacingOnBoard, pausing, requestedBy, rollbackWindow, workLeft } from '../messages/run.ts';

export interface BoardInput {
  status: UpgradeStatus;
  plan?: UpgradePlan;
  /** Address of Temporal UI. */
  temporalUi?: string;
  /** Default `default`. */
  namespace?: string;
  /** Slack ids of users and groups. */
  approvers?: string[];
}

const STEP_ICONS: Record<StepState, string> = {
  planned: '○',
  running: '▶',
  waiting: '⏳',
  completed: '✅',
  skipped: '⏭',
  failed: '❌',
  aborted: '⏹',
};

const LATE: Record<Late, string> = { slower: '🐌 *slower than usual*', stuck: '🛑 *stuck?*' };

/** The last moment that a Date can be. */
const MAX_DATE_MS = 8.64e15;

/** Those that went well need no words; what one waits for stands above all of them. */
const WITH_NOTE: readonly StepState[] = ['running', 'skipped', 'failed', 'aborted'];

const STATES: Record<UpgradeState, { icon: string; word: string; ended: boolean }> = {
  planning: { icon: '🔎', word: 'Planning', ended: false },
  waiting: { icon: '⏳', word: 'Waiting', ended: false },
  running: { icon: '▶', word: 'Running', ended: false },
  paused: { icon: '⏸', word: 'Paused', ended: false },
  completed: { icon: '✅', word: 'Completed', ended: true },
  stopped: { icon: '⏹', word: 'Stopped', ended: true },
  aborted: { icon: '⏹', word: 'Aborted', ended: true },
  failed: { icon: '❌', word: 'Failed', ended: true },
  refused: { icon: '🚫', word: 'Refused', ended: true },
};

/** `nowMs`: to say how long running steps have taken so far. */
export function boardBlocks(input: BoardInput, nowMs: number): Rendered {
  const { status } = input;
  const title = boardTitle(status);
  const state = [...workerLine(status), ...stateLines(status)];
  // Without icons and stars: what a phone shows of an edit.
  const text = state.join(' ').replace(/^\S+ |\*/g, '');
  return message(`${mrkdwn(title, 200)}: ${text}`, [
    header(title),
    ...sections(state),
    ...sections(
      status.steps.map((step) => stepLine(step, nowMs)),
      4,
    ),
    ...sections(freezeLine(status.freeze)),
    ...context(smallPrint(input, nowMs)),
    ...actions(STATES[status.state].ended ? [] : controls(status)),
  ]);
}

/** What waits for people goes before everything else. */
function stateLines(status: UpgradeStatus): string[] {
  const { icon, word, ended } = STATES[status.state];
  const asked = status.pauseRequested && status.state !== 'paused' ? ` · ${pausing()}` : '';
  if (!ended && status.gates.length > 0) return status.gates.map((gate) => `${gateLine(gate)}${asked}`);
  const headline = status.headline === '' ? '' : ` – ${mrkdwn(status.headline, 400)}`;
  return [`${icon} *${word}*${headline}${asked}`];
}

/** Goes before what waits for people: nothing they decide is done meanwhile. */
function workerLine({ state, waitsForWorker }: UpgradeStatus): string[] {
  return waitsForWorker === undefined || STATES[state].ended ? [] : [`🛑 *${mrkdwn(waitsForWorker, 300)}*`];
}

export function boardTitle(status: Pick<UpgradeStatus, 'cluster' | 'from' | 'to' | 'undoes'>): string {
  if (status.undoes !== undefined) return `${status.cluster.name} ${runWay(status)}`;
  return `${status.cluster.name} ${status.from === undefined ? '' : `${status.from} `}→ ${status.to}`;
}

function stepLine(step: StepView, nowMs: number): string {
  const note = step.note === undefined || step.note === '' || !WITH_NOTE.includes(step.state) ? '' : ` – ${mrkdwn(step.note, 180)}`;
  const title = mrkdwn(step.title, 100);
  const now = step.state === 'running' || step.state === 'waiting' || step.state === 'failed';
  return `${STEP_ICONS[step.state]} ${now ? `*${title}*` : title}${timing(step, nowMs)}${note}${barLine(step, nowMs)}`;
}

/** Below a step that is under way: how much of it is done, where that can be counted, else how much of its time has gone by. */
function barLine({ state, startedAt, expectedMs, rolled }: StepView, nowMs: number): string {
  if (state !== 'running' && state !== 'waiting') return '';
  if (rolled !== undefined && rolled.totalCount > 0)
    return `\n      ${bar(rolled.doneCount, rolled.totalCount)} ${rolled.doneCount} of ${count(rolled.totalCount, mrkdwn(rolled.unit, 30))}`;
  const elapsedMs = nowMs - Date.parse(startedAt ?? '');
  // Time alone never says that a step is through.
  return expectedMs > 0 && elapsedMs >= 0 ? `\n      ${bar(Math.min(elapsedMs, expectedMs * 0.9), expectedMs)}` : '';
}

function timing(step: StepView, nowMs: number): string {
  const startedMs = Date.parse(step.startedAt ?? '');
  const endedMs = Date.parse(step.endedAt ?? '');
  if (Number.isNaN(startedMs)) return step.state === 'planned' && step.expectedMs > 0 ? ` · ~${duration(step.expectedMs)}` : '';
  if (!Number.isNaN(endedMs)) return ` · ${duration(endedMs - startedMs)}`;
  if (step.usual === undefined) return ` · ${progress(nowMs - startedMs, step.expectedMs)}`;
  const words = usualWords(step.expectedMs, step.usual);
  return ` · ${duration(nowMs - startedMs)}, ${step.late === undefined ? words : `${LATE[step.late]}: ${words}`}`;
}

function gateLine(gate: UpgradeStatus['gates'][number]): string {
  const title = mrkdwn(gate.title, 150);
  if (gate.byItself === true) return parkedOnBoard(title);
  return gateOnBoard(title, when(gate.expiresAt));
}

function freezeLine(freeze: FreezeView): string[] {
  if (freeze.state === 'pacing' && freeze.note !== undefined) return [pacingOnBoard(mrkdwn(freeze.note, 40))];
  if (freeze.state === 'none') return [];
  const text = freezeOnBoard(freeze.state);
  return [freeze.note === undefined ? text : `${text}: ${mrkdwn(freeze.note, 250)}`];
}

function smallPrint({ status, plan, temporalUi, namespace, approvers }: BoardInput, nowMs: number): string[] {
  const ids = approvers ?? [];
  const who = mentions({ users: ids, groups: ids });
  return [
    requestedBy(person(status.requestedBy), when(status.startedAt)),
    way(status, nowMs),
    status.takeBack === undefined ? '' : rollbackWindow(mrkdwn(status.takeBack.to, 20), when(status.takeBack.until)),
    plan === undefined ? '' : `nodes ${mrkdwn(plan.strategy, 40)} · plan ${mrkdwn(plan.hash, 12)}`,
    who === '' ? '' : mayDecide(who),
    temporalUi === undefined
      ? ''
      : link(temporalUrl(temporalUi, namespace ?? 'default', status.workflowId, status.runId), 'Open in Temporal UI'),
  ];
}

/** "4 of 10 steps done · 12 min so far · about 40 min of work left". */
function way(status: UpgradeStatus, nowMs: number): string {
  const { steps } = status;
  if (steps.length === 0) return '';
  const elapsedMs = (status.endedAt === undefined ? nowMs : Date.parse(status.endedAt)) - Date.parse(status.startedAt);
  const done = steps.filter(({ state }) => state === 'completed' || state === 'skipped').length;
  const toGoMs = workLeftMs(status, nowMs);
  return [
    `${done} of ${steps.length} steps done`,
    `${duration(elapsedMs)} ${STATES[status.state].ended ? 'in all' : 'so far'}`,
    STATES[status.state].ended || toGoMs <= 0 ? '' : workLeft(duration(toGoMs), earliest(nowMs + toGoMs)),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Not a date where the expectations are none. */
function earliest(ms: number): string {
  return Math.abs(ms) <= MAX_DATE_MS ? when(new Date(ms).toISOString()) : 'an unknown time';
}

function controls(status: UpgradeStatus): Button[] {
  const value = { workflowId: status.workflowId, revision: status.revision, run: status.runId };
  const paused = status.pauseRequested || status.state === 'paused';
  return [
    paused
      ? button({ actionId: 'upgrade/resume', label: 'Resume', value, style: 'primary' })
      : button({ actionId: 'upgrade/pause', label: 'Pause', value }),
    button({ actionId: 'upgrade/handover', label: 'Hand over', value }),
    button({
      actionId: 'upgrade/abort',
      label: 'Abort',
      value,
      style: 'danger',
      confirm: {
        title: abortTitle(status.cluster.name).slice(0, LIMITS.confirmTitle),
        text: abortMeans(),
      },
    }),
  ].filter((element) => element !== undefined);
}
