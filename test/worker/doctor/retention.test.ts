/** O33: the doctor refuses a namespace that forgets a run while somebody still goes by it. */
import { expect, test } from 'vitest';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import { examineRetention } from '../../../worker/doctor/retention.ts';

const DAY_S = 86_400;
const RAISE =
  'temporal operator namespace update --namespace belay --retention 90d, or tcld namespace retention set --namespace belay --retention-days 90 on Temporal Cloud';
const kept = (time: string): string => `namespace "belay" keeps the history of runs that have ended for ${time}`;
const LOST = 'by then nobody can read what was done and who approved it';

const config = validateConfig(
  {
    clusters: {
      staging: { region: 'eu-west-1', account: '123456789012', environment: 'staging' },
      prod: { region: 'eu-west-1', account: '123456789012', environment: 'production' },
    },
    environments: { production: { after: { environment: 'staging', bakedDays: 30 } } },
    approvals: { users: ['U012AB3CD'] },
    slack: { channel: 'C012AB3CD' },
  },
  { fileName: 'belay.yaml' },
);
const examined = (clusters: string[], seconds: number | undefined) => examineRetention(config, clusters, 'belay', seconds);

test.each([
  [['staging'], 3 * DAY_S, `${kept('3 days')}, but a control plane can be rolled back for 7 days: ${LOST}`],
  [['staging'], 6 * 3600, `${kept('6 h')}, but a control plane can be rolled back for 7 days: ${LOST}`],
  [['staging', 'prod'], 14 * DAY_S, `${kept('14 days')}, but prod waits until staging has baked for 30 days: ${LOST}`],
])('O33: %j with %d s is refused', (clusters, seconds, message) => {
  expect(examined(clusters, seconds)).toEqual({ area: 'Temporal', status: 'failed', message, fix: RAISE });
});

test.each([
  [['staging'], 7 * DAY_S, kept('7 days')],
  [['staging', 'prod'], 30 * DAY_S, kept('30 days')],
  [['prod'], 90 * DAY_S, kept('90 days')],
])('O33: %j with %d s is enough', (clusters, seconds, message) => {
  expect(examined(clusters, seconds)).toEqual({ area: 'Temporal', status: 'ok', message });
});

test.each([undefined, 0])('O33: what the server does not say (%j) is never taken for enough', (seconds) => {
  expect(examined(['prod'], seconds)).toEqual({
    area: 'Temporal',
    status: 'unknown',
    message: 'the server does not say for how long namespace "belay" keeps the history of runs that have ended',
    fix: `ask an administrator; it is set by: ${RAISE}`,
  });
});
