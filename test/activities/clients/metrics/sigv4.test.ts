/** Queries for Amazon's Prometheus are signed as they are sent. */
import { createServer } from 'node:http';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect, test } from 'vitest';
import { createPrometheusClient } from '../../../../activities/clients/metrics/prometheus.ts';
import { apsSigner } from '../../../../activities/clients/metrics/sigv4.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };

test('the signature is one that the receiver comes to as well, from the query as it arrives', async () => {
  let seen: { url: string; headers: Record<string, string> } | undefined;
  const server = createServer(({ url = '', headers }, response) => {
    seen = { url, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])) };
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"success","data":{"resultType":"vector","result":[]}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const sign = apsSigner({ region: 'eu-west-1', credentials: CREDENTIALS });
    const client = createPrometheusClient({ url: `http://127.0.0.1:${port}/workspaces/ws-1`, headers: { 'X-Scope-OrgID': 'a' }, sign });
    await client.query('sum(rate(a_total{code=~"5..", x!~"b*|c~"}[5m])) / 2 + 1');
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const { url = '', headers = {} } = seen ?? {};
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/aps\/aws4_request, SignedHeaders=\S*host\S*, Signature=/,
  );
  expect(headers['x-amz-security-token']).toBe('token');
  expect(url).not.toContain('+');
  // As a receiver does it: from the raw query, with the headers that are named as signed.
  const raw = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]);
  const named = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '')?.[1]?.split(';') ?? [];
  const at = (headers['x-amz-date'] ?? '').replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
  const again = await new SignatureV4({ service: 'aps', region: 'eu-west-1', credentials: CREDENTIALS, sha256: Sha256 }).sign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: '/workspaces/ws-1/api/v1/query',
      query: Object.fromEntries(raw),
      headers: Object.fromEntries(named.filter((name) => !name.startsWith('x-amz-')).map((name) => [name, headers[name] ?? ''])),
    },
    { signingDate: new Date(at) },
  );
  expect(headers['authorization']).toBe(again.headers['authorization']);
});
