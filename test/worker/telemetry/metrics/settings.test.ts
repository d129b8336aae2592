/** Where metrics are shown, and by which process. */
import { expect, test } from 'vitest';
import { metricsSettings } from '../../../../worker/telemetry/metrics/settings.ts';

test.each([
  ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
  ['metrics.internal:80', { host: 'metrics.internal', port: 80 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
  [':9464', { port: 9464 }],
])('%s', (address, expected) => {
  expect(metricsSettings({ BELAY_METRICS_ADDRESS: address }, 'slack')).toEqual({ ...expected, runs: true });
});

test.each(['9464', 'localhost', '::1:9464', 'localhost:70000', 'http://localhost:9464', 'local host:1'])('%s is no address', (address) => {
  expect(() => metricsSettings({ BELAY_METRICS_ADDRESS: address }, 'worker')).toThrow(
    `BELAY_METRICS_ADDRESS is "${address}"; set it to host:port, such as 127.0.0.1:9464, or :9464 for every address.`,
  );
});

test('O25: runs are shown by one process: the Slack process, unless the variable says otherwise', () => {
  const runs = (component: 'worker' | 'slack', value?: string): boolean | undefined =>
    metricsSettings({ BELAY_METRICS_ADDRESS: ':1', BELAY_METRICS_RUNS: value }, component)?.runs;
  expect([runs('slack'), runs('worker'), runs('slack', 'no'), runs('worker', 'yes'), runs('worker', '')]).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(() => runs('worker', 'true')).toThrow('BELAY_METRICS_RUNS is "true"; set it to yes or no.');
});

test('without an address there is nothing', () => {
  expect(metricsSettings({ BELAY_METRICS_RUNS: 'yes' }, 'slack')).toBeUndefined();
});
