/** The Alertmanager client against the twin's, and what silences do to alerts that fire. */
import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { alertsNow } from '../../../../activities/observe/health/query.ts';
import { createAlertmanagerClient } from '../../../../activities/clients/metrics/alertmanager.ts';
import { createPrometheusClient } from '../../../../activities/clients/metrics/prometheus.ts';
import { type KnownAlert, unsuppressed } from '../../../../domain/health/alerts.ts';
import { startPrometheusServer } from '../../../../rehearsal/neighbours/prometheus/server.ts';
import { buildWorld } from '../../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../../rehearsal/world/manual-clock.ts';

const IGNORE = ['Watchdog'];
const close: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

async function shared(matchers: string[]) {
  const { world } = buildWorld({
    scenario: 'prometheus-shared',
    speed: 1,
    faults: [],
    clock: new ManualClock({ startsAt: '2025-04-29T09:00:00Z' }),
  });
  const standIn = await startPrometheusServer({ world });
  close.push(() => standIn.close());
  return {
    prometheus: createPrometheusClient({ url: standIn.url, matchers }),
    alertmanager: createAlertmanagerClient({ url: `${standIn.url}/alertmanager` }),
  };
}

/** An Alertmanager of one answer. */
async function alertmanager(status: number, body: string) {
  const server: Server = createServer((_request, response) => void response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close.push(() => server.close());
  const address = server.address();
  return createAlertmanagerClient({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/` });
}

describe('a Prometheus that clusters share', () => {
  test("the other cluster's alerts stop nothing, nor does what is silenced", async () => {
    expect(await alertsNow(await shared(['cluster="prometheus-shared"']), IGNORE)).toEqual({ kind: 'quiet' });
  });

  test('without matchers the other one is seen as well; without an Alertmanager what is silenced counts', async () => {
    const names = async (matchers: string[], keep: boolean): Promise<string[]> => {
      const { prometheus, alertmanager } = await shared(matchers);
      const verdict = await alertsNow({ prometheus, ...(keep ? { alertmanager } : {}) }, IGNORE);
      return verdict.kind === 'firing' ? verdict.alerts.map(({ name }) => name) : [];
    };
    expect(await names([], true)).toEqual(['KubeAPIDown']);
    expect(await names(['cluster="prometheus-shared"'], false)).toEqual(['CheckoutSlow']);
  });

  test.each([
    ['refuses', 403, '', 'it answered 403'],
    ['fails', 503, 'no', 'the answer (503) is not one of Alertmanager'],
    ['is somebody else', 200, '{"status":"success"}', 'the answer (200) is not one of Alertmanager'],
  ])('an Alertmanager that %s silences nothing, and that is said', async (_title, status, body, why) => {
    const { prometheus } = await shared(['cluster="prometheus-shared"']);
    expect(await alertsNow({ prometheus, alertmanager: await alertmanager(status, body) }, IGNORE)).toMatchObject({
      kind: 'firing',
      alerts: [{ name: 'CheckoutSlow' }],
      silencesUnseen: expect.stringContaining(why),
    });
  });
});

describe('which series are silenced', () => {
  const SERIES = { labels: { __name__: 'ALERTS', alertstate: 'firing', alertname: 'A', pod: 'x' } };
  const known = (suppressed: boolean, labels: Record<string, string> = {}): KnownAlert => ({
    labels: { alertname: 'A', pod: 'x', ...labels },
    suppressed,
  });
  test.each<[string, KnownAlert[], boolean]>([
    ['the same alert', [known(true)], true],
    ['with labels that Prometheus adds', [known(true, { cluster: 'a' })], true],
    ['one that is active', [known(false)], false],
    ['one of another pod', [known(true, { pod: 'y' })], false],
    ['of two clusters one is active', [known(true, { cluster: 'a' }), known(false, { cluster: 'b' })], false],
    ['one that says less', [{ labels: { alertname: 'A' }, suppressed: true }], false],
    ['none that is known', [], false],
  ])('%s', (_title, alerts, silenced) => {
    expect(unsuppressed([SERIES], alerts)).toEqual(silenced ? [] : [SERIES]);
  });
});
