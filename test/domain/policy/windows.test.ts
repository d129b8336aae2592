/** Maintenance windows in one line. */
import { expect, test } from 'vitest';
import { hoursText, type MaintenanceHours, WEEKDAYS } from '../../../domain/policy/windows.ts';

test.each<[Partial<MaintenanceHours>, string]>([
  [{ days: ['sat', 'sun'] }, 'Sat, Sun 02:30–05:00 Europe/Berlin'],
  [{ days: [...WEEKDAYS] }, 'daily 02:30–05:00 Europe/Berlin'],
  [{ weeksOfMonth: [2] }, '2nd Tue 02:30–05:00 Europe/Berlin'],
  [{ weeksOfMonth: ['last'] }, 'last Tue 02:30–05:00 Europe/Berlin'],
  [{ weeksOfMonth: [1, 3], days: ['tue', 'thu'] }, '1st and 3rd Tue, Thu 02:30–05:00 Europe/Berlin'],
  [{ weeksOfMonth: [1, 2, 'last'] }, '1st, 2nd and last Tue 02:30–05:00 Europe/Berlin'],
  [{ weeksOfMonth: [4], days: [...WEEKDAYS] }, '4th Mon, Tue, Wed, Thu, Fri, Sat, Sun 02:30–05:00 Europe/Berlin'],
])('F43: hours of %j are written as people call them', (change, text) => {
  expect(hoursText({ days: ['tue'], start: '02:30', end: '05:00', timeZone: 'Europe/Berlin', ...change })).toBe(text);
});
