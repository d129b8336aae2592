/** What texts and pages of the fleet say alike. */
import type { FleetSources } from '../../domain/run/fleet-view/reading.ts';
import type { FleetRow, RowCampaign } from '../../domain/run/fleet-view/view.ts';
import { type CampaignBoard, stateText } from '../../domain/run/fleet-view/board.ts';
import { count, utcMinute } from '../../domain/core/text.ts';

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

/** Of a run that has ended. */
export function freezeText({ target, startedAt, waitsFor }: NonNullable<FleetRow['keptFreeze']>): string {
  return [
    `a run ${target === undefined ? '' : `to ${target} `}has ended and left drift frozen since ${utcMinute(startedAt)}`,
    ...(waitsFor === undefined ? [] : [gateText(waitsFor)]),
  ].join(', ');
}

function gateText({ id, title, progress, expiresAt, byItself }: NonNullable<NonNullable<FleetRow['run']>['waitsFor']>): string {
  const about = title === undefined ? id : `${title} (${id})`;
  return `${byItself === true ? 'continues by itself' : 'waits for people'}: ${about}${progress === undefined ? '' : `, ${progress}`}${expiresAt === undefined ? '' : `, ${byItself === true ? 'open until' : 'by'} ${utcMinute(expiresAt)}`}`;
}

/** "ring prod of campaign to-1-34: needs people" */
export const campaignText = ({ name, ring, state }: RowCampaign): string => `ring ${ring} of campaign ${name}: ${stateText(state)}`;

/** Which waits dates have in them. */
export const datesCount = (withinWindows: boolean): string =>
  `${withinWindows ? 'within windows and freezes,' : 'without windows and freezes, and'} without the time that decisions take`;

/** What the dates of a forecast rest on, and what they leave out. */
export function forecastRests({ state, from, forecast }: Pick<CampaignBoard, 'state' | 'from' | 'forecast'>): string {
  const how = datesCount(forecast?.withinWindows === true);
  if (from === 'configuration') return `Dates are as if it were started and approved now, ${how}.`;
  return `Dates are ${state === 'paused' ? 'as if it went on now' : 'from now on'}, ${how}.`;
}

/** Where it all comes from, in sentences. */
export function sourceTexts({ versions, runs, campaigns }: FleetSources, readAt: string): string[] {
  const at = utcMinute(readAt);
  const known = versions.from === 'aws' ? versions.why : undefined;
  const isOne = runs.from === campaigns.from && whyOf(runs) === whyOf(campaigns);
  return [
    versions.from === 'worker'
      ? `Versions were read by a worker at ${at}.`
      : `Versions were read from AWS by this machine at ${at}, without a worker: ${sentence(versions.why)}`,
    ...(isOne ? [openText('runs and campaigns', runs, known)] : [openText('runs', runs, known), openText('campaigns', campaigns, known)]),
  ];
}

type Open = FleetSources['runs'];

const whyOf = (source: Open): string | undefined => (source.from === 'unread' ? source.why : undefined);

/** `known`: why something else was not read, which is not said again. */
function openText(what: string, source: Open, known: string | undefined): string {
  if (source.from === 'temporal') return `Open ${what} are as Temporal has them.`;
  return known === source.why
    ? `Which ${what} are open is not known either.`
    : `Which ${what} are open is not known: ${sentence(source.why)}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
