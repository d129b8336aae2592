/** `proposals:` of belay.yaml: off without it, defaults, and errors that name field, value and fix. */
import { expect, test } from 'vitest';
import type { Config } from '../../../../../domain/policy/config/config.ts';
import { parseConfig } from '../../../../../worker/config/config.ts';
import { failure } from '../../../../support/thrown.ts';

const read = (proposals: string, slack = 'slack: { channel: C012AB3CD }'): Config =>
  parseConfig(
    `clusters:
  dev-1: { region: eu-west-1, account: "111122223333" }
approvals: { users: [U012AB3CD] }
${slack}
${proposals}
`,
    'belay.yaml',
  );

test.each(['', 'proposals:', 'proposals: { enabled: false }', 'proposals: { enabled: false, channel: C1 }'])('off: "%s"', (given) => {
  expect(read(given).proposals).toBeUndefined();
});

test('on with any key: Mondays at 8:00 UTC in the channel of the file, 90 days ahead', () => {
  expect(read('proposals: { enabled: true }').proposals).toMatchObject({
    at: { days: ['mon'], start: '08:00', timeZone: 'UTC' },
    channel: 'C012AB3CD',
    withinDays: 90,
    approvals: { users: ['U012AB3CD'] },
  });
});

test('every setting is read as it is written', () => {
  const given = 'proposals: { days: [thu, tue], at: "16:30", timeZone: Europe/Zurich, channel: upgrades, withinDays: 120 }';
  expect(read(given, '').proposals).toMatchObject({
    at: { days: ['tue', 'thu'], start: '16:30', timeZone: 'Europe/Zurich' },
    channel: 'upgrades',
    withinDays: 120,
  });
});

test.each([
  [
    'proposals: { days: [monday] }',
    'belay.yaml:5: proposals.days[0]: "monday" is not valid; write a list of mon, tue, wed, thu, fri, sat, sun',
  ],
  ['proposals: { at: "8am" }', 'belay.yaml:5: proposals.at: "8am" is not valid; write a time such as "08:00"'],
  [
    'proposals: { timeZone: Zurich/CH }',
    'belay.yaml:5: proposals.timeZone: "Zurich/CH" is not valid; write an IANA time zone such as Europe/Berlin or UTC',
  ],
  ['proposals: { withinDays: 0 }', 'belay.yaml:5: proposals.withinDays: 0 is not valid; write a whole number of days from 1 to 730'],
  ['proposals: { enable: true }', 'belay.yaml:5: proposals.enable: unknown key; did you mean "enabled"?'],
])('%s', (given, message) => {
  expect(failure(() => read(given))).toContain(message);
});

test('on without a channel, where Slack is used: nobody would see a proposal', () => {
  expect(failure(() => read('proposals: { enabled: true }', 'slack: { stakeholders: C034CD5EF }'))).toContain(
    'proposals.channel: is missing, and there is no slack.channel either, so nobody would see a proposal; write a channel id such as C012AB3CD',
  );
});
