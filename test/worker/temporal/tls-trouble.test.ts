/** What is said of certificates with which Temporal cannot be reached; on the real server: test/production/certificates.test.ts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { listen } from '../../../rehearsal/world/core/loopback.ts';
import { type TlsTrouble, tlsTrouble } from '../../../worker/temporal/tls-trouble.ts';
import { type Certificates, writeCertificates } from '../../production/support/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-tls-'));
let certificates: Certificates;
const servers: Server[] = [];
const sockets = new Set<Socket>();
const ports = { asking: 0, plain: 0, away: 0 };

beforeAll(async () => {
  certificates = await writeCertificates(folder);
  const file = (name: string): Buffer => readFileSync(certificates.server[name] ?? '');
  const [key, cert, ca] = [file('TEMPORAL_TLS_FRONTEND_KEY'), file('TEMPORAL_TLS_FRONTEND_CERT'), file('TEMPORAL_TLS_CLIENT1_CA_CERT')];
  // It answers whoever is let in.
  const asking = createServer({ key, cert, ca, requestCert: true, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined);
    socket.end('settings');
  });
  const plain = createPlainServer((socket) => void socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const away = createPlainServer();
  servers.push(asking, plain);
  // Also those whose handshake fails.
  for (const server of servers) server.on('connection', (socket: Socket) => void sockets.add(socket));
  for (const [name, server] of Object.entries({ asking, plain, away })) ports[name as keyof typeof ports] = await listen(server);
  await new Promise((resolve) => void away.close(resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
  rmSync(folder, { recursive: true, force: true });
});

async function troubleAt(server: keyof typeof ports, variables: Record<string, string>): Promise<TlsTrouble | undefined> {
  const overrideEnvVars = { ...variables, TEMPORAL_ADDRESS: `127.0.0.1:${ports[server]}` };
  return await tlsTrouble(loadClientConnectConfig({ overrideEnvVars }).connectionOptions);
}

test('the right certificate is no trouble, nor is a server that is away, nor one that is spoken to without TLS', async () => {
  expect(await troubleAt('asking', certificates.right)).toBeUndefined();
  expect(await troubleAt('away', certificates.right)).toBeUndefined();
  expect(await troubleAt('plain', {})).toBeUndefined();
});

test.each<[keyof Certificates['wrong'], string, string]>([
  ['noCertificate', 'the server asks for a client certificate, and none is set', 'Set TEMPORAL_TLS_CLIENT_CERT_PATH'],
  ['otherAuthority', 'is signed by an authority that is not trusted here', 'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  ['otherName', "the server's certificate is not for elsewhere.test", 'Set TEMPORAL_TLS_SERVER_NAME'],
  ['expired', 'the client certificate expired on 2', 'Renew it'],
])('%s: the trouble and the variable to set', async (kind, what, fix) => {
  const trouble = await troubleAt('asking', certificates.wrong[kind]);
  expect(trouble?.what).toContain(what);
  expect(trouble?.fix).toContain(fix);
});

test('a server without TLS is told as one', async () => {
  expect(await troubleAt('plain', certificates.right)).toMatchObject({ what: 'the server does not speak TLS' });
});
