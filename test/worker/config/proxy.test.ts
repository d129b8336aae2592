/** Forward proxies as other tools read them, and a sentence where one cannot be used: no request goes around a proxy that is set. */
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderError } from '../../../cli/shared/errors.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { proxyOf } from '../../../worker/config/proxy.ts';
import { createPorts } from '../../../worker/ports.ts';
import { type ForwardProxy, startForwardProxy } from '../../support/forward-proxy.ts';

/** Where every tunnel ends: it matters only who is asked for one. */
const nowhere = createServer((socket) => socket.destroy());
let proxy: ForwardProxy;
beforeAll(async () => {
  await once(nowhere.listen(0, '127.0.0.1'), 'listening');
  const address = nowhere.address();
  proxy = await startForwardProxy(typeof address === 'object' ? (address?.port ?? 0) : 0);
});
beforeEach(() => void (proxy.tunnels.length = 0));
afterAll(async () => {
  await proxy.close();
  nowhere.close();
});

/** What Node asks the proxy for, on the way to the host. */
async function tunnelsTo(host: string, env: Record<string, string>): Promise<string[]> {
  const agent = new Agent({ proxyEnv: { ...proxyOf(env) } });
  const request = get(`https://${host}/`, { agent, lookup: (_name, _options, done) => done(new Error('no such host'), '') });
  await new Promise((resolve) => request.once('error', resolve));
  agent.destroy();
  return proxy.tunnels;
}

describe('Node asks the proxy', () => {
  test.each<[string, (url: string) => string]>([
    ['with a scheme', (url) => url],
    ['without one', (url) => url.replace('http://', '')],
    ['with two slashes alone', (url) => url.replace('http:', '')],
    ['in capitals, with white space', (url) => ` ${url.replace('http', 'HTTP')}\n`],
    ['with a user and a password', (url) => url.replace('http://', 'svc:S3cret%23@')],
  ])('of an address %s', async (_what, written) => {
    expect(await tunnelsTo('eks.example.test', { HTTPS_PROXY: written(proxy.url) })).toContain('eks.example.test:443');
  });

  test.each([
    ['example.test', 'eks.example.test', false],
    ['example.test', 'example.test', false],
    [' other.test , Example.test ', 'eks.example.test', false],
    ['.example.test', 'eks.example.test', false],
    ['*', 'eks.example.test', false],
    ['ample.test', 'eks.example.test', true],
    ['example.test:8443', 'eks.example.test', true],
    ['10.0.0.1', 'eks.10.0.0.1.test', true],
  ])('NO_PROXY=%j: %s by the proxy: %s', async (no, host, isAsked) => {
    expect((await tunnelsTo(host, { HTTPS_PROXY: proxy.url, NO_PROXY: no })).length > 0).toBe(isAsked);
  });
});

test.each([
  ['a.internal,b', 'a.internal,.a.internal,b,.b'],
  ['10.0.0.1,10.0.0.0/8,10.0.0.1-10.0.0.9,::1,fd00::/8', '10.0.0.1,10.0.0.0/8,10.0.0.1-10.0.0.9,::1,fd00::/8'],
  ['*,*.internal,.internal,a.internal:6443', '*,*.internal,.internal,a.internal:6443'],
])('only plain names have subdomains: %s', (no, given) => {
  expect(proxyOf({ HTTPS_PROXY: 'http://p:3128', NO_PROXY: no })?.NO_PROXY).toBe(
    `${given},localhost,127.0.0.1,::1,169.254.169.254,169.254.170.2,169.254.170.23`,
  );
});

const FORM = 'Write http://HOST:PORT or https://HOST:PORT.';
const UNREADABLE = `its address cannot be read. ${FORM} Encode characters such as #, / or % of a password, # as %23.`;
test.each<[Record<string, string>, string]>([
  [{ HTTPS_PROXY: 'socks5://svc:S3cret@proxy:1080' }, `HTTPS_PROXY: socks5:// proxies are not supported. ${FORM}`],
  [{ http_proxy: 'SOCKS5h://proxy:1080' }, `http_proxy: socks5h:// proxies are not supported. ${FORM}`],
  ...['S3#cret', 'S3/cret', '12/S3cret', 'S3cret%'].map((password): [Record<string, string>, string] => [
    { HTTPS_PROXY: `http://svc:${password}@proxy:3128` },
    `HTTPS_PROXY: ${UNREADABLE}`,
  ]),
  [{ HTTPS_PROXY: 'http://' }, `HTTPS_PROXY: ${UNREADABLE}`],
])('%j is refused by a sentence that repeats no password', (env, sentence) => {
  expect(() => proxyOf(env)).toThrow(expect.objectContaining({ name: 'ProxyError', message: sentence }));
  expect(renderError(new Error(sentence), false)).toBe(sentence);
});

test.each([
  ['22.19.0', false],
  ['22.20.0', false],
  ['22.21.0', true],
  ['23.11.1', false],
  ['24.4.1', false],
  ['24.5.0', true],
  ['25.0.0', true],
])('Node %s uses a proxy: %s; where none is set it does not matter', (version, can) => {
  const env = { https_proxy: 'http://svc:S3cret@proxy:3128' };
  const sentence = `https_proxy: Node ${version} cannot use a proxy. Install Node 22.21 or later, or 24.5 or later.`;
  if (can) expect(proxyOf(env, version)?.HTTPS_PROXY).toBe(env.https_proxy);
  else expect(() => proxyOf(env, version)).toThrow(sentence);
  expect(proxyOf({ NO_PROXY: 'a' }, version)).toBeUndefined();
});

test('a worker does not start with a proxy that it would go around', () => {
  const config = parseConfig('clusters:\n  prod: { account: "111122223333", region: eu-west-1 }\n', 'belay.yaml');
  expect(() => createPorts(config, { namespace: 'default', env: { HTTPS_PROXY: 'socks5://proxy:1080' } })).toThrow(
    'HTTPS_PROXY: socks5:// proxies are not supported.',
  );
});
