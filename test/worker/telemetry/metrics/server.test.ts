/** The pages of a process's own port. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, servePages } from '../../../../worker/telemetry/metrics/server.ts';

let why: string | undefined;
let broken: boolean;
let listening: Listening;

beforeEach(async () => {
  why = undefined;
  broken = false;
  const metrics = (): Promise<{ contentType: string; text: string }> =>
    broken ? Promise.reject(new Error('a bug')) : Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'belay_runs 1\n' });
  listening = await servePages({ metrics, notReady: () => why }, { host: '127.0.0.1', port: 0 });
});
afterEach(() => listening.close());

async function asked(path: string, method = 'GET'): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${listening.port}${path}`, { method });
  return [response.status, await response.text()];
}

test('each path answers for itself', async () => {
  expect(await asked('/metrics?x=1')).toEqual([200, 'belay_runs 1\n']);
  expect(await asked('/healthz')).toEqual([200, 'ok\n']);
  expect(await asked('/readyz')).toEqual([200, 'ok\n']);
  why = 'Temporal refuses the credentials of this worker.';
  expect(await asked('/readyz')).toEqual([503, 'Temporal refuses the credentials of this worker.\n']);
  // A restart cures nothing that readiness is about.
  expect(await asked('/healthz')).toEqual([200, 'ok\n']);
});

test('nothing else is answered, and a bug ends one answer only', async () => {
  expect(await asked('/')).toEqual([404, 'There are /metrics, /healthz and /readyz.\n']);
  expect(await asked('/metrics', 'POST')).toEqual([405, 'Only GET.\n']);
  broken = true;
  expect(await asked('/metrics')).toEqual([500, 'a bug\n']);
  expect(await asked('/healthz')).toEqual([200, 'ok\n']);
});

test('a port in use names the variable', async () => {
  const pages = { metrics: () => Promise.reject(new Error('unasked')), notReady: () => undefined };
  await expect(servePages(pages, { host: '127.0.0.1', port: listening.port })).rejects.toThrow(
    `Cannot show metrics on 127.0.0.1, port ${listening.port}: it is in use. Set BELAY_METRICS_ADDRESS to an address of this machine that is free; each process needs its own.`,
  );
});
