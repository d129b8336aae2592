/** When credentials for Temporal end, from what is in them; a key that says nothing has no end that could be shown. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { generate } from 'selfsigned';
import { credentialSeries } from '../../../../worker/telemetry/metrics/credential-series.ts';

let registry: Registry;
let connection: () => Parameters<Parameters<typeof credentialSeries>[1] extends () => infer C ? (of: C) => void : never>[0];

beforeEach(() => {
  registry = new Registry();
  connection = () => ({ address: 'x' });
  credentialSeries(registry, () => connection());
});
afterEach(() => registry.clear());

const shown = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line.startsWith('belay_'));
const token = (claims: unknown): string => ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'sig'].join('.');

test('a certificate by its end, and a renewed one by its own at the next scrape', async () => {
  const pem = async (days: number) => {
    const notAfterDate = new Date(Date.UTC(2030, 0, days));
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'belay' }], { notAfterDate });
    return { crt: Buffer.from(cert), key: Buffer.from(key) };
  };
  for (const days of [1, 20]) {
    const clientCertPair = await pem(days);
    connection = () => ({ address: 'x', tls: { clientCertPair } });
    expect(await shown()).toEqual([`belay_credential_ends_timestamp_seconds{credential="certificate"} ${Date.UTC(2030, 0, days) / 1000}`]);
  }
});

test('an API key by its claim exp', async () => {
  connection = () => ({ address: 'x', apiKey: token({ exp: 1_900_000_000 }) });
  expect(await shown()).toEqual(['belay_credential_ends_timestamp_seconds{credential="api_key"} 1900000000']);
});

test.each([
  ['no credential', () => ({ address: 'x' })],
  ['a key that is no token', () => ({ address: 'x', apiKey: 'secret' })],
  ['a key without an end', () => ({ address: 'x', apiKey: token({}) })],
  ['a key whose end is no time', () => ({ address: 'x', apiKey: token({ exp: 'never' }) })],
  ['a certificate that is none', () => ({ address: 'x', tls: { clientCertPair: { crt: Buffer.from('x'), key: Buffer.from('x') } } })],
  [
    'a file that cannot be read',
    () => {
      throw new Error('TEMPORAL_API_KEY_FILE cannot be read');
    },
  ],
])('%s: nothing is shown, and the page is still answered', async (_title, now) => {
  connection = now;
  expect(await shown()).toEqual([]);
});
