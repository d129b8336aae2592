/** What is on the wire between Belay and an API server: compressed answers, and ways in by kubeconfig. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { connectionFactory } from '../../../../activities/clients/kubernetes/connection.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import { createTransport } from '../../../../activities/clients/kubernetes/transport.ts';
import type { ClusterSettings, KubernetesPort } from '../../../../activities/contract/ports.ts';
import { writeKubeconfig } from '../../../../rehearsal/world/core/endpoints.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { startForwardProxy } from '../../../support/forward-proxy.ts';
import { type FakeApiServer, type Reply, startFakeApiServer } from '../../support/fake-api-server.ts';

const NODES = { apiVersion: 'v1', plural: 'nodes' };
const PAGE = JSON.stringify({ items: [{ metadata: { name: 'näher', uid: 'u', resourceVersion: '1' } }] });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of closing.splice(0).toReversed()) await step();
});

async function start(answer: () => Reply): Promise<FakeApiServer> {
  const server = await startFakeApiServer(answer);
  closing.push(() => server.close());
  return server;
}

const zipped = (body: Buffer): Reply => ({ status: 200, headers: { 'Content-Encoding': 'gzip' }, body });

describe('compressed answers', () => {
  test('are read as if they were not', async () => {
    const { port } = await start(() => zipped(gzipSync(PAGE)));
    expect((await port.list(NODES))?.map(({ metadata }) => metadata.name)).toEqual(['näher']);
  });

  test('without their end are transient, not an empty list', async () => {
    const { port } = await start(() => zipped(gzipSync(PAGE).subarray(0, 40)));
    await expect(port.list(NODES)).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'listing nodes: the answer stopped half-way (Z_BUF_ERROR)',
    });
  });
});

describe('a kubeconfig', () => {
  async function byKubeconfig(
    server: FakeApiServer,
    settings: Partial<ClusterSettings> = {},
    change: (text: string) => string = (text) => text,
  ): Promise<KubernetesPort> {
    const directory = mkdtempSync(join(tmpdir(), 'belay-kubeconfig-'));
    closing.push(() => rmSync(directory, { recursive: true, force: true }));
    const kubeconfig = join(directory, 'config');
    writeKubeconfig(kubeconfig, { cluster: 'prod', url: server.endpoint, caData: server.caData, token: 'of-the-file' });
    writeFileSync(kubeconfig, change(readFileSync(kubeconfig, 'utf8')));
    const unused = { endpoint: () => Promise.reject(new Error('EKS is not asked')), tokens: server.tokens.source };
    const transport = createTransport(connectionFactory({ ref: CLUSTER, kubeconfig, ...settings }, unused));
    closing.push(() => transport.close());
    return createKubernetesPort(transport);
  }

  test('gives server, authority and token; reads share a connection, /version has one of its own', async () => {
    const server = await start(() => ({ status: 200, body: PAGE }));
    const port = await byKubeconfig(server);
    await port.list(NODES);
    await port.list(NODES);
    await port.version();
    expect(server.seen.map(({ token }) => token)).toEqual(['of-the-file', 'of-the-file', 'of-the-file']);
    const [first, second, fresh] = server.seen.map((one) => one.port);
    expect(second).toBe(first);
    expect(fresh).not.toBe(first);
    expect(server.tokens.minted).toBe(0);
  });

  test('without a context that is current, and none in belay.yaml, leads nowhere', async () => {
    const server = await start(() => ({ status: 200, body: PAGE }));
    const port = await byKubeconfig(server, {}, (text) => text.replace(/^current-context: .*$/m, 'current-context: ""'));
    await expect(port.list(NODES)).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringMatching(/no current context is set; name one as kubernetes.context in belay.yaml$/),
    });
    expect(server.seen).toEqual([]);
  });

  test('with a proxy of its own goes through that', async () => {
    const server = await start(() => ({ status: 200, body: PAGE }));
    const proxy = await startForwardProxy(Number(new URL(server.endpoint).port));
    closing.push(() => proxy.close());
    const port = await byKubeconfig(server, {}, (text) => text.replace(/^( *)server: .*$/m, `$&\n$1proxy-url: ${proxy.url}`));
    expect(await port.list(NODES)).toHaveLength(1);
    expect(proxy.tunnels).toEqual([new URL(server.endpoint).host]);
  });

  test('without the context that belay.yaml names says which it has', async () => {
    const port = await byKubeconfig(await start(() => ({ status: 200, body: PAGE })), { context: 'staging' });
    await expect(port.list(NODES)).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringMatching(/it has no context "staging", only prod; correct kubernetes.context in belay.yaml$/),
    });
  });
});

describe('RD4: a cluster that was made anew', () => {
  async function connected(endpoints: { endpoint: string; caData: string }[], tokens: FakeApiServer['tokens']) {
    let asked = 0;
    const endpoint = async () => {
      asked += 1;
      const now = endpoints[Math.min(asked, endpoints.length) - 1];
      if (now === undefined) throw new Error('no endpoint');
      return now;
    };
    const transport = createTransport(connectionFactory({ ref: CLUSTER }, { endpoint, tokens: tokens.source }));
    closing.push(() => transport.close());
    return { port: createKubernetesPort(transport), asked: () => asked };
  }

  test('or a CA that was corrected: endpoint and CA are read again, without a restart', async () => {
    const [old, now] = [await start(() => ({ status: 200, body: PAGE })), await start(() => ({ status: 200, body: PAGE }))];
    const { port, asked } = await connected([{ endpoint: now.endpoint, caData: old.caData }, now], now.tokens);
    expect(await port.list(NODES)).toHaveLength(1);
    expect(asked()).toBe(2);
  });

  test('its new name is found', async () => {
    const now = await start(() => ({ status: 200, body: PAGE }));
    const { port } = await connected([{ endpoint: 'https://gone.invalid', caData: now.caData }, now], now.tokens);
    expect(await port.list(NODES)).toHaveLength(1);
  });

  test('with a CA that stays wrong is said, and looked up again at the next call', async () => {
    const [old, now] = [await start(() => ({ status: 200, body: PAGE })), await start(() => ({ status: 200, body: PAGE }))];
    const wrong = { endpoint: now.endpoint, caData: old.caData };
    const { port } = await connected([wrong, wrong, now], now.tokens);
    await expect(port.list(NODES)).rejects.toMatchObject({ type: 'Configuration', message: expect.stringContaining('is not trusted') });
    expect(await port.list(NODES)).toHaveLength(1);
  });
});
