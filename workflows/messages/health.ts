/** Health: alerts before what cannot be undone, and checks beside each step. */
import type { HealthTrouble } from '../../activities/contract/health.ts';
import { someOf } from '../../domain/core/text.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { alertLine, alertsText, type AlertVerdict, type Firing } from '../../domain/health/alerts.ts';
import { type TriedCheck, triedLines } from '../../domain/health/checks.ts';
import { CHOICES, goAnyway } from './choices.ts';
import { type GateText, type Note, warning } from './note.ts';

type NotQuiet = Exclude<AlertVerdict, { kind: 'quiet' }>;
type Offer = GateText['choices'][number];

const bullets = (lines: readonly string[]): string => lines.map((line) => `• ${line}`).join('\n');

/** `dark`: checks whose query gives nothing, or could not be asked. */
export const blindHealthChecks = (dark: readonly TriedCheck[]): Note =>
  warning(
    `Health checks that return nothing:\n${bullets(triedLines(dark))}\nCorrect them in belay.yaml before you approve; otherwise the run continues without them.`,
  );

/** For the first gate. */
export const healthChecks = (tried: readonly TriedCheck[]): GateEvidence => ({
  title: 'Health checks',
  lines: triedLines(tried),
  verdict: tried.every(({ kind }) => kind === 'live') ? 'clear' : 'unknown',
});

/** Of checks that only warn. */
export const healthWarning = (step: string, lines: readonly string[]): Note => warning(`During ${step}:\n${bullets(lines)}`);

/** Headline of the run, and why it is parked. */
export const parkedByAlerts = (step: string, verdict: NotQuiet): string =>
  `Waiting for alerts to clear before ${step}: ${alertsProblem(verdict)}`;

export const alertsProblem = (verdict: NotQuiet): string =>
  verdict.kind === 'firing' ? alertsText(verdict) : `it is not known whether alerts are firing: ${verdict.why}`;

/** Why the gate closed. */
export const alertsResolved = (): string => 'no alert is firing any more';

export function alertsGate(step: string, verdict: NotQuiet, undo: string): GateText {
  const why = alertsProblem(verdict);
  return {
    title: `Waiting for alerts to clear before ${step}`,
    next: `Continues by itself once ${verdict.kind === 'firing' ? 'they are resolved' : 'Prometheus reports that none is firing'}.`,
    evidence: [
      verdict.kind === 'firing'
        ? { title: 'Firing alerts', lines: [...silences(verdict), ...verdict.alerts.slice(0, 8).map(alertLine)] }
        : { title: 'UNKNOWN', lines: [why] },
    ],
    undo,
    choices: [goAnyway(why), CHOICES.abort],
  };
}

/** Without Alertmanager's word every alert counts. */
const silences = ({ silencesUnseen }: Firing): string[] =>
  silencesUnseen === undefined ? [] : [`UNKNOWN whether they are silenced: ${silencesUnseen}`];

/** Why the roll of the nodes is held, for the step that rolls them. */
export const rollHeldByHealth = ({ checks, kind }: Pick<HealthTrouble, 'checks' | 'kind'>): string =>
  `health check ${someOf(checks)} ${verb(kind)}`;

const verb = (kind: HealthTrouble['kind']): string => (kind === 'fail' ? 'fails' : 'cannot see');

/** `held`: the step itself waits meanwhile; otherwise what it has begun continues, and the next step waits. */
export function healthGate(
  step: string,
  { kind, checks, lines }: HealthTrouble,
  { held, undo, back }: { held: boolean; undo: string; back: readonly Offer[] },
): GateText {
  const names = someOf(checks);
  return {
    title: `Health check ${names} ${verb(kind)} during ${step}`,
    next: held
      ? 'No further node is replaced until somebody decides.'
      : 'What this step has started continues; no other step starts until somebody decides.',
    evidence: [{ title: kind === 'fail' ? 'What was seen' : 'UNKNOWN', lines: lines.slice(0, 8) }],
    undo,
    choices: [
      { id: 'keep-watching', label: 'Keep watching', style: 'primary', does: 'Continues, and watches the same checks again.' },
      {
        id: 'continue',
        label: 'Continue without',
        needsReason: true,
        does: `Continues; ${names} is no longer watched during this step.`,
      },
      ...back,
      CHOICES.abort,
    ],
  };
}

/** Why a gate of checks closed. */
export const stepHasEnded = (): string => 'the step has ended';

export const healthUndecided = (gate: string, problem: string): string => `Nobody decided at ${gate} in time: ${problem}`;
