/** Times on a terminal: in its own zone, which is named; JSON keeps them as they are. */
import { afterEach, expect, test, vi } from 'vitest';
import { show } from '../../../cli/shared/context.ts';
import { inLocalTime, localMinute, zonedMinute } from '../../../cli/shared/local-time.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each<[string, string, string]>([
  ['Europe/Berlin', 'until 2026-03-03T12:00:00.000Z, or abort', 'until 2026-03-03 13:00 CET, or abort'],
  ['Europe/Berlin', 'closes 2026-07-03 23:30 UTC.', 'closes 2026-07-04 01:30 CEST.'],
  ['Asia/Kolkata', 'opens Mon 2026-11-30 10:00 Europe/Berlin (UTC+01:00), in 37 h', 'opens 2026-11-30 14:30 GMT+5:30, in 37 h'],
  ['America/New_York', 'opens Tue 2026-03-03 02:00 UTC', 'opens 2026-03-02 21:00 GMT-5'],
  ['UTC', 'since 2026-03-03T12:00:05Z', 'since 2026-03-03 12:00 UTC'],
  ['Europe/Berlin', 'copy `--since 2026-03-03T12:00:00Z`', 'copy `--since 2026-03-03T12:00:00Z`'],
  [
    'Europe/Berlin',
    'a day, 2026-03-03, and gate health/2026-03-03T12:00:00Z#1',
    'a day, 2026-03-03, and gate health/2026-03-03T12:00:00Z#1',
  ],
  ['Europe/Berlin', '2026-03-03T12:00:00+02:00 and 2026-13-03 12:00 UTC', '2026-03-03T12:00:00+02:00 and 2026-13-03 12:00 UTC'],
])('in %s: %s', (timeZone, text, said) => {
  expect(inLocalTime(text, timeZone)).toBe(said);
});

test('what is no time says so', () => {
  expect(localMinute(Number.NaN)).toBe('an unknown time');
});

test('a command says times in the zone of its terminal, and JSON as they are', () => {
  const out: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const at = '2026-03-03T12:00:00Z';
  show({ format: 'text' }, { at }, (value) => `decide by ${value.at}`);
  show({ format: 'json' }, { at }, () => '');
  expect(out).toEqual([`decide by ${zonedMinute(at)}\n`, '{\n  "at": "2026-03-03T12:00:00Z"\n}\n']);
});
