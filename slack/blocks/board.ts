/** The board: one message per upgrade, edited in place, that says where it stands. */
import type { Button } from '@slack/types';
import type { UpgradePlan } from '../../domain/plan/types.ts';
import type { FreezeView, StepState, StepView, UpgradeState, UpgradeStatus } from '../../domain/status.ts';
import { actions, button, context, header, message, type Rendered, sections } from './elements.ts';
import { LIMITS, link, mentions, mrkdwn, person } from './text.ts';
import { duration, progress, when } from './time.ts';

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

const FREEZES: Record<FreezeView['state'], string | undefined> = {
  none: undefined,
  frozen: '❄ Karpenter may not replace nodes',
  pacing: '🐢 Karpenter replaces nodes at a pace',
  lifted: '☀ The freeze is lifted',
  kept: '❄ The freeze is kept on purpose',
  'not-restored': '🚨 The freeze could not be restored',
};

/** `nowMs`: to say how long running steps have taken so far. */
export function boardBlocks(input: BoardInput, nowMs: number): Rendered {
  const { status } = input;
  const state = STATES[status.state];
  const title = boardTitle(status);
  const asked = status.pauseRequested && status.state !== 'paused' ? ' · pause asked for: the running step ends first' : '';
  const headline = status.headline === '' ? '' : ` – ${mrkdwn(status.headline, 400)}`;
  return message(`${mrkdwn(title, 200)}: ${state.word}${headline}`, [
    header(title),
    ...sections([`${state.icon} *${state.word}*${headline}${asked}`]),
    ...sections(
      status.steps.map((step) => stepLine(step, nowMs)),
      4,
    ),
    ...sections([...status.gates.map(gateLine), ...freezeLine(status.freeze)]),
    ...context(smallPrint(input, nowMs)),
    ...actions(state.ended ? [] : controls(status)),
  ]);
}

export function boardTitle(status: Pick<UpgradeStatus, 'cluster' | 'from' | 'to'>): string {
  return `${status.cluster.name} ${status.from === undefined ? '' : `${status.from} `}→ ${status.to}`;
}

/** Link to the run in Temporal UI. */
export function temporalUrl(ui: string, namespace: string, workflowId: string, runId: string): string {
  const path = ['namespaces', namespace, 'workflows', workflowId, runId].map(encodePart).join('/');
  return `${ui.replace(/\/+$/, '')}/${path}`;
}

function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

function stepLine(step: StepView, nowMs: number): string {
  const note = step.note === undefined || step.note === '' ? '' : ` – ${mrkdwn(step.note, 180)}`;
  return `${STEP_ICONS[step.state]} *${mrkdwn(step.title, 100)}*${timing(step, nowMs)}${note}`;
}

function timing(step: StepView, nowMs: number): string {
  const startedMs = Date.parse(step.startedAt ?? '');
  const endedMs = Date.parse(step.endedAt ?? '');
  if (Number.isNaN(startedMs)) return step.state === 'planned' && step.expectedMs > 0 ? ` · ~${duration(step.expectedMs)}` : '';
  if (!Number.isNaN(endedMs)) return ` · ${duration(endedMs - startedMs)}`;
  return ` · ${progress(nowMs - startedMs, step.expectedMs)}`;
}

function gateLine(gate: UpgradeStatus['gates'][number]): string {
  const choices = gate.choices
    .slice(0, 8)
    .map((choice) => mrkdwn(choice, 40))
    .join(', ');
  return `⏳ *To decide:* ${mrkdwn(gate.title, 150)} (${choices}) – until ${when(gate.expiresAt)}`;
}

function freezeLine(freeze: FreezeView): string[] {
  const text = FREEZES[freeze.state];
  if (text === undefined) return [];
  return [freeze.note === undefined ? text : `${text}: ${mrkdwn(freeze.note, 250)}`];
}

function smallPrint({ status, plan, temporalUi, namespace, approvers }: BoardInput, nowMs: number): string[] {
  const startedMs = Date.parse(status.startedAt);
  const elapsedMs = (status.endedAt === undefined ? nowMs : Date.parse(status.endedAt)) - startedMs;
  const ids = approvers ?? [];
  const who = mentions({ users: ids, groups: ids });
  return [
    `Asked for by ${person(status.requestedBy)}, ${when(status.startedAt)}`,
    plan === undefined
      ? ''
      : `${progress(elapsedMs, plan.expectedMs)} in all · nodes ${mrkdwn(plan.strategy, 40)} · plan ${mrkdwn(plan.hash, 12)}`,
    who === '' ? '' : `May decide: ${who}`,
    temporalUi === undefined
      ? ''
      : link(temporalUrl(temporalUi, namespace ?? 'default', status.workflowId, status.runId), 'Open in Temporal UI'),
  ];
}

function controls(status: UpgradeStatus): Button[] {
  const value = { workflowId: status.workflowId, revision: status.revision, run: status.runId };
  const paused = status.pauseRequested || status.state === 'paused';
  return [
    paused
      ? button({ actionId: 'upgrade/resume', label: 'Resume', value, style: 'primary' })
      : button({ actionId: 'upgrade/pause', label: 'Pause', value }),
    button({
      actionId: 'upgrade/abort',
      label: 'Abort',
      value,
      style: 'danger',
      confirm: {
        title: `Abort the upgrade of ${status.cluster.name}?`.slice(0, LIMITS.confirmTitle),
        text: 'No further step starts. What was changed for the run is restored; a freeze is kept while nodes lag behind the control plane.',
      },
    }),
  ].filter((element) => element !== undefined);
}
