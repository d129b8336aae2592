/** An update that takes longer than its time in `timing:`. EKS continues it whatever Belay does, so you are asked whether the step waits on. */
import { duration, utcMinute } from '../../../domain/core/text.ts';
import { CHOICES } from '../choices.ts';
import { type GateText, type Note, warning } from '../note.ts';

type Offer = GateText['choices'][number];

interface SlowUpdate {
  /** "node group general", "the control plane to 1.32" */
  what: string;
  updateId: string;
  /** How long Belay has watched it. */
  elapsedMs: number;
  /** After which time you are asked again. */
  againMs: number;
  /** What is known of it. */
  lines: string[];
  /** Beside Wait. */
  other: Offer;
}

export const slowUpdateGate = ({ what, updateId, elapsedMs, againMs, lines, other }: SlowUpdate): GateText => ({
  title: `${updateIsSlow(what, elapsedMs)}: keep waiting?`,
  next: `EKS continues update ${updateId} whatever you choose: it cannot be stopped. You do not have to press anything: this gate closes when the update ends.`,
  evidence: [{ title: 'So far', lines }],
  undo: 'Neither choice changes the update.',
  choices: [
    {
      id: 'wait',
      label: 'Wait',
      style: 'primary',
      does: `Keeps watching; asks again if the update is still running in ${duration(againMs)}.`,
    },
    other,
  ],
});

/** Of a control plane, without which nothing goes on. */
export const abortSlow = (): Offer => ({
  ...CHOICES.abort,
  does: 'Ends the run here; EKS continues the update. Temporary changes are undone.',
});

/** `effect`: what else that has. */
export const leaveSlow = (what: string, effect = ''): Offer => ({
  id: 'leave',
  label: 'Continue without it',
  needsReason: true,
  does: `The upgrade no longer waits for ${what}; validation names it, with who decided so, and accepts it unless EKS reports a problem with it.${effect}`,
});

/** `at`: ISO 8601. `issues`: of the resource; undefined: they cannot be read. */
export const slowUpdateLines = (at: string, issues: readonly string[] | undefined): string[] => {
  const asOf = `As of ${utcMinute(at)}:`;
  if (issues === undefined) return [`${asOf} UNKNOWN whether EKS reports a problem`];
  return issues.length === 0 ? [`${asOf} EKS reports no problem`] : issues.map((issue) => `${asOf} EKS reports ${issue}`);
};

/** During a rollback. */
export const fargateStaysStopped = (): string => 'What was stopped on Fargate stays stopped until this step ends';

/** Why that gate closes by itself. */
export const slowUpdateEnded = (what: string, how: 'Successful' | 'failed' | 'unwatched'): string =>
  ({
    Successful: `EKS has updated ${what}`,
    failed: `the update of ${what} failed`,
    unwatched: `the update of ${what} can no longer be watched`,
  })[how];

export const updateIsSlow = (what: string, elapsedMs: number): string => `EKS has been updating ${what} for ${duration(elapsedMs)}`;

export const stillUpdating = (what: string, elapsedMs: number): string => `${updateIsSlow(what, elapsedMs)}; Belay keeps watching.`;

/** You have left it to EKS, or the run is aborted. */
export const updateLeft = (what: string, updateId: string): Note =>
  warning(`EKS continues update ${updateId} of ${what}; this run no longer watches it. The next run adopts it.`);

/** For the step's result. */
export const updatesLeft = (names: readonly string[]): string => `EKS continues to update ${names.join(', ')}, as decided`;
