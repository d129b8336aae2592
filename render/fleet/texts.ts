/** What texts and pages of the fleet say alike. */
import type { FleetSources } from '../../domain/run/fleet-view/reading.ts';
import type { FleetRow } from '../../domain/run/fleet-view/view.ts';
import { utcMinute } from '../../domain/facts/rollback-window.ts';
import { count } from '../../domain/core/text.ts';

/** ", 6 days" */
export const daysText = ({ daysLeft }: Pick<FleetRow, 'daysLeft'>): string => (daysLeft === undefined ? '' : `, ${count(daysLeft, 'day')}`);

/** "upgrade to 1.34, control-plane@1.34, waits for …" */
export function runText({ target, phase, startedAt, waitsFor }: NonNullable<FleetRow['run']>): string {
  return [
    `a run ${target === undefined ? '' : `to ${target} `}is open since ${utcMinute(startedAt)}`,
    ...(phase === undefined ? [] : [`at ${phase}`]),
    ...(waitsFor === undefined ? [] : [gateText(waitsFor)]),
  ].join(', ');
}

function gateText({ id, title, progress, expiresAt }: NonNullable<NonNullable<FleetRow['run']>['waitsFor']>): string {
  const about = title === undefined ? id : `${title} (${id})`;
  return `waits for people: ${about}${progress === undefined ? '' : `, ${progress}`}${expiresAt === undefined ? '' : `, by ${utcMinute(expiresAt)}`}`;
}

/** Where it all comes from, in sentences. */
export function sourceTexts({ versions, runs }: FleetSources, readAt: string): string[] {
  const at = utcMinute(readAt);
  return [
    versions.from === 'worker'
      ? `Versions were read by a worker at ${at}.`
      : `Versions were read from AWS by this machine at ${at}, without a worker: ${sentence(versions.why)}`,
    runsText(versions, runs),
  ];
}

function runsText(versions: FleetSources['versions'], runs: FleetSources['runs']): string {
  if (runs.from === 'temporal') return 'Open runs are as Temporal has them.';
  const known = versions.from === 'aws' && versions.why === runs.why;
  return known ? 'Which runs are open is not known either.' : `Which runs are open is not known: ${sentence(runs.why)}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
