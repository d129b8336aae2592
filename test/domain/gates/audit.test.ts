/** The audit record as people read it, and how patient its writer is. */
import { describe, expect, test } from 'vitest';
import { type AuditEvent, auditRetryMs, auditText } from '../../../domain/gates/audit.ts';

const vote: AuditEvent = {
  id: 'v',
  at: '2026-03-03T12:00:00.000Z',
  kind: 'vote',
  what: 'Control plane: approve.',
  actor: { kind: 'slack', id: 'U0SAM', name: 'Sam' },
  right: { why: 'may decide as approvers', rules: ['approvers'], through: ['group S0PLATFORM'] },
};

describe('a line of the audit record', () => {
  test('RS13: says by which rule and group the vote counts', () => {
    expect(auditText({ ...vote, reason: 'seen' })).toBe(
      '2026-03-03T12:00:00.000Z  vote     Control plane: approve. (Sam, slack U0SAM, may decide as approvers through group S0PLATFORM): seen',
    );
  });

  test('who acted without a right that was looked up stands there all the same', () => {
    expect(auditText({ ...vote, right: undefined })).toBe('2026-03-03T12:00:00.000Z  vote     Control plane: approve. (Sam, slack U0SAM)');
  });

  test.each([
    ['a line end', 'ok\n2026-03-03T12:00:01.000Z  vote     Reject: approve (Kim, slack U0KIM)', 'ok\\u000a2026'],
    ['a carriage return', 'ok\rnothing', 'ok\\u000dnothing'],
    ['a line separator', 'ok\u2028nothing', 'ok\\u2028nothing'],
    ['a mark that turns the direction of reading', 'ok\u202Enothing', 'ok\\u202enothing'],
    ['an escape of a terminal', 'ok\u001B[2Kgone', 'ok\\u001b[2Kgone'],
  ])('RS13: %s in a reason forges none', (_what, reason, written) => {
    const text = auditText({ ...vote, reason });
    expect(text).not.toMatch(/[\p{Cc}\u2028\u202E]/u);
    expect(text).toContain(written);
  });

  test('RS13: nor does one in a name', () => {
    expect(auditText({ ...vote, actor: { kind: 'cli', id: 'sam@host\nline', name: 'Sam\nline' } }).split('\n')).toHaveLength(1);
  });
});

test('RS3: a record that cannot be written for a week is tried some fifty times, not every half minute', () => {
  let tries = 0;
  for (let atMs = 0; atMs < 7 * 24 * 3_600_000; atMs += auditRetryMs(tries)) tries += 1;
  expect(tries).toBeLessThan(60);
  expect([1, 2, 3].map(auditRetryMs)).toEqual([30_000, 60_000, 120_000]);
});
