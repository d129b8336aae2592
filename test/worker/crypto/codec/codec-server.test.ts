/** The codec server shows Temporal's own tools what is encrypted, and keeps everybody else out. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDataConverter } from '../../../../worker/crypto/codec/data-converter.ts';
import { codecKeys } from '../../../../worker/crypto/codec/keys.ts';
import { type CodecServerOptions, startCodecServer } from '../../../../worker/crypto/codec/server.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { temporalCli } from '../../../support/temporal-cli.ts';

const KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const UI = 'http://localhost:8233';
const SECRET_NAME = 'prod-of-a-bank';
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const options: CodecServerOptions = {
  keys: codecKeys(KEYS),
  namespace: 'default',
  origin: UI,
  host: '127.0.0.1',
  port: 0,
  log: () => undefined,
};

async function withServer(change: Partial<CodecServerOptions>, run: (url: string) => Promise<void>): Promise<void> {
  const server = await startCodecServer({ ...options, ...change });
  try {
    await run(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.close();
  }
}

const decode = (url: string, headers: Record<string, string> = {}, body = '{"payloads":[]}'): Promise<Response> =>
  fetch(`${url}/decode`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers }, body });

describe('the codec server', () => {
  test('lets `temporal workflow show` read what the server of Temporal cannot', async () => {
    const client = new Client({ connection: env.connection, dataConverter: createDataConverter(KEYS) });
    const workflowId = `encrypted-${randomUUID()}`;
    const handle = await client.workflow.start('nobody', { workflowId, taskQueue: randomUUID(), args: [{ cluster: SECRET_NAME }] });
    const show = async (...more: string[]): Promise<string> => {
      const args = ['workflow', 'show', '--workflow-id', workflowId, '--address', env.address, '--output', 'json', ...more];
      return (await promisify(execFile)(temporalCli(), args)).stdout;
    };
    // The input as the tool has it: base64 of JSON.
    const shown = JSON.stringify({ cluster: SECRET_NAME });
    const input = Buffer.from(shown).toString('base64');
    expect(await show()).not.toContain(input);
    await withServer({}, async (url) => expect(await show('--codec-endpoint', url)).toContain(input));
    await handle.terminate();
  });

  test('Temporal UI may ask, from its own address alone', async () => {
    await withServer({}, async (url) => {
      const asked = await fetch(`${url}/decode`, { method: 'OPTIONS', headers: { origin: UI, 'access-control-request-method': 'POST' } });
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, UI]);
      expect((await decode(url, { origin: UI })).status).toBe(200);
      const other = await decode(url, { origin: 'https://evil.example' });
      expect([other.status, await other.json(), other.headers.get('access-control-allow-origin')]).toEqual([
        403,
        { message: 'pages of https://evil.example may not ask; Temporal UI is http://localhost:8233' },
        null,
      ]);
    });
  });

  test.each<[string, Partial<CodecServerOptions>, Record<string, string>, number, string]>([
    ['another namespace', {}, { 'x-namespace': 'payroll' }, 403, 'only namespace default is decoded here'],
    [
      'no namespace, which means default, where another is decoded',
      { namespace: 'belay' },
      { 'x-namespace': '' },
      403,
      'only namespace belay is decoded here',
    ],
    ['no token where there is one', { token: 'open' }, {}, 403, 'the token is missing or another one'],
    ['another token', { token: 'open' }, { authorization: 'Bearer opem' }, 403, 'the token is missing or another one'],
  ])('refuses %s', async (_what, change, headers, status, message) => {
    await withServer(change, async (url) => {
      const answer = await decode(url, headers);
      expect([answer.status, await answer.json()]).toEqual([status, { message }]);
    });
  });

  test('the right token is let in', async () => {
    await withServer({ token: 'open' }, async (url) => expect((await decode(url, { authorization: 'Bearer open' })).status).toBe(200));
  });

  test('RS1: it shows what Belay has written, and encrypts nothing for others', async () => {
    await withServer({}, async (url) => {
      const headers = { 'content-type': 'application/json', 'x-namespace': 'default' };
      const body = JSON.stringify({
        payloads: [{ metadata: { encoding: b64(Buffer.from('json/plain')) }, data: b64(Buffer.from('"x"')) }],
      });
      const answer = await fetch(`${url}/encode`, { method: 'POST', headers, body });
      expect([answer.status, Object.keys(Object(await answer.json()))]).toEqual([403, ['message']]);
    });
  });

  test('a payload of another key says which one is missing', async () => {
    const [other] = await createDataConverter({ BELAY_CODEC_KEYS: `b:${randomBytes(32).toString('base64')}` }).payloadCodecs![0]!.encode([
      { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') },
    ]);
    const json = {
      metadata: { encoding: b64(other?.metadata?.['encoding']), 'encryption-key-id': b64(other?.metadata?.['encryption-key-id']) },
      data: b64(other?.data),
    };
    await withServer({}, async (url) => {
      const answer = await decode(url, {}, JSON.stringify({ payloads: [json] }));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { message: expect.stringContaining('encrypted with key "b", and BELAY_CODEC_KEYS has a') },
      ]);
    });
  });

  test('does not start without a key, nor open to others without a token', async () => {
    await expect(startCodecServer({ ...options, keys: [] })).rejects.toThrow(
      'BELAY_CODEC_KEYS: it is not set, so there is nothing to decode with',
    );
    await expect(startCodecServer({ ...options, host: '0.0.0.0' })).rejects.toThrow(
      'Others could read every history through 0.0.0.0. Listen on 127.0.0.1, or set BELAY_CODEC_SERVER_TOKEN to what they have to send.',
    );
  });
});

const b64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
