/** The clock of a cluster's way back: outlives the run that has moved the control plane, and tells its thread before EKS closes the window, and then. */
import { isCancellation, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { ROLLBACK_REMINDERS, ROLLBACK_WINDOW_MS, type RollbackWindow, type WayBack } from '../../domain/facts/rollback-window.ts';
import {
  rollbackWindowClosed,
  rollbackWindowCloses,
  rollbackWindowOpen,
  updateOutlivedRun,
  updateStillRuns,
} from '../messages/rollback-window.ts';
import { phaseActivities } from '../runtime/activity-proxies.ts';
import { slashOf, tellOfWindow, windowNews } from './rollback-window-voice.ts';
import { UnrequestedRollbackWatch } from './rollback-window-watch.ts';
import { controlPlaneMoved, type RollbackWindowInput } from '../contract/messages.ts';
import { Heard } from '../contract/stamp.ts';

/** Timers wake no more often than this, however near a moment is. */
const SHORTEST_WAIT_MS = 1000;
/** An update that has not ended after so many times of its usual limit is none that still ends. */
const LOOKS = 24;

type Pending = NonNullable<RollbackWindowInput['pending']>;

export type RollbackWindowEnd = 'closed' | 'moved-on' | 'rolled-back';

export async function rollbackWindow(first: RollbackWindowInput): Promise<RollbackWindowEnd> {
  let input = first;
  /** What this clock has watched before it heard of an update that may come to nothing. */
  let before: RollbackWindowInput | undefined;
  let movedCount = 0;
  const heard = new Heard();
  setHandler(controlPlaneMoved, (message) => {
    if (!heard.isNew(controlPlaneMoved, message)) return;
    const { up: next } = message;
    if (next?.pending !== undefined && input.pending === undefined) before = input;
    input = next ?? input;
    movedCount += 1;
  });
  const descents = new UnrequestedRollbackWatch();
  for (;;) {
    const seenCount = movedCount;
    const { pending } = input;
    if (pending !== undefined) await untilEnded(input, pending);
    if (seenCount !== movedCount) continue;
    const { now, back } = await read(input);
    if (seenCount !== movedCount) continue;
    if (pending !== undefined) {
      const { pending: _ended, ...known } = input;
      const arrived = back.kind !== 'none' && back.window.at === pending.to;
      input = arrived ? { ...known, at: pending.to } : (before ?? known);
      if (arrived && back.kind === 'open')
        await tellOfWindow(input, updateOutlivedRun(input.cluster.name, input.at, back.window), windowNews('opened', back.window));
    }
    const ended = endOf(back, input.at);
    if (ended === 'closed' && back.kind === 'closed')
      await tellOfWindow(input, rollbackWindowClosed(input.cluster.name, input.at, back.window), windowNews('closed', back.window));
    if (ended !== undefined) return ended;
    if (back.kind !== 'open') continue;
    const { reminder, leftMs } = nextMoment(back.window, now);
    setCurrentDetails(rollbackWindowOpen(input.cluster.name, input.at, back.window));
    const waitMs = Math.max(SHORTEST_WAIT_MS, leftMs * pace(input));
    const summary = reminder === undefined ? 'Until the window closes' : `Until there is ${reminder.left}`;
    const isMoved = (): boolean => seenCount !== movedCount;
    const wait = await descents.during(input, { isMoved, waitMs, summary });
    if (wait.kind === 'tell') await tellOfWindow(input, wait.note, wait.news);
    if (wait.kind !== 'due') continue;
    if (reminder === undefined) continue;
    const { left } = reminder;
    const closes = rollbackWindowCloses(input.cluster.name, input.at, back.window, { left, slash: slashOf(input) });
    await tellOfWindow(input, closes, windowNews('closing', back.window, left));
  }
}

/** However it ended, or cannot be watched: what EKS lists decides. */
async function untilEnded({ cluster, policy }: RollbackWindowInput, { updateId, to }: Pending): Promise<void> {
  const { timing } = policy;
  setCurrentDetails(updateStillRuns(cluster.name, updateId, to));
  for (let look = 0; look < LOOKS; look += 1) {
    const asked = { cluster, timing, resource: { kind: 'cluster' as const }, updateId, to, timeoutMs: timing.controlPlaneTimeoutMs };
    try {
      const { status } = await phaseActivities(timing).watch.awaitUpdate.executeWithOptions(
        { summary: `Wait for EKS update ${updateId}` },
        [asked],
      );
      if (status !== 'TimedOut') return;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return;
    }
  }
}

/** Timers only wake: what EKS lists decides. */
async function read({ cluster, policy }: RollbackWindowInput): Promise<{ now: string; back: WayBack }> {
  return phaseActivities(policy.timing).owed.readRollbackWindow.executeWithOptions({ summary: 'Until when EKS takes it back' }, [
    { cluster },
  ]);
}

/** undefined: the window is open, for the step that the clock was started for. */
function endOf(back: WayBack, at: string): RollbackWindowEnd | undefined {
  if (back.kind === 'none') return back.why === 'rolled-back' ? 'rolled-back' : 'moved-on';
  if (back.window.at !== at) return 'moved-on';
  return back.kind === 'closed' ? 'closed' : undefined;
}

/** The next time at which something is to be said, and how far it is by EKS's clock. */
function nextMoment({ closesAt }: RollbackWindow, now: string): { reminder?: (typeof ROLLBACK_REMINDERS)[number]; leftMs: number } {
  const leftMs = Date.parse(closesAt) - Date.parse(now);
  const reminder = ROLLBACK_REMINDERS.find(({ beforeMs }) => beforeMs < leftMs);
  return reminder === undefined ? { leftMs } : { reminder, leftMs: leftMs - reminder.beforeMs };
}

/** Shares of the window as it is configured. */
const pace = ({ policy }: RollbackWindowInput): number => policy.timing.rollbackWindowMs / ROLLBACK_WINDOW_MS;
