/** BELAY_AFTER_RESTORE is a moment in the past, or the worker does not start. */
import { expect, test } from 'vitest';
import { afterRestore } from '../../../worker/config/after-restore.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const FORM = 'Write the time of the restore in UTC, such as 2026-11-26T04:30:00Z.';

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['  ', undefined],
  ['2026-11-26T04:30Z', '2026-11-26T04:30:00.000Z'],
  [' 2026-11-26T04:30:00Z ', '2026-11-26T04:30:00.000Z'],
])('O17: %j is %j', (text, at) => {
  expect(afterRestore({ BELAY_AFTER_RESTORE: text }, NOW)?.at).toBe(at);
});

test.each<[string, string]>([
  ['yes', `BELAY_AFTER_RESTORE: "yes" is not a time. ${FORM}`],
  ['2026-11-26', `BELAY_AFTER_RESTORE: "2026-11-26" is not a time. ${FORM}`],
  ['2026-11-26T04:30:00+02:00', `BELAY_AFTER_RESTORE: "2026-11-26T04:30:00+02:00" is not a time. ${FORM}`],
  ['2026-13-26T04:30:00Z', `BELAY_AFTER_RESTORE: "2026-13-26T04:30:00Z" is not a time. ${FORM}`],
  ['2026-11-26T12:00:01Z', `BELAY_AFTER_RESTORE: 2026-11-26T12:00:01Z lies ahead: runs that are still to begin have lost nothing. ${FORM}`],
])('O17: %s is refused', (text, message) => {
  expect(() => afterRestore({ BELAY_AFTER_RESTORE: text }, NOW)).toThrow(expect.objectContaining({ message }));
});
