/** What a reminder says of itself, so that whoever delivers it can tell it from the one before. */
import { expect, test, vi } from 'vitest';
import type { Notification } from '../../../domain/run/notifications.ts';
import { GateStates } from '../../../workflows/gates/gate-states.ts';
import { Announcer } from '../../../workflows/reporting/announcer.ts';
import { open, status, WORKFLOW_ID } from '../../slack/fixtures.ts';
import { quickPolicy } from '../../support/fake-activities.ts';

test('reminders of a gate say when they became due; what is told of it otherwise does not', () => {
  const told: Notification[] = [];
  const states = new GateStates();
  const { cluster, requestedBy } = status();
  states.attached = {
    cluster,
    requestedBy,
    policy: quickPolicy(),
    workflowId: WORKFLOW_ID,
    announcer: new Announcer({ notePrefix: 'x', deliver: ({ notification }) => void told.push(notification) }),
    planHash: () => undefined,
    onChange: () => undefined,
    audit: () => undefined,
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (const [at, reminder] of [
      ['2026-03-04T00:05:00.000Z', false],
      ['2026-03-04T00:06:00.000Z', true],
      ['2026-03-04T06:05:00.000Z', true],
    ] as const) {
      vi.setSystemTime(at);
      states.announce(open(), reminder);
    }
  } finally {
    vi.useRealTimers();
  }
  expect(told.map((each) => (each.kind === 'gate' ? each.remindedAt : 'no gate'))).toEqual([
    undefined,
    '2026-03-04T00:06:00.000Z',
    '2026-03-04T06:05:00.000Z',
  ]);
});
