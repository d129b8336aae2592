/** `waivers:` in belay.yaml: each names a check that there is, why, who, and a last day. */
import { z } from 'zod';
import { CATALOGUE } from '../../../readiness/catalogue.ts';
import { text } from '../base/fields.ts';
import { nearest } from '../base/nearest.ts';

const CODES = CATALOGUE.map(({ code }) => code);
const RIGHT_CODE = 'write the code of a check such as K8S012 (docs/reference/checks.md lists them)';
const RIGHT_DAY = 'write a day such as 2026-12-31';

/** A waiver of nothing would look as if it worked. */
const check = text(RIGHT_CODE, /^[A-Z0-9]{3}\d{3}$/).refine((code) => CODES.includes(code), {
  error: ({ input }) => unknownCode(String(input)),
});

function unknownCode(code: string): string {
  const close = nearest(code, CODES);
  return close === undefined ? RIGHT_CODE : `did you mean ${close}? docs/reference/checks.md lists all`;
}

/** The calendar's days only: 2026-02-30 would never come. */
const day = text(RIGHT_DAY, /^\d{4}-\d{2}-\d{2}$/).refine(isDay, { error: RIGHT_DAY });

/** Is it a day of the calendar, written 2026-12-31? */
export function isDay(written: string): boolean {
  const parsed = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(written);
}

export const waivers = z
  .array(
    z.strictObject({
      check: check.describe('Code of a check (docs/reference/checks.md)'),
      resource: text('write namespace/name, or a name; * stands for any characters')
        .describe('namespace/name, or a name; * matches any characters')
        .optional(),
      reason: text('write why it is no problem').describe('Why you accept it'),
      by: text('write who decided it').describe('Who decided it'),
      until: day.describe('Last day it counts; reports then say that it has ended'),
    }),
    { error: 'write a list of waivers' },
  )
  .describe('Accepted findings: visible in `belay check` and at gates, but they stop nothing');
