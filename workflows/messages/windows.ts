/** A run that waits for its time: for a maintenance window, or for the environment before its own. */
import { count, duration } from '../../domain/core/text.ts';
import type { AfterEnvironment } from '../../domain/policy/environments.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import { CHOICES, goAnyway } from './choices.ts';
import type { GateText } from './note.ts';

type NotOpen = Exclude<WindowVerdict, { kind: 'open' }>;

/** Headline of the run. `title`: what waits, "Control plane 1.31 → 1.32". */
export const parkedOutsideWindow = (title: string, verdict: NotOpen): string =>
  `Waiting for a maintenance window before ${title}: ${verdict.why}${opens(verdict)}`;

/** Why the gate closed. */
export const windowOpened = (): string => 'a maintenance window is open';

/** Why the gate closed: the one that follows says when the next window opens. */
export const windowMoved = (): string => 'the next maintenance window opens later than was said';

/** `waitMs`: until the next window; 0 where none is known. */
export function windowGate({ title, undo, waitMs }: { title: string; undo: string; waitMs: number }, verdict: NotOpen): GateText {
  return {
    title: `Waiting for a maintenance window before ${title}`,
    next: `Continues by itself once belay.yaml's windows allow it${opens(verdict)}.`,
    evidence: [
      { title: verdict.kind === 'unknown' ? 'UNKNOWN' : 'Why it waits', lines: [verdict.why] },
      ...(waitMs === 0 || verdict.kind !== 'closed'
        ? []
        : [{ title: 'Next window', lines: [`${verdict.opensText ?? verdict.opensAt ?? ''}, in ${duration(waitMs)}`] }]),
    ],
    undo,
    choices: [goAnyway(verdict.why), CHOICES.abort],
  };
}

const opens = (verdict: WindowVerdict): string =>
  verdict.kind === 'closed' && verdict.opensText !== undefined ? `; the next window opens ${verdict.opensText}` : '';

/** Why a run waits for an environment. `unknown`: its clusters could not be looked at. */
export const environmentNotReady = ({ environment, bakedDays }: AfterEnvironment, target: string, status: 'fail' | 'unknown'): string =>
  status === 'unknown'
    ? `${environment} could not be checked`
    : `${environment} has not been at ${target} for ${count(bakedDays, 'day')} yet`;

/** `why`: of `environmentNotReady`. `seen`: a line per cluster. */
export function environmentOrderGate(
  { environment, bakedDays }: AfterEnvironment,
  { target, why, seen }: { target: string; why: string; seen: readonly string[] },
): GateText {
  return {
    title: `${environment} has to be upgraded first: continue?`,
    next: `Press Look again once every cluster of ${environment} has been at ${target} for ${count(bakedDays, 'day')}.`,
    evidence: [{ title: why, lines: seen.length === 0 ? [`no cluster of ${environment} is known`] : [...seen] }],
    undo: nothingChangedYet(),
    choices: [
      { id: 'look-again', label: 'Look again', style: 'primary', does: `Reads the clusters of ${environment} again.` },
      { ...goAnyway(why), does: `Starts although ${why}.` },
      CHOICES.abort,
    ],
  };
}

/** In the evidence of the gates that follow. */
export const environmentWaived = (reason: string | undefined): string => `waived: ${reason ?? ''}`;

export const environmentCameFirst = (environment: string): string => `${environment} was upgraded first`;

/** Of the gate at which the whole run waits. */
export const nothingChangedYet = (): string => 'Nothing has been changed yet.';
