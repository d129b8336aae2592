/** `windows:` in belay.yaml: when changes may be made, when not, and when nobody is woken. */
import { z } from 'zod';
import {
  EXCLUSION_SCOPES,
  type MaintenanceHours,
  OUTSIDE,
  type WeeklyHours,
  WEEKDAYS,
  WEEKS_OF_MONTH,
  type WindowPolicy,
} from '../../windows.ts';
import { duration, text } from '../base/fields.ts';
import { DEFAULT_WINDOWS } from '../defaults.ts';
import { isDay } from './waivers.ts';

const RIGHT_ZONE = 'write an IANA time zone such as Europe/Berlin or UTC';
const RIGHT_DAYS = `write a list of ${WEEKDAYS.join(', ')}`;
const RIGHT_WEEKS = `write a list of ${WEEKS_OF_MONTH.join(', ')}, such as [2] for the second such day of the month; not every month has a fifth`;
const RIGHT_MOMENT = 'write a day such as 2026-12-18, or a day and time such as 2026-12-18T18:00';

export const timeZone = text(RIGHT_ZONE, /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/)
  .refine(isZone, { error: RIGHT_ZONE })
  .describe('IANA time zone');

/** The same table of zones that reckons with them later. */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const weekdays = z.array(z.enum(WEEKDAYS, { error: RIGHT_DAYS }), { error: RIGHT_DAYS }).min(1, { error: RIGHT_DAYS });

/** `such`: a time that is right. */
export const clockTime = (such: string): z.ZodString => text(`write a time such as "${such}"`, /^([01]\d|2[0-3]):[0-5]\d$/);

const days = weekdays.describe('Days on which it begins').optional();

const hourFields = {
  days,
  start: clockTime('22:00').describe('Local time, such as "22:00"'),
  end: text('write a time such as "04:00", or "24:00" for midnight', /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/).describe(
    'Local time; if not after the start, on the next day',
  ),
  timeZone: timeZone.optional(),
};

const hasLength = ({ start, end }: { start: string; end: string }): boolean => start !== end;
const NO_LENGTH = { error: 'start and end are the same; write "00:00" and "24:00" for a whole day' };

const hours = z.strictObject(hourFields).refine(hasLength, NO_LENGTH);

const weeksOfMonth = z
  .array(z.literal([...WEEKS_OF_MONTH], { error: RIGHT_WEEKS }), { error: RIGHT_WEEKS })
  .min(1, { error: RIGHT_WEEKS })
  .describe('Which of these days in a month, by the local date on which the window begins: [2] with days [tue] is the second Tuesday')
  .optional();

const maintenanceHours = z
  .strictObject({ days: hourFields.days, weeksOfMonth, start: hourFields.start, end: hourFields.end, timeZone: hourFields.timeZone })
  .refine(hasLength, NO_LENGTH)
  // "The second week" alone means another thing to everybody.
  .refine((each) => each.weeksOfMonth === undefined || each.days !== undefined, {
    path: ['weeksOfMonth'],
    error: 'counts weekdays; write days as well, such as days: [tue] for the second Tuesday of each month',
  });

const moment = text(RIGHT_MOMENT, /^\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):[0-5]\d)?$/).refine((written) => isDay(written.slice(0, 10)), {
  error: RIGHT_MOMENT,
});

const exclusion = z
  .strictObject({
    from: moment.describe('A day, or a day and time, in local time'),
    until: moment.describe('Likewise; a day counts to its end'),
    scope: z
      .enum(EXCLUSION_SCOPES, { error: `write one of ${EXCLUSION_SCOPES.join(', ')}` })
      .describe(
        'no-upgrades: no changing step starts; no-minor-upgrades: no control plane moves, a started upgrade continues; no-node-replacement: no nodes are replaced',
      )
      .optional(),
    reason: text('write why, such as Christmas trade').describe('Shown where it stops something'),
    timeZone: timeZone.optional(),
  })
  .refine(({ from, until }) => from <= until || from.startsWith(until), { error: 'until is before from' });

export const windowsSchema = z
  .strictObject({
    timeZone: timeZone.describe('IANA time zone of this section and those below it').optional(),
    maintenance: z
      .array(maintenanceHours, { error: 'write a list of windows, each with start and end' })
      .describe('Changing steps start only in these hours')
      .optional(),
    exclusions: z
      .array(exclusion, { error: 'write a list of exclusions, each with from, until and reason' })
      .describe('Times without changes, whatever the windows say')
      .optional(),
    quietHours: z
      .array(hours, { error: 'write a list of hours, each with start and end' })
      .describe('Slack messages mention nobody then')
      .optional(),
    outside: z
      .enum(OUTSIDE, { error: `write ${OUTSIDE.join(' or ')}` })
      .describe('Starting outside the windows. refuse: not possible; queue: the run waits at a gate')
      .optional(),
    lastStart: duration('No step, however quick, starts this shortly before a window closes').optional(),
  })
  .describe('When changes may be made');

type WindowsInput = z.output<typeof windowsSchema>;

/** Layers of the file, the later over the earlier; exclusions of all layers count, so that nobody gets around the company's by writing their own. */
export function windowsFrom(layers: readonly (WindowsInput | undefined)[]): WindowPolicy {
  let windows = DEFAULT_WINDOWS;
  let zone = 'UTC';
  for (const layer of layers) {
    // What a layer writes is in its own zone, else in that of the nearest layer above it.
    zone = layer?.timeZone ?? zone;
    if (layer !== undefined) windows = mergeWindows(windows, layer, zone);
  }
  return windows;
}

function mergeWindows(base: WindowPolicy, over: WindowsInput, zone: string): WindowPolicy {
  const weekly = (each: z.output<typeof hours>): WeeklyHours => ({
    days: each.days ?? [...WEEKDAYS],
    start: each.start,
    end: each.end,
    timeZone: each.timeZone ?? zone,
  });
  const maintenance = (each: z.output<typeof maintenanceHours>): MaintenanceHours => ({
    ...weekly(each),
    ...(each.weeksOfMonth === undefined ? {} : { weeksOfMonth: WEEKS_OF_MONTH.filter((week) => each.weeksOfMonth?.includes(week)) }),
  });
  const exclusions = (over.exclusions ?? []).map((each) => ({
    from: each.from,
    until: each.until,
    timeZone: each.timeZone ?? zone,
    scope: each.scope ?? ('no-upgrades' as const),
    reason: each.reason,
  }));
  return {
    maintenance: over.maintenance?.map(maintenance) ?? base.maintenance,
    exclusions: [...base.exclusions, ...exclusions],
    quietHours: over.quietHours?.map(weekly) ?? base.quietHours,
    outside: over.outside ?? base.outside,
    lastStartMs: over.lastStart ?? base.lastStartMs,
  };
}
