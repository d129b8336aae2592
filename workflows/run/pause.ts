/** A pause holds a run between two steps for as long as people want, which is easily forgotten: once a day it is said. */
import { condition } from '@temporalio/workflow';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { pausedBefore, runResumed, stillPaused } from '../messages/run.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';

const DAY_MS = 24 * 3_600_000;

/** Returns at once where nobody has paused. */
export async function untilResumed({ status }: UpgradeProgress, voice: RunNotifier, step: PlannedStep): Promise<void> {
  if (!status.pauseRequested) return;
  voice.say('paused', pausedBefore(step.title));
  // A campaign says itself which of its runs make no progress, and would take a reminder for some.
  const remindMs = status.campaign === undefined ? DAY_MS : undefined;
  for (let days = 1; !(await isResumed(status, remindMs)); days += 1) {
    const isFrozen = status.freeze.state === 'frozen' || status.freeze.state === 'pacing';
    voice.note(stillPaused(status.cluster.name, { step: step.title, days, isFrozen }));
  }
  voice.say('running', runResumed());
}

/** false: not within the time. */
async function isResumed(status: UpgradeProgress['status'], withinMs: number | undefined): Promise<boolean> {
  const resumed = (): boolean => !status.pauseRequested;
  if (withinMs !== undefined) return await condition(resumed, withinMs, { summary: 'Remind of the pause' });
  await condition(resumed);
  return true;
}
